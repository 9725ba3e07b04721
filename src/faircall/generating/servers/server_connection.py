"""Asking one server patiently: retries, limits per minute, the model list, and no word of the key."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from faircall.credentials import MASK, redact
from faircall.errors import EnvironmentProblem
from faircall.generating.servers.http_client import Dropped, HttpAnswer, HttpClient
from faircall.generating.servers.openai_protocol import decode_body, show_body
from faircall.generating.servers.rate_limits import Pace
from faircall.generating.servers.retries import GivenUp, Transient, call_patiently, parse_retry_after
from faircall.generating.servers.server_settings import ServerSettings

T = TypeVar("T")

_PASSING: Final = frozenset((408, 409, 425, 429))
_FOR_ALL: Final = frozenset((401, 403, 404, 405))  # key, path or model: others fare no better


class Refused(Exception):
    """The server will not answer this request, however often it is asked."""


class RefusedForAll(Refused):
    """The server will not answer any request: key, path or model name."""


@dataclass(frozen=True, slots=True)
class ModelList:
    """The entries of `/models` that have an id, and what the server calls itself."""

    entries: Sequence[Mapping[str, Any]]
    server: str | None


class ServerConnection:
    """One server under its settings; may be used from any number of threads."""

    def __init__(
        self,
        settings: ServerSettings,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] | None = None,
        draw: Callable[[], float] = random.random,
    ) -> None:
        """Prepare. Clock, sleep and randomness are parameters, so that tests never wait."""
        self._settings = settings
        self._key = settings.api_key()
        self._stopping = threading.Event()
        self._clock, self._sleep, self._draw = clock, sleep or self._wait, draw
        self._client = HttpClient(settings.base_url, headers=_headers(self._key))
        self._requests = Pace(settings.requests_per_minute, clock=clock, sleep=self._sleep)
        self._tokens = Pace(settings.tokens_per_minute, clock=clock, sleep=self._sleep)

    def list_models(self) -> ModelList:
        """What the server says that it serves.

        Raises:
            GivenUp: there is no answer.
            Refused: the server has no list, or does not show it.
        """
        answer = self._patiently("GET", "/models", None, lambda answer: answer)
        return ModelList(_entries(answer.body), answer.headers.get("server", "").strip() or None)

    def ask(self, path: str, body: bytes, *, read: Callable[[bytes], T], tokens: int) -> T:
        """Send one request until `read` can make something of the answer.

        Args:
            path: below the base URL.
            body: the request.
            read: the body of an answer to a value; raises `Transient` for what is no answer.
            tokens: a guess at prompt and answer together, for the limit; `correct_tokens` corrects it.

        Raises:
            GivenUp: budget or deadline are used up.
            Refused: the server will not answer this prompt.
            EnvironmentProblem: the server will not answer any.
        """

        def paced(answer: HttpAnswer) -> T:
            return read(answer.body)

        def pace() -> None:
            self._requests.take()
            self._tokens.take(tokens)

        try:
            return self._patiently("POST", path, body, paced, before=pace)
        except RefusedForAll as fault:
            raise EnvironmentProblem(
                f"{self._settings.base_url}: the server refuses every request: {self.clean(str(fault))}",
                hint=f"check ${self._settings.api_key_env}, the base URL and the model's name; "
                "what was answered is kept",
            ) from None

    def correct_tokens(self, more: int) -> None:
        """An answer's own count is so many tokens more (or, negative, fewer) than was guessed."""
        self._tokens.correct(more)

    def clean(self, text: str) -> str:
        """A server may repeat the key in its complaint; no artifact, log or error may."""
        return redact(text.replace(self._key, MASK) if self._key else text)

    def close(self) -> None:
        """Wake whoever waits, and hang up."""
        self._stopping.set()
        self._client.close()

    def _patiently(
        self,
        method: str,
        path: str,
        body: bytes | None,
        read: Callable[[HttpAnswer], T],
        *,
        before: Callable[[], None] = lambda: None,
    ) -> T:
        def attempt(seconds: float) -> T:
            before()
            try:
                answer = self._client.exchange(method, path, seconds=seconds, body=body)
            except Dropped as fault:
                raise Transient(str(fault)) from fault
            _require_success(answer)
            return read(answer)

        return call_patiently(
            attempt,
            policy=self._settings.retries,
            sleep=self._sleep,
            clock=self._clock,
            draw=self._draw,
        )

    def _wait(self, seconds: float) -> None:
        if self._stopping.wait(seconds):
            raise GivenUp("the run was stopped")


def _require_success(answer: HttpAnswer) -> None:
    status = answer.status
    if 200 <= status < 300:
        return
    reason = f"status {status}: {show_body(answer.body)}"
    if status in _PASSING or status >= 500:
        wait = parse_retry_after(answer.headers.get("retry-after"), now=time.time())
        raise Transient(reason, retry_after=wait)
    raise (RefusedForAll if status in _FOR_ALL else Refused)(reason)


def _headers(key: str | None) -> dict[str, str]:
    headers = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "faircall"}
    return headers if key is None else {**headers, "Authorization": f"Bearer {key}"}


def _entries(body: bytes) -> list[Mapping[str, Any]]:
    value = decode_body(body)
    listed = value.get("data") if isinstance(value, Mapping) else None
    entries = listed if isinstance(listed, list) else []
    return [entry for entry in entries if isinstance(entry, Mapping) and isinstance(entry.get("id"), str)]
