"""`llama3_json.v1`: the whole text is one JSON call with `parameters` (Llama 3.1, 3.2, 3.3)."""

from __future__ import annotations

from typing import Final

from faircall.parsing.readers.marked import decode_behind, read_nothing, read_outside, skip_whitespace
from faircall.parsing.readers.protocol import Reader, Reading, ReadingInput, fail, read_call_object
from faircall.records import Parsed

TAG: Final = "<|python_tag|>"


def read(given: ReadingInput) -> Reading:
    """Optional `<|python_tag|>`, then nothing but `{"name": ..., "parameters": {...}}`.

    >>> read(ReadingInput('{"name": "f", "parameters": {}}')).parsed.call
    ToolCall(name='f', arguments={})
    """
    text = given.text
    start = skip_whitespace(text, 0)
    tagged = text.startswith(TAG, start)
    begin = skip_whitespace(text, start + len(TAG)) if tagged else start
    if not tagged and not text.startswith("{", begin):
        return read_nothing(text, "no_marker")
    found = decode_behind(text, begin)
    if not isinstance(found, tuple):
        return read_outside(text, found, (start, len(text)))
    value, end = found
    return read_outside(
        text, _whole(text, end) or read_call_object(value, arguments_key="parameters"), (start, end)
    )


def _whole(text: str, end: int) -> Parsed | None:
    """Why the text is more than one call; None when it ends here."""
    rest = skip_whitespace(text, end)
    if rest == len(text):
        return None
    following = text[rest:].lstrip("; \t\r\n")
    return fail("multiple_calls" if following.startswith(("{", TAG)) else "text_outside")


READER: Final = Reader(
    name="llama3_json.v1",
    summary='the whole text is {"name": ..., "parameters": {...}}, behind an optional <|python_tag|>',
    read=read,
    knows=frozenset((TAG, "parameters")),
    opens=(),
    example='<|python_tag|>{"name": "get_weather", "parameters": {"city": "Graz"}}',
)
