"""`openai_responses.native.v1`: `function_call` items of a Responses output."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from faircall.parsing.readers.native import NativeCall, field, read_calls, text_of, without_message
from faircall.parsing.readers.protocol import Reader, Reading, ReadingInput


def read(given: ReadingInput) -> Reading:
    """The only `function_call` item of a response, of its output list, or the item itself.

    >>> item = {"type": "function_call", "name": "f", "arguments": "{}"}
    >>> read(ReadingInput("", message=item)).parsed == read(ReadingInput("", message=[item])).parsed
    True
    """
    items = items_of(given.message)
    if items is None:
        return without_message(given.text)
    content = "".join(text_of(item.get("content")) for item in items if item.get("type") == "message")
    return read_calls(calls_of(items), content)


def items_of(value: Any) -> list[Mapping[str, Any]] | None:
    """The output items of a response, a list or a single item; None when it is none of these."""
    if isinstance(value, Mapping):
        value = value.get("output", [value])
    return value if isinstance(value, list) and all(map(_is_item, value)) else None


def _is_item(value: Any) -> bool:
    return isinstance(value, Mapping) and ("type" in value or "role" in value)


def calls_of(items: list[Mapping[str, Any]]) -> list[NativeCall]:
    """Every call among the items; calls of custom tools are calls, and not of functions."""
    return [
        NativeCall(field(item, "name"), field(item, "arguments"), item.get("type") == "function_call")
        for item in items
        if item.get("type") in ("function_call", "custom_tool_call")
    ]


READER: Final = Reader(
    name="openai_responses.native.v1",
    summary="function_call items of a Responses output (after the server's parser)",
    read=read,
    knows=frozenset(("message.function_call",)),
    native=True,
    example={"type": "function_call", "name": "get_weather", "arguments": '{"city": "Graz"}'},
)
