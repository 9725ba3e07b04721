r"""RFC 8259 and nothing else (decisions D1 to D4): any text gives a value or a `JsonFault`.

Two tiers read the same language. The strict tier is the reference: it walks brackets and reads tokens with
its own stack, so depth costs no recursion and time is linear. The fast tier is msgspec where the text ends
with the value, else the standard library's scanner, with the gaps closed. Both accept less than the strict
tier; success of the fast tier is trusted, its failure is not: the strict tier decides every failure again.

>>> decode('{"a": [1, 2.5, "\\ud83d"]}')
{'a': [1, 2.5, '\ud83d']}
>>> decode_at('see {"a": 1} and more', 4)
({'a': 1}, 12)
"""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Callable
from typing import Any, Final, Literal, NamedTuple, NoReturn, TypeAlias

import msgspec

MAX_DEPTH: Final = 256
"""Levels of nesting; the outermost bracket is level 1."""
MAX_DIGITS: Final = 1_000
"""Digits of an integer literal."""

Reason: TypeAlias = Literal["limit", "unbalanced", "bad_json", "duplicate_key"]


class JsonFault(ValueError):
    """Why a text is not a JSON value here: `reason`, and the character offset where it shows."""

    def __init__(self, reason: Reason, offset: int) -> None:
        super().__init__(f"{reason} at character {offset}")
        self.reason: Reason = reason
        self.offset = offset


class Walk(NamedTuple):
    """Where the balanced scan ended (exclusive), and `limit` or `unbalanced` when it has no span."""

    end: int
    fault: Literal["limit", "unbalanced"] | None


def decode(text: str) -> Any:
    """The value of a whole text; only JSON whitespace may stand around it.

    Raises:
        JsonFault: `limit`, `unbalanced`, `bad_json` or `duplicate_key`.
    """
    value, end = decode_at(text, _skip_whitespace(text, 0))
    rest = _skip_whitespace(text, end)
    if rest != len(text):
        raise JsonFault("bad_json", rest)
    return value


def decode_at(text: str, start: int) -> tuple[Any, int]:
    """The first value that begins exactly at `start`, and the offset behind it; the rest is not looked at.

    Raises:
        JsonFault: the first that applies of `limit`, `unbalanced`, `bad_json`, `duplicate_key`.
    """
    found = _decode_fast(text, start)
    return found if found is not None else decode_strictly(text, start)


def decode_strictly(text: str, start: int) -> tuple[Any, int]:
    """`decode_at` by the strict tier alone: the reference that the fast tier is tested against."""
    if text[start : start + 1] in ("{", "["):
        end, fault = walk(text, start)
        if fault:
            raise JsonFault(fault, end)
    else:
        _refuse_long_number(text, start)
        end = len(text)
    return _Reader(text, end).read(start)


# --- The walk: brackets and strings only, as the parser's definition asks

_STRING = r'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_SHORT_NUMBER = r"[0-9]{1,99}+(?:\.[0-9]{1,99}+)?+(?![0-9.eE])"  # cannot exceed a limit
_PLAIN_RUN = rf'(?:[^{{}}\[\]"0-9]++|{_STRING}|{_SHORT_NUMBER})*+'
_LEXEME = re.compile(
    rf'{_PLAIN_RUN}(?:(?P<open>[{{\[])|(?P<close>[}}\]])|(?P<torn>")'
    r"|(?P<number>[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)|(?P<end>\Z))",
    re.DOTALL,
)
_CLOSER: Final = {"{": "}", "[": "]"}


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


def _exceeds_limit(literal: str) -> bool:
    """Whether an unsigned number literal is too long an integer, or overflows a double."""
    if literal.isdecimal():
        return len(literal) > MAX_DIGITS
    return math.isinf(float(literal))


def _refuse_long_number(text: str, start: int) -> None:
    """The limits of a number that stands alone; behind a bracket the walk has seen to it."""
    digits = start + text.startswith("-", start)
    lexeme = _LEXEME.match(text, digits)
    if lexeme and lexeme.start("number") == digits and _exceeds_limit(lexeme["number"]):
        raise JsonFault("limit", start)


# --- The strict tier: tokens and an explicit stack

_WHITESPACE = re.compile(r"[ \t\n\r]*")
_TOKEN = re.compile(
    r"[ \t\n\r]*(?:(?P<punctuation>[{}\[\]:,])"
    r'|"(?P<string>[^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*+)*+)"'
    r"|(?P<number>-?(?:0|[1-9][0-9]*)(?P<float>(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?))"
    r"|(?P<word>true|false|null))"
)
_ESCAPE = re.compile(r"\\u([dD][89abAB]..)\\u([dD][c-fC-F]..)|\\u(....)|\\(.)")
_PLAIN: Final = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_WORDS: Final = {"true": True, "false": False, "null": None}


def _skip_whitespace(text: str, start: int) -> int:
    match = _WHITESPACE.match(text, start)
    return match.end() if match else start


class _Reader:
    """The grammar as a state: which tokens may come next. One instance reads one value.

    `wanted` is the set of punctuation that may come, with `v` for a value and `k` for a key.
    """

    def __init__(self, text: str, end: int) -> None:
        self.text = text
        self.end = end
        self.frames: list[Any] = []
        self.keys: list[str] = []
        self.wanted = "v"
        self.result: Any = None
        self.duplicate: int | None = None

    def read(self, start: int) -> tuple[Any, int]:
        """The value that begins at `start`, and the offset behind it."""
        position = start
        while self.wanted:
            token = _TOKEN.match(self.text, position, self.end)
            if token is None:
                raise JsonFault("bad_json", position)
            self._accept(token)
            position = token.end()
        if self.duplicate is not None:
            raise JsonFault("duplicate_key", self.duplicate)
        return self.result, position

    def _accept(self, token: re.Match[str]) -> None:
        mark = token["punctuation"]
        if mark is None:
            self._accept_scalar(token)
        elif mark in "{[" and "v" in self.wanted:
            self.frames.append({} if mark == "{" else [])
            self.wanted = "k}" if mark == "{" else "v]"
        elif mark not in self.wanted:
            raise JsonFault("bad_json", token.end() - 1)
        elif mark in "}]":
            self._place(self.frames.pop())
        elif mark == ",":
            self.wanted = "k" if type(self.frames[-1]) is dict else "v"
        else:
            self.wanted = "v"

    def _accept_scalar(self, token: re.Match[str]) -> None:
        string = token["string"]
        if string is not None and "k" in self.wanted:
            self._open_member(_unescape(string), token.start("string"))
        elif "v" in self.wanted:
            self._place(_scalar(token))
        else:
            raise JsonFault("bad_json", token.start())

    def _open_member(self, key: str, offset: int) -> None:
        if key in self.frames[-1] and self.duplicate is None:
            # A repeated key is a fault of the value, and an error in the grammar further on goes before it.
            self.duplicate = offset
        self.keys.append(key)
        self.wanted = ":"

    def _place(self, value: Any) -> None:
        if not self.frames:
            self.result, self.wanted = value, ""
        elif type(self.frames[-1]) is dict:
            self.frames[-1][self.keys.pop()] = value
            self.wanted = ",}"
        else:
            self.frames[-1].append(value)
            self.wanted = ",]"


def _scalar(token: re.Match[str]) -> Any:
    if token["string"] is not None:
        return _unescape(token["string"])
    if token["word"] is not None:
        return _WORDS[token["word"]]
    return float(token["number"]) if token["float"] else _whole_number(token["number"])


def _whole_number(literal: str) -> int:
    """An integer of up to `MAX_DIGITS` digits; `sys.set_int_max_str_digits` may allow only 640 at once."""
    if len(literal) <= 640:
        return int(literal)
    head, tail = literal[:-500], literal[-500:]
    value: int = abs(int(head)) * 10**500 + int(tail)
    return -value if literal.startswith("-") else value


def _unescape(body: str) -> str:
    return _ESCAPE.sub(_unescape_one, body) if "\\" in body else body


def _unescape_one(match: re.Match[str]) -> str:
    high, low, single, plain = match.groups()
    if high:
        return chr(0x10000 + ((int(high, 16) - 0xD800) << 10) + int(low, 16) - 0xDC00)
    if single:
        return chr(int(single, 16))
    return _PLAIN.get(plain, plain)


# --- The fast tier: decoders in C where they cannot be more generous than the strict tier

_SAFE_RECURSION: Final = 10_000
"""Frames of a decoder in C that a thread's stack bears; `sys.setrecursionlimit` may allow more."""
_LONG_DIGITS = re.compile(rf"(?<![0-9])[0-9]{{{MAX_DIGITS + 1}}}")
_TWO_DIGITS = re.compile("[0-9][0-9]")  # of every 500th character: a longer run of digits has them
_QUOTE_COLON = re.compile(r'"[ \t\n\r]*+:')
_ESCAPED_QUOTE_COLON = re.compile(r'\\"[ \t\n\r]*+:')
_ENDS: Final = ("}", "]")


class _NotHere(Exception):
    """The fast tier has met something that only the strict tier may judge."""


def _decode_fast(text: str, start: int) -> tuple[Any, int] | None:
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
