"""The fast tier: decoders in C where they cannot be more generous than the strict tier."""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Callable
from typing import Any, Final, NoReturn

import msgspec

from faircall.strict_json.brackets import walk
from faircall.strict_json.faults import MAX_DEPTH, MAX_DIGITS

_SAFE_RECURSION: Final = 10_000
"""Frames of a decoder in C that a thread's stack bears; `sys.setrecursionlimit` may allow more."""
_LONG_DIGITS = re.compile(rf"(?<![0-9])[0-9]{{{MAX_DIGITS + 1}}}")
_TWO_DIGITS = re.compile("[0-9][0-9]")  # of every 500th character: a longer run of digits has them
_QUOTE_COLON = re.compile(r'"[ \t\n\r]*+:')
_ESCAPED_QUOTE_COLON = re.compile(r'\\"[ \t\n\r]*+:')
_ENDS: Final = ("}", "]")


class _NotHere(Exception):
    """The fast tier has met something that only the strict tier may judge."""


def decode_fast(text: str, start: int) -> tuple[Any, int] | None:
    """The value at `start` where the fast tier is sure of it; None says nothing about the text.

    Behind the first value it looks at nothing, so that reading many values out of one text stays linear.
    """
    if sys.getrecursionlimit() > _SAFE_RECURSION and _count_brackets(text, start) > _SAFE_RECURSION:
        return None
    found = _decode_whole(text) if start == 0 and text.endswith(_ENDS) else None
    if found is None:
        try:
            found = _scan_once(text, start)
        except (ValueError, StopIteration, RecursionError, _NotHere):
            return None
    end = found[1]
    deep = end - start > 2 * MAX_DEPTH and _count_brackets(text, start, end) > MAX_DEPTH
    return None if deep and walk(text, start).fault else found


def _count_brackets(text: str, start: int, end: int | None = None) -> int:
    """Opening brackets, those in strings too: depth is never more."""
    return text.count("{", start, end) + text.count("[", start, end)


def _decode_whole(text: str) -> tuple[Any, int] | None:
    """The value that is the whole text, where msgspec reads it and no key can be repeated.

    msgspec keeps the last of two equal keys. Each member has a colon behind a closing quote, so as many keys
    as such colons means that none was lost. Those inside strings are counted, too: then there is no answer.
    """
    if _TWO_DIGITS.search(text[:: MAX_DIGITS // 2]) and _LONG_DIGITS.search(text):
        return None
    try:
        value = _decode_with_msgspec(text)
    except (ValueError, RecursionError):
        return None
    unique = _has_keys(value, text.count(":")) or _has_keys(value, _count_members(text))
    return (value, len(text)) if unique else None


def _count_members(text: str) -> int | None:
    """Colons behind a quote that may close a key; None where it is not plain which quotes are escaped."""
    if '\\\\"' in text:
        return None
    return len(_QUOTE_COLON.findall(text)) - len(_ESCAPED_QUOTE_COLON.findall(text))


def _has_keys(value: Any, count: int | None) -> bool:
    """Whether the objects in a value have `count` keys in all, when they cannot have more."""
    keys = 0
    pending = [value]
    for item in pending:  # grows while it is walked
        if type(item) is dict:
            keys += len(item)
            if keys == count:
                return True
            pending += item.values()
        elif type(item) is list:
            pending += item
    return keys == count


def _short_integer(literal: str) -> int:
    if len(literal) - literal.startswith("-") > MAX_DIGITS:
        raise _NotHere
    return int(literal)


def _unique_members(members: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(members)
    if len(value) != len(members):
        raise _NotHere
    return value


def _finite_float(literal: str) -> float:
    value = float(literal)
    if math.isinf(value):
        raise _NotHere
    return value


def _refuse_constant(_: str) -> NoReturn:
    raise _NotHere


_decode_with_msgspec: Callable[[str], Any] = msgspec.json.Decoder().decode
_DECODER = json.JSONDecoder(
    object_pairs_hook=_unique_members,
    parse_int=_short_integer,
    parse_float=_finite_float,
    parse_constant=_refuse_constant,
)
_scan_once: Callable[[str, int], tuple[Any, int]] = _DECODER.scan_once  # type: ignore[attr-defined]
