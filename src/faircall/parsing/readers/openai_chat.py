"""`openai_chat.native.v1`: `tool_calls` of a chat-completions message."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from faircall.parsing.readers.native import NativeCall, as_list, field, read_calls, text_of, without_message
from faircall.parsing.readers.protocol import Reader, Reading, ReadingInput


def read(given: ReadingInput) -> Reading:
    """The only entry of `tool_calls` (or the older `function_call`); a whole response is opened first.

    >>> call = {"type": "function", "function": {"name": "f", "arguments": "{}"}}
    >>> read(ReadingInput("", message={"content": None, "tool_calls": [call]})).parsed.call
    ToolCall(name='f', arguments={})
    """
    message = message_of(given.message)
    if not isinstance(message, Mapping):
        return without_message(given.text)
    return read_calls(calls_of(message), text_of(message.get("content")))


def message_of(value: Any) -> Any:
    """The message of a response (its only choice), or the value itself."""
    choices = value.get("choices") if isinstance(value, Mapping) else None
    if isinstance(choices, list) and len(choices) == 1 and isinstance(choices[0], Mapping):
        return choices[0].get("message")
    return value


def calls_of(message: Mapping[str, Any]) -> list[NativeCall]:
    """Every call of a message, in both of the protocol's forms; what is no list of calls is a broken one."""
    entries = message.get("tool_calls")
    calls = [_call(entry) for entry in ([] if entries is None else as_list(entries))]
    older = message.get("function_call")
    if older is not None:
        calls.append(NativeCall(field(older, "name"), field(older, "arguments")))
    return calls


def _call(entry: Any) -> NativeCall:
    function = field(entry, "function")
    kind = entry.get("type", "function") if isinstance(entry, Mapping) else None
    return NativeCall(field(function, "name"), field(function, "arguments"), kind in ("function", None))


READER: Final = Reader(
    name="openai_chat.native.v1",
    summary="tool_calls of a chat-completions message (after the server's parser)",
    read=read,
    knows=frozenset(("message.tool_calls",)),
    native=True,
    example={
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"type": "function", "function": {"name": "get_weather", "arguments": '{"city": "Graz"}'}}
        ],
    },
)
