"""`pythonic.v1`: the whole text is `[f(k=literal, ...)]`, read by a bounded grammar and never evaluated."""

from __future__ import annotations

from typing import Any, Final

from msgspec.structs import replace

from faircall.parsing.readers.literals import Fault, Tokens, read_literal
from faircall.parsing.readers.marked import read_nothing, read_outside
from faircall.parsing.readers.protocol import Reader, Reading, ReadingInput, fail, join_calls, make_call
from faircall.records import Parsed


def read(given: ReadingInput) -> Reading:
    """A list of exactly one call with keyword arguments that are literals.

    >>> read(ReadingInput("[f(x=1, y='a', z=[True, None])]")).parsed.call
    ToolCall(name='f', arguments={'x': 1, 'y': 'a', 'z': [True, None]})
    """
    text = given.text
    if not text.lstrip().startswith("["):
        return read_nothing(text, "no_marker")
    return read_outside(text, _read_list(text), (text.find("["), len(text.rstrip())))


def _read_list(text: str) -> Parsed:
    tokens = Tokens(text)
    calls = []
    try:
        tokens.take("[")
        while tokens.ahead() != "]":
            calls.append(_read_call(tokens))
            if not tokens.skip(","):
                break
        tokens.take("]")
    except Fault as fault:
        return fail(str(fault))
    if tokens.ahead():
        return fail("text_outside")
    if tokens.repeated:
        return fail("duplicate_key")
    if len(calls) == 1:
        return calls[0]
    return join_calls(calls) if calls else replace(fail("empty_array"), calls=())


def _read_call(tokens: Tokens) -> Parsed:
    """`name(key=literal, ...)`, a comma after the last allowed as in Python."""
    name = tokens.take_name(dotted=True)
    tokens.take("(")
    arguments: dict[str, Any] = {}
    while tokens.ahead() != ")":
        key = tokens.take_name()
        tokens.take("=")
        tokens.repeated = tokens.repeated or key in arguments
        arguments[key] = read_literal(tokens)
        if not tokens.skip(","):
            break
    tokens.take(")")
    return make_call(name, arguments)


READER: Final = Reader(
    name="pythonic.v1",
    summary="the whole text is [f(key=literal, ...)]",
    read=read,
    knows=frozenset(("[f(",)),
    opens=(),
    example="[get_weather(city='Graz', days=2)]",
)
