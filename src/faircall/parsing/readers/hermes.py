"""`hermes.v1`: one call as JSON between `<tool_call>` and `</tool_call>` (Hermes, Qwen2.5, Qwen3, QwQ)."""

from __future__ import annotations

from typing import Final

from faircall.parsing.readers.marked import decode_behind, read_nothing, read_outside
from faircall.parsing.readers.protocol import Reader, Reading, ReadingInput, fail, read_call_object

OPEN: Final = "<tool_call>"
CLOSE: Final = "</tool_call>"


def read(given: ReadingInput) -> Reading:
    """The only `<tool_call>` of the text: strict JSON of exactly `name` and `arguments`, closed.

    >>> read(ReadingInput('<tool_call>{"name": "f", "arguments": {}}</tool_call>')).parsed.call
    ToolCall(name='f', arguments={})
    """
    start = given.text.find(OPEN)
    if start < 0:
        return read_nothing(given.text, "no_marker")
    found = decode_behind(given.text, start + len(OPEN), close=CLOSE)
    if not isinstance(found, tuple):
        return read_outside(given.text, found, (start, len(given.text)))
    value, end = found
    parsed = fail("multiple_calls") if given.text.find(OPEN, end) >= 0 else read_call_object(value)
    return read_outside(given.text, parsed, (start, end))


READER: Final = Reader(
    name="hermes.v1",
    summary='<tool_call>{"name": ..., "arguments": {...}}</tool_call>',
    read=read,
    knows=frozenset((OPEN,)),
    opens=(OPEN,),
    example='<tool_call>\n{"name": "get_weather", "arguments": {"city": "Graz"}}\n</tool_call>',
)
