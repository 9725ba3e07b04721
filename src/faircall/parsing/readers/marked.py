"""What the readers of marked calls share: find the marker, decode behind it, count what stands outside."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from faircall.parsing.readers.protocol import Reading, count_ink, fail, join_calls, place
from faircall.parsing.span import has_bracket
from faircall.records import Parsed
from faircall.strict_json import JsonFault, decode_at

Block: TypeAlias = "tuple[Parsed, int] | Parsed"
"""A marked call and the offset behind it, or why there is no whole one."""

JSON_WHITESPACE = " \t\r\n"


def skip_whitespace(text: str, start: int) -> int:
    r"""The offset of the first character at or behind `start` that is not JSON whitespace.

    >>> skip_whitespace("a \n b", 1)
    4
    """
    while start < len(text) and text[start] in JSON_WHITESPACE:
        start += 1
    return start


def decode_behind(text: str, start: int, *, close: str = "") -> tuple[Any, int] | Parsed:
    """The JSON value at or behind `start` and the offset behind `close`; a failure where either is not there.

    The value is decoded first and the close is asked for behind it: it may stand inside a string.
    A text in which the close never comes is `unclosed_call`, whatever else is wrong with it.
    """
    begin = skip_whitespace(text, start)
    try:
        value, end = decode_at(text, begin)
    except JsonFault as fault:
        return fail(fault.reason if text.find(close, begin) >= 0 else "unclosed_call")
    if not close:
        return value, end
    end = skip_whitespace(text, end)
    if not text.startswith(close, end):
        return fail("text_in_call" if text.find(close, end) >= 0 else "unclosed_call")
    return value, end + len(close)


def read_blocks(text: str, *, opens: str, read_block: Callable[[int], Block]) -> Reading:
    """Every marked call from the first `opens` on: one is the call, several are `multiple_calls`.

    The first must be whole. Those behind it only decide whether the several calls are all well-formed.
    """
    start = text.find(opens)
    if start < 0:
        return read_nothing(text, "no_marker")
    first = read_block(start)
    if not isinstance(first, tuple):
        return read_outside(text, first, (start, len(text)))
    found, end = [first[0]], first[1]
    begin = text.find(opens, end)
    while begin >= 0:
        block = read_block(begin)
        found.append(block[0] if isinstance(block, tuple) else block)
        begin = text.find(opens, block[1]) if isinstance(block, tuple) else -1
    return read_outside(text, found[0] if len(found) == 1 else join_calls(found), (start, end))


def read_outside(text: str, parsed: Parsed, span: tuple[int, int]) -> Reading:
    """A reading of `parsed`, which stands at `span`; everything outside is counted."""
    start, end = span
    ignored = count_ink(text[:start]) + count_ink(text[end:])
    return Reading(place(parsed, span, trailing_json=has_bracket(text, end)), ignored)


def read_nothing(text: str, reason: str) -> Reading:
    """A reading that found no call, for `reason`; the whole text was passed over."""
    return Reading(fail(reason), count_ink(text))
