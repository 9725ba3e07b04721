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

ALWAYS_WITHIN: Final = 2 * MAX_DEPTH
"""Characters of a text that is within all limits: each level of nesting takes two brackets."""
_SAFE_RECURSION: Final = 10_000
"""Frames of a decoder in C that a thread's stack bears; `sys.setrecursionlimit` may allow more."""
_LONG_DIGITS = re.compile(rf"(?<![0-9])[0-9]{{{MAX_DIGITS + 1}}}")
_TWO_DIGITS = re.compile("[0-9][0-9]")  # of every 500th character: a longer run of digits has them
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
    """The value that is the whole text, where msgspec reads it and no key can be repeated."""
    if _has_long_digits(text):
        return None
    try:
        value = _decode_with_msgspec(text)
    except (ValueError, RecursionError):
        return None
    return (value, len(text)) if has_unique_keys(text, value) else None


def is_within_limits(text: str) -> bool:
    """Whether a value that fills `text` exceeds no limit (D2) for sure, so that msgspec may read it."""
    return len(text) <= ALWAYS_WITHIN or not (_count_brackets(text, 0) > MAX_DEPTH or _has_long_digits(text))


def has_unique_keys(text: str, value: Any) -> bool:
    """Whether no object in `text` repeats a key (D3), when msgspec read `value` there; False says nothing.

    msgspec keeps the last of two equal keys. Each member has a colon, and a string has the colons that it is
    written with where none is escaped. So when `value` is spelled with as many colons as the text, no member
    of it was lost.
    """
    try:
        return "\\u003" not in text and _encode(value).count(b":") == text.count(":")
    except (ValueError, OverflowError, RecursionError):
        return False


def _has_long_digits(text: str) -> bool:
    return bool(_TWO_DIGITS.search(text[:: MAX_DIGITS // 2]) and _LONG_DIGITS.search(text))


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


_encode = msgspec.json.Encoder().encode
_decode_with_msgspec: Callable[[str], Any] = msgspec.json.Decoder().decode
_DECODER = json.JSONDecoder(
    object_pairs_hook=_unique_members,
    parse_int=_short_integer,
    parse_float=_finite_float,
    parse_constant=_refuse_constant,
)
_scan_once: Callable[[str, int], tuple[Any, int]] = _DECODER.scan_once  # type: ignore[attr-defined]
