"""The walk: brackets and strings only, as the parser's definition asks; and the limits it sees to."""

from __future__ import annotations

import math
import re
from typing import Final, Literal, NamedTuple

from faircall.strict_json.faults import MAX_DEPTH, MAX_DIGITS, JsonFault

_STRING = r'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_SHORT_NUMBER = r"[0-9]{1,99}+(?:\.[0-9]{1,99}+)?+(?![0-9.eE])"  # cannot exceed a limit
_PLAIN_RUN = rf'(?:[^{{}}\[\]"0-9]++|{_STRING}|{_SHORT_NUMBER})*+'
_LEXEME = re.compile(
    rf'{_PLAIN_RUN}(?:(?P<open>[{{\[])|(?P<close>[}}\]])|(?P<torn>")'
    r"|(?P<number>[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)|(?P<end>\Z))",
    re.DOTALL,
)
_TORN_STRING = r'"[^"\\]*+(?:\\.[^"\\]*+)*+\\?+'
_CLOSER: Final = {"{": "}", "[": "]"}


def _closed_levels(count: int) -> str:
    """What holds strings, short numbers and up to `count` levels of brackets, each of them closed."""
    run, inside = r'[^{}\[\]"0-9]*+', rf"{_STRING}|{_SHORT_NUMBER}"
    if count:
        deeper = _closed_levels(count - 1)
        inside += rf"|\{{{deeper}\}}|\[{deeper}\]"
    return rf"{run}(?:(?:{inside}){run})*+"


_CUT_OFF = re.compile(rf"(?:[{{\[]{_closed_levels(2)}){{1,200}}+(?:{_TORN_STRING})?+\Z", re.DOTALL)


class Walk(NamedTuple):
    """Where the balanced scan ended (exclusive), and `limit` or `unbalanced` when it has no span."""

    end: int
    fault: Literal["limit", "unbalanced"] | None


def walk(text: str, start: int) -> Walk:
    """Follow brackets from the one at `start` until they balance, skipping strings and their escapes.

    `limit` is lexical: it is reported for whatever the walk covers, balanced or not.
    """
    closers: list[str] = []
    for lexeme in _LEXEME.finditer(text, start):
        kind = lexeme.lastgroup
        if kind == "open":
            closers.append(_CLOSER[lexeme[kind]])
            if len(closers) > MAX_DEPTH:
                return Walk(lexeme.start(kind), "limit")
        elif kind == "close":
            if closers.pop() != lexeme[kind]:
                return Walk(lexeme.start(kind), "unbalanced")
            if not closers:
                return Walk(lexeme.end(), None)
        elif kind == "number" and _exceeds_limit(lexeme[kind]):
            return Walk(lexeme.start(kind), "limit")
        elif kind == "torn":
            break
    return Walk(len(text), "unbalanced")


def is_cut_off(text: str, start: int) -> bool:
    """Whether the walk from the bracket at `start` is `unbalanced` for sure; False says nothing.

    >>> is_cut_off('{"name": "f", "arguments": {"a": [1', 0), is_cut_off('{"name": "f"}', 0)
    (True, False)
    """
    # Counting takes a tenth of the time of a match, and spares it where nothing is cut off.
    return text.count("{", start) > text.count("}", start) and _CUT_OFF.match(text, start) is not None


def _exceeds_limit(literal: str) -> bool:
    """Whether an unsigned number literal is too long an integer, or overflows a double."""
    if literal.isdecimal():
        return len(literal) > MAX_DIGITS
    return math.isinf(float(literal))


def refuse_long_number(text: str, start: int) -> None:
    """The limits of a number that stands alone; behind a bracket the walk has seen to it."""
    digits = start + text.startswith("-", start)
    lexeme = _LEXEME.match(text, digits)
    if lexeme and lexeme.start("number") == digits and _exceeds_limit(lexeme["number"]):
        raise JsonFault("limit", start)
