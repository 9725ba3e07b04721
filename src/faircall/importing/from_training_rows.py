"""Rows of training data as gold: xLAM, and conversations as OpenAI's fine-tuning or TRL write them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from faircall.importing import from_openai, from_xlam
from faircall.importing.foreign import Fault, Importer, identifier, step_rows

_KEPT: Final = ("language", "source_example_id")


def recognises_xlam(value: Any) -> bool:
    """A row with `answers`, or with a `query` and no other gold."""
    if not isinstance(value, Mapping):
        return False
    return "answers" in value or ("query" in value and "gold" not in value)


def read_xlam(value: Any) -> Iterator[Any]:
    """The one call of a row."""
    yield from step_rows(from_xlam.read_steps(value), row_id=_row_id(value), extra=_kept(value))


def recognises_conversation(value: Any) -> bool:
    """A row with `messages` of which an assistant's makes a call."""
    messages = value.get("messages") if isinstance(value, Mapping) else None
    return isinstance(messages, list) and any(
        isinstance(m, Mapping) and m.get("tool_calls") for m in messages
    )


def read_conversation(value: Any) -> Iterator[Any]:
    """Every calling step of a conversation."""
    yield from step_rows(from_openai.read_steps(value), row_id=_row_id(value), extra=_kept(value))


def _row_id(value: Any) -> str | None:
    if not isinstance(value, Mapping):
        raise Fault("the row is not an object")
    return identifier(value)


def _kept(value: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value[key] for key in _KEPT if value.get(key) is not None}


XLAM: Final = Importer("xlam", "xLAM rows: query, tools, answers (gold)", recognises_xlam, read_xlam)
CONVERSATION: Final = Importer(
    "conversation",
    "conversations with tool_calls: OpenAI fine-tuning, TRL (gold)",
    recognises_conversation,
    read_conversation,
)
