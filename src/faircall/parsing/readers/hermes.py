"""`hermes.v1`: one call as JSON between `<tool_call>` and `</tool_call>` (Hermes, Qwen2.5, Qwen3, QwQ)."""

from __future__ import annotations

from typing import Final

from faircall.parsing.readers.marked import Block, decode_behind, read_blocks
from faircall.parsing.readers.protocol import Reader, Reading, ReadingInput, read_call_object

OPEN: Final = "<tool_call>"
CLOSE: Final = "</tool_call>"


def read(given: ReadingInput) -> Reading:
    """The only `<tool_call>` of the text: strict JSON of exactly `name` and `arguments`, closed.

    >>> read(ReadingInput('<tool_call>{"name": "f", "arguments": {}}</tool_call>')).parsed.call
    ToolCall(name='f', arguments={})
    """

    def read_block(start: int) -> Block:
        found = decode_behind(given.text, start + len(OPEN), close=CLOSE)
        return (read_call_object(found[0]), found[1]) if isinstance(found, tuple) else found

    return read_blocks(given.text, opens=OPEN, read_block=read_block)


READER: Final = Reader(
    name="hermes.v1",
    summary='<tool_call>{"name": ..., "arguments": {...}}</tool_call>',
    read=read,
    knows=frozenset((OPEN,)),
    opens=(OPEN,),
    example='<tool_call>\n{"name": "get_weather", "arguments": {"city": "Graz"}}\n</tool_call>',
)
