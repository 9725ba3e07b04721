"""`anthropic.native.v1`: `tool_use` blocks of a Messages answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from faircall.parsing.readers.native import NativeCall, field, read_calls, text_of, without_message
from faircall.parsing.readers.protocol import Reader, Reading, ReadingInput


def read(given: ReadingInput) -> Reading:
    """The only `tool_use` block; the protocol gives its `input` as an object.

    >>> block = {"type": "tool_use", "name": "f", "input": {"x": 1}}
    >>> read(ReadingInput("", message={"content": [block]})).parsed.call
    ToolCall(name='f', arguments={'x': 1})
    """
    content = given.message.get("content") if isinstance(given.message, Mapping) else given.message
    if not isinstance(content, (str, list)):
        return without_message(given.text)
    return read_calls(calls_of(content), text_of(content), texts=False)


def calls_of(content: Any) -> list[NativeCall]:
    """Every call among the content blocks, and what is no block; tools that the server ran are not ours."""
    blocks = content if isinstance(content, list) else []
    return [
        NativeCall(field(block, "name"), field(block, "input"))
        for block in blocks
        if not isinstance(block, Mapping) or block.get("type") == "tool_use"
    ]


READER: Final = Reader(
    name="anthropic.native.v1",
    summary="tool_use blocks of a Messages answer (after the server's parser)",
    read=read,
    knows=frozenset(("message.tool_use",)),
    native=True,
    example={
        "role": "assistant",
        "content": [{"type": "tool_use", "name": "get_weather", "input": {"city": "Graz"}}],
    },
)
