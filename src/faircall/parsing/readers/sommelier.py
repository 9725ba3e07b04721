"""`sommelier.parser.v1` in the table of readers: the default, which needs no marker."""

from __future__ import annotations

from typing import Final

from faircall.parsing.readers.protocol import Reader, Reading, ReadingInput, count_ink
from faircall.parsing.tool_call import parse_tool_call
from faircall.records import PARSER_VERSION


def read(given: ReadingInput) -> Reading:
    """The first balanced span, exactly one call."""
    parsed = parse_tool_call(given.text)
    start, end = parsed.span or (0, 0)
    return Reading(parsed, count_ink(given.text[:start]) + count_ink(given.text[end:]))


READER: Final = Reader(
    name=PARSER_VERSION,
    summary="the first balanced JSON span, exactly one call, nothing repaired (the default)",
    read=read,
    example='Sure: {"name": "get_weather", "arguments": {"city": "Graz"}}',
)
