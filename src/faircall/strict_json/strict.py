"""The strict tier: tokens and an explicit stack. It is the reference, and it judges every failure."""

from __future__ import annotations

import re
from typing import Any, Final

from faircall.strict_json.brackets import refuse_long_number, walk
from faircall.strict_json.faults import JsonFault

_TOKEN = re.compile(
    r"[ \t\n\r]*(?:(?P<punctuation>[{}\[\]:,])"
    r'|"(?P<string>[^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*+)*+)"'
    r"|(?P<number>-?(?:0|[1-9][0-9]*)(?P<float>(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?))"
    r"|(?P<word>true|false|null))"
)
_ESCAPE = re.compile(r"\\u([dD][89abAB]..)\\u([dD][c-fC-F]..)|\\u(....)|\\(.)")
_PLAIN: Final = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_WORDS: Final = {"true": True, "false": False, "null": None}


def decode_strictly(text: str, start: int) -> tuple[Any, int]:
    """`decode_at` by the strict tier alone: the reference that the fast tier is tested against."""
    if text[start : start + 1] in ("{", "["):
        end, fault = walk(text, start)
        if fault:
            raise JsonFault(fault, end)
    else:
        refuse_long_number(text, start)
        end = len(text)
    return _Reader(text, end).read(start)


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
