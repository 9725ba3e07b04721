"""Several servers that serve the same model under the same name, as one backend in this process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from queue import SimpleQueue

from faircall.generating.backend import BackendRequest, Description, ServedBackend
from faircall.generating.servers.server_settings import ServerSettings
from faircall.generating.workers.agreement import pooled_description, require_same_description
from faircall.records import Generation, Prompt


def open_server_pool(
    request: BackendRequest,
    settings: ServerSettings,
    *,
    open_one: Callable[[BackendRequest, ServerSettings], ServedBackend],
) -> ServerPool:
    """Ask every server what it serves; all must say the same.

    Raises:
        EvaluationError: two servers differ in what identifies the arm.
        EnvironmentProblem: one of them cannot be reached.
    """
    with ExitStack() as opened:
        servers = []
        for url in settings.base_urls:
            servers.append(open_one(request, replace(settings, base_url=url, mirrors=())))
            opened.callback(servers[-1].close)
        pool = ServerPool(servers, settings.base_urls)
        opened.pop_all()
    return pool


class ServerPool:
    """The servers; `generate` goes to whichever has room."""

    def __init__(self, servers: Sequence[ServedBackend], base_urls: Sequence[str]) -> None:
        """Take open connections; the settings of each hold for each."""
        self._servers = servers
        self._description, *others = (pooled_description(s.describe(), base_urls) for s in servers)
        for url, other in zip(base_urls[1:], others, strict=True):
            require_same_description(self._description, other, name=f"the server {url}")
        self._room: SimpleQueue[ServedBackend] = SimpleQueue()
        for _ in range(max(server.in_flight for server in servers)):
            for server in servers:
                self._room.put(server)

    @property
    def in_flight(self) -> int:
        """Requests under way at all servers together."""
        return sum(server.in_flight for server in self._servers)

    def describe(self) -> Description:
        """The conditions, which are those of every server."""
        return self._description

    def check(self, prompts: Sequence[Prompt]) -> None:
        """The form of a prompt does not depend on the server."""
        self._servers[0].check(prompts)

    def generate(self, prompt: Prompt) -> Generation:
        """Ask a server that has room."""
        server = self._room.get()
        try:
            return server.generate(prompt)
        finally:
            self._room.put(server)

    def close(self) -> None:
        """Hang up everywhere."""
        for server in self._servers:
            server.close()
