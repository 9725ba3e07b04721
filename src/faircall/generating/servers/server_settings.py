"""How a server is asked: everything that the config and the command line say about it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

from faircall.credentials import find_credentials
from faircall.errors import ConfigError, UsageError
from faircall.generating.servers.http_client import split_base_url
from faircall.generating.servers.retries import RetryPolicy

Endpoint: TypeAlias = Literal["chat", "completions"]

PATHS: Final[Mapping[Endpoint, str]] = {"chat": "/chat/completions", "completions": "/completions"}
OWN_FIELDS: Final = frozenset(
    ("model", "messages", "tools", "prompt", "temperature", "seed", "stream", "n", "max_tokens",
     "max_completion_tokens", "top_p", "top_k")
)  # fmt: skip
"""Fields that faircall sets, or that would undo greedy decoding: `extra_body` may not hold them."""


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """One model on one server.

    Attributes:
        base_url: where `/models` and the endpoint lie, without a slash at the end.
        mirrors: further servers that serve the same model under the same name: with the first, a pool.
        model: the name that the server knows the arm by.
        endpoint: chat takes messages and tools, completions the rendered text.
        answers_as: the name that stands in answers; another one is an error.
        in_flight: requests under way at a time.
        retries: budget and deadline of one request.
        requests_per_minute: None is no limit.
        tokens_per_minute: prompt and answer together; None is no limit.
        seed: sent with each request; None sends none.
        model_list: whether the server must list the model before the run.
        takes_tool_calls: whether the reader reads `tool_calls`; if not, an answer that has them is an error.
        extra_body: further fields of each request.
        api_key_env: the environment variable that holds the key; without it no key is sent.
        stated: fields of the model section that the user really stated; all others stay unknown.
    """

    base_url: str
    model: str
    endpoint: Endpoint = "chat"
    answers_as: str | None = None
    in_flight: int = 8
    retries: RetryPolicy = field(default_factory=RetryPolicy)
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    seed: int | None = None
    model_list: Literal["required", "ignored"] = "required"
    takes_tool_calls: bool = False
    extra_body: Mapping[str, Any] = field(default_factory=dict)
    api_key_env: str = "OPENAI_API_KEY"
    stated: frozenset[str] = frozenset()
    mirrors: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for url in self.base_urls:
            split_base_url(url)
        if len(set(self.base_urls)) < len(self.base_urls):
            raise UsageError("a server is named twice", hint="name each server of a pool once")
        if self.in_flight < 1:
            raise UsageError(f"{self.in_flight} requests in flight: at least 1 is needed")
        refuse_own_fields(self.extra_body)

    @property
    def base_urls(self) -> tuple[str, ...]:
        """All servers."""
        return (self.base_url, *self.mirrors)

    @property
    def expected_name(self) -> str:
        """The model name that every answer must carry."""
        return self.answers_as or self.model

    def api_key(self) -> str | None:
        """The key, from the environment only.

        Raises:
            UsageError: it holds characters that no header may hold.
        """
        key = os.environ.get(self.api_key_env) or None
        if key is not None and not (key.isascii() and key.isprintable() and " " not in key):
            raise UsageError(f"${self.api_key_env} is not a key (spaces, line ends or non-ASCII characters)")
        return key


def refuse_own_fields(extra_body: Mapping[str, Any]) -> None:
    """Refuse further fields that would replace ours or hold a credential.

    Raises:
        ConfigError: names the field.
    """
    for name in sorted(OWN_FIELDS & extra_body.keys()):
        raise ConfigError(
            f"server.extra_body may not set {name!r}",
            hint="decoding comes from the eval section, the model's name from arms.<arm>.served_as",
        )
    for path in find_credentials(dict(extra_body)):
        raise ConfigError(
            f"server.extra_body.{path} looks like a credential",
            hint="keys come from the environment: see server.api_key_env",
        )
