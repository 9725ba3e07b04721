"""Where two answers to one prompt part: at which token, or at which character where no tokens are known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, Literal, Protocol, TypeAlias, runtime_checkable

from faircall.canonical import canonical_json
from faircall.generating.backend import Backend
from faircall.records import Generation

Unit: TypeAlias = Literal["token", "character"]


@runtime_checkable
class TokenizingBackend(Backend, Protocol):
    """A backend that can take an answer apart."""

    def tokens_of(self, generation: Generation) -> Sequence[tuple[int, str]]:
        """Id and text of every token of an answer, the stop token included."""
        ...


@dataclass(frozen=True, slots=True)
class Unlike:
    """What stands at the place where answers part: an id (None for characters) and a text."""

    number: int | None
    text: str

    def to_dict(self) -> dict[str, Any]:
        """The form in artifacts."""
        return {"id": self.number, "text": self.text}


@dataclass(frozen=True, slots=True)
class Divergence:
    """The first place, counted from 0, at which two answers differ; None on the side that ended before."""

    unit: Unit
    index: int
    first: Unlike | None
    again: Unlike | None

    def to_dict(self) -> dict[str, Any]:
        """The form in artifacts."""
        sides = {"first": self.first, "again": self.again}
        return {
            "unit": self.unit,
            "index": self.index,
            **{name: None if side is None else side.to_dict() for name, side in sides.items()},
        }


def spoken_text(generation: Generation) -> str:
    """All that was said: the raw text, and behind it the calls of a server's message, without their ids.

    >>> call = {"id": "c-1", "function": {"name": "f", "arguments": "{}"}}
    >>> spoken_text(Generation("a", "", message={"tool_calls": [call]}))
    '[{"arguments":"{}","name":"f"}]'
    """
    message = generation.message or {}
    calls = [call.get("function") for call in message.get("tool_calls") or [] if isinstance(call, Mapping)]
    calls += [message["function_call"]] if message.get("function_call") else []
    return generation.raw_text + (canonical_json(calls) if calls else "")


def same_answer(first: Generation, again: Generation) -> bool:
    """Whether two answers say the same and ended for the same reason."""
    return spoken_text(first) == spoken_text(again) and _end(first) == _end(again)


def _end(generation: Generation) -> tuple[str | None, str | None]:
    return generation.finish_reason, generation.stop_token


def locate_divergence(first: Generation, again: Generation, *, backend: Backend) -> Divergence | None:
    """Where two answers part; None where they are alike, or where only the finish reason differs.

    Both texts are taken apart by the backend's tokenizer, since stored answers have no token ids: where a
    tokenizer has several spellings for one text, the place can lie a token before the one that was drawn.
    """
    if same_answer(first, again):
        return None
    if isinstance(backend, TokenizingBackend):
        found = _first_unlike(_tokens(backend, first), _tokens(backend, again), unit="token")
        if found is not None:
            return found
    return _first_unlike(_characters(first), _characters(again), unit="character")


def _tokens(backend: TokenizingBackend, generation: Generation) -> list[Unlike]:
    return [Unlike(number, text) for number, text in backend.tokens_of(generation)]


def _characters(generation: Generation) -> list[Unlike]:
    return [Unlike(None, character) for character in spoken_text(generation)]


def _first_unlike(first: Sequence[Unlike], again: Sequence[Unlike], *, unit: Unit) -> Divergence | None:
    places = enumerate(zip_longest(first, again))
    return next((Divergence(unit, index, *pair) for index, pair in places if pair[0] != pair[1]), None)
