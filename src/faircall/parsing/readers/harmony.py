"""`harmony.v1`: a message to `functions.N` on the commentary channel (gpt-oss)."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from faircall.parsing.readers.marked import decode_behind, read_nothing, skip_whitespace
from faircall.parsing.readers.protocol import (
    Reader,
    Reading,
    ReadingInput,
    count_ink,
    fail,
    join_calls,
    make_call,
    place,
)
from faircall.parsing.span import has_bracket
from faircall.records import Parsed

MARKER: Final = "to=functions."
_BODY: Final = "<|message|>"
_STOP: Final = re.compile(r"<\|(?:end|call|return|start)\|>")
_START: Final = re.compile(r"\s*(?:<\|start\|>assistant)?")
_TYPE: Final = r"(?: ?<\|constrain\|>json| json)?\s*"
_HEADERS: Final = (
    re.compile(rf"\s*<\|channel\|>commentary to=functions\.(?P<name>[^\s<>]*){_TYPE}"),
    re.compile(rf"\s*to=functions\.(?P<name>[^\s<>]*)\s*<\|channel\|>commentary{_TYPE}"),
)


class _Message(NamedTuple):
    """One message of the text: where it begins, its header, and where its body begins and ends."""

    start: int
    header: str
    body: int
    end: int


class _Call(NamedTuple):
    parsed: Parsed
    start: int
    end: int


def read(given: ReadingInput) -> Reading:
    """The only call on the commentary channel; analysis is a thought, other channels are passed over.

    The stop token `<|call|>` may have been trimmed: the end of the text closes a message, too.

    >>> read(ReadingInput("<|channel|>commentary to=functions.f <|constrain|>json<|message|>{}")).parsed.call
    ToolCall(name='f', arguments={})
    """
    text = given.text
    if _BODY not in text:
        return read_nothing(text, "unclosed_call" if MARKER in text else "no_marker")
    calls: list[_Call] = []
    thought = hidden = 0
    position = 0
    while message := _next_message(text, position):
        position = message.end
        analysis = "<|channel|>analysis" in message.header
        if MARKER in message.header and not analysis:
            # After one that is not whole no other is decoded: it settles it, and the time stays linear.
            whole = not calls or calls[-1].parsed.status == "ok"
            calls.append(_read_call(text, message) if whole else _unread(message))
            position = max(calls[-1].end, message.body)
        elif analysis:
            thought += count_ink(text[message.body : message.end])
            hidden += MARKER in message.header
    return _conclude(text, calls or _unclosed(text, position), thought=thought, hidden=hidden)


def _next_message(text: str, position: int) -> _Message | None:
    stop = _STOP.match(text, position)
    if stop and stop[0] != "<|start|>":
        position = stop.end()
    opening = _START.match(text, position)
    start = opening.end() if opening else position
    body = text.find(_BODY, start)
    if body < 0:
        return None
    end = _STOP.search(text, body + len(_BODY))
    return _Message(position, text[start:body], body + len(_BODY), end.start() if end else len(text))


def _read_call(text: str, message: _Message) -> _Call:
    header = next((found for form in _HEADERS if (found := form.fullmatch(message.header))), None)
    if header is None:
        return _Call(fail("bad_header"), message.start, message.end)
    decoded = decode_behind(text, message.body)
    if not isinstance(decoded, tuple):
        return _Call(decoded, message.start, message.end)
    value, end = decoded
    end = skip_whitespace(text, end)
    if end < len(text) and not _STOP.match(text, end):
        return _Call(fail("text_in_call"), message.start, max(end, message.end))
    return _Call(make_call(header["name"], value), message.start, end)


def _unread(message: _Message) -> _Call:
    return _Call(fail("multiple_calls"), message.start, message.end)


def _unclosed(text: str, position: int) -> list[_Call]:
    """The header of a call whose body never came, behind the last whole message."""
    torn = text.find(MARKER, position) >= 0
    return [_Call(fail("unclosed_call"), position, len(text))] if torn else []


def _conclude(text: str, calls: list[_Call], *, thought: int, hidden: int) -> Reading:
    if not calls:
        return Reading(fail("no_marker"), count_ink(text) - thought, thought, hidden)
    first = calls[0]
    json_fault = first.parsed.status == "invalid_json"
    several = len(calls) > 1 and not json_fault
    parsed = join_calls([call.parsed for call in calls]) if several else first.parsed
    inside = sum(count_ink(text[call.start : call.end]) for call in calls)
    placed = place(parsed, (first.start, first.end), trailing_json=has_bracket(text, first.end))
    return Reading(placed, count_ink(text) - thought - inside, thought, hidden)


READER: Final = Reader(
    name="harmony.v1",
    summary="<|channel|>commentary to=functions.N <|constrain|>json<|message|>{...}<|call|>",
    read=read,
    knows=frozenset((MARKER, "<|channel|>")),
    opens=(MARKER,),
    example=(
        "<|channel|>analysis<|message|>The user asks for the weather.<|end|><|start|>assistant"
        '<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>{"city":"Graz"}<|call|>'
    ),
)
