"""`mistral_args.v1`: `[TOOL_CALLS]name[ARGS]{...}` (Mistral Small 3.2, Devstral, Ministral 3)."""

from __future__ import annotations

import re
from typing import Final

from faircall.parsing.readers.marked import decode_behind, read_nothing, read_outside
from faircall.parsing.readers.protocol import Reader, Reading, ReadingInput, fail, make_call

MARKER: Final = "[TOOL_CALLS]"
_HEAD: Final = re.compile(r"\[TOOL_CALLS\](?P<name>[^\[\]{}\s]*)(?:\[CALL_ID\][A-Za-z0-9]+)?\[ARGS\]")


def read(given: ReadingInput) -> Reading:
    """The only `[TOOL_CALLS]`: a name, `[ARGS]` and one JSON object (one template puts `[CALL_ID]` between).

    >>> read(ReadingInput('[TOOL_CALLS]f[ARGS]{"x": 1}')).parsed.call
    ToolCall(name='f', arguments={'x': 1})
    """
    text = given.text
    start = text.find(MARKER)
    if start < 0:
        return read_nothing(text, "no_marker")
    head = _HEAD.match(text, start)
    if head is None:
        reason = "bad_header" if "[ARGS]" in text[start:] else "unclosed_call"
        return read_outside(text, fail(reason), (start, len(text)))
    found = decode_behind(text, head.end())
    if not isinstance(found, tuple):
        return read_outside(text, found, (start, len(text)))
    value, end = found
    parsed = fail("multiple_calls") if text.find(MARKER, end) >= 0 else make_call(head["name"], value)
    return read_outside(text, parsed, (start, end))


READER: Final = Reader(
    name="mistral_args.v1",
    summary="[TOOL_CALLS]name[ARGS]{...}",
    read=read,
    knows=frozenset((MARKER, "[ARGS]")),
    opens=(MARKER,),
    example='[TOOL_CALLS]get_weather[ARGS]{"city": "Graz"}',
)
