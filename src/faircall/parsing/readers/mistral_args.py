"""`mistral_args.v1`: `[TOOL_CALLS]name[ARGS]{...}` (Mistral Small 3.2, Devstral, Ministral 3)."""

from __future__ import annotations

import re
from typing import Final

from faircall.parsing.readers.marked import Block, decode_behind, read_blocks
from faircall.parsing.readers.protocol import Reader, Reading, ReadingInput, fail, make_call

MARKER: Final = "[TOOL_CALLS]"
_HEAD: Final = re.compile(r"\[TOOL_CALLS\](?P<name>[^\[\]{}\s]*)(?:\[CALL_ID\][A-Za-z0-9]+)?\[ARGS\]")


def read(given: ReadingInput) -> Reading:
    """The only `[TOOL_CALLS]`: a name, `[ARGS]` and one JSON object (one template puts `[CALL_ID]` between).

    >>> read(ReadingInput('[TOOL_CALLS]f[ARGS]{"x": 1}')).parsed.call
    ToolCall(name='f', arguments={'x': 1})
    """
    text = given.text

    def read_block(start: int) -> Block:
        head = _HEAD.match(text, start)
        if head is None:
            return fail("bad_header" if "[ARGS]" in text[start:] else "unclosed_call")
        found = decode_behind(text, head.end())
        return (make_call(head["name"], found[0]), found[1]) if isinstance(found, tuple) else found

    return read_blocks(text, opens=MARKER, read_block=read_block)


READER: Final = Reader(
    name="mistral_args.v1",
    summary="[TOOL_CALLS]name[ARGS]{...}",
    read=read,
    knows=frozenset((MARKER, "[ARGS]")),
    opens=(MARKER,),
    example='[TOOL_CALLS]get_weather[ARGS]{"city": "Graz"}',
)
