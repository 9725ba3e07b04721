"""`mistral.v1`: `[TOOL_CALLS]` and a JSON array of calls (Mistral Nemo and its time)."""

from __future__ import annotations

from typing import Any, Final

from msgspec.structs import replace

from faircall.parsing.readers.marked import decode_behind, read_nothing, read_outside
from faircall.parsing.readers.protocol import (
    Reader,
    Reading,
    ReadingInput,
    fail,
    join_calls,
    read_call_object,
)
from faircall.records import Parsed

MARKER: Final = "[TOOL_CALLS]"


def read(given: ReadingInput) -> Reading:
    """The only `[TOOL_CALLS]`, followed by an array of one `{"name", "arguments"}` (the template adds `id`).

    >>> read(ReadingInput('[TOOL_CALLS][{"name": "f", "arguments": {}, "id": "abcdefghi"}]')).parsed.call
    ToolCall(name='f', arguments={})
    """
    start = given.text.find(MARKER)
    if start < 0:
        return read_nothing(given.text, "no_marker")
    found = decode_behind(given.text, start + len(MARKER))
    if not isinstance(found, tuple):
        return read_outside(given.text, found, (start, len(given.text)))
    value, end = found
    parsed = fail("multiple_calls") if given.text.find(MARKER, end) >= 0 else _read_array(value)
    return read_outside(given.text, parsed, (start, end))


def _read_array(value: Any) -> Parsed:
    if type(value) is not list:
        return fail("not_an_array")
    calls = [read_call_object(member, may_have=frozenset(("id",))) for member in value]
    if len(calls) == 1:
        return calls[0]
    return join_calls(calls) if calls else replace(fail("empty_array"), calls=())


READER: Final = Reader(
    name="mistral.v1",
    summary='[TOOL_CALLS][{"name": ..., "arguments": {...}}]',
    read=read,
    knows=frozenset((MARKER,)),
    opens=(MARKER,),
    example='[TOOL_CALLS][{"name": "get_weather", "arguments": {"city": "Graz"}, "id": "a1b2c3d4e"}]',
)
