"""A bounded grammar of Python literals: text, numbers, three words, lists, and dicts with text keys.

Only what JSON can say is read: no tuples, sets, bytes, f-strings, implicit concatenation or expressions.
Depth and digits have the limits of `strict_json`; there is no recursion on the text.
"""

from __future__ import annotations

import math
import re
from typing import Any, Final

from faircall.strict_json import MAX_DEPTH, JsonFault, decode

_TOKEN: Final = re.compile(
    r"\s*(?:(?P<mark>[\[\](){}=,:])"
    r"|(?P<text>'(?:[^'\\\n]|\\.)*+'|\"(?:[^\"\\\n]|\\.)*+\")"
    r"|(?P<number>[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?(?![\w.]))"
    r"|(?P<name>[^\W\d]\w*(?:\.[^\W\d]\w*)*)"
    r"|(?P<end>\Z))",
    re.DOTALL,
)
_ESCAPE: Final = re.compile(
    r"\\(?:(?P<plain>[\\'\"abfnrtv])|x(?P<x>[0-9a-fA-F]{2})|u(?P<u>[0-9a-fA-F]{4})|U(?P<U>[0-9a-fA-F]{8})|(?P<bad>.))",
    re.DOTALL,
)
_PLAIN: Final = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_WORDS: Final = {"True": True, "False": False, "None": None}
_LARGEST_CODE_POINT: Final = 0x10FFFF


class Fault(ValueError):
    """Why the text is not of the grammar; the message is the reason."""


class Tokens:
    """A cursor over the tokens of a text. One token is looked at ahead; whitespace lies between.

    `repeated` tells whether some key was given twice: a fault, and errors of the grammar go before it.
    """

    def __init__(self, text: str) -> None:
        """Start before the first token."""
        self.text = text
        self.position = 0
        self.repeated = False
        self._match = self._scan()

    def ahead(self) -> str:
        """The next token as written, "" at the end."""
        return "" if self._match is None else self._match[0].strip()

    def kind(self) -> str:
        """Its kind: `mark`, `text`, `number`, `name`, `end`; "" where no token of the grammar begins."""
        return "" if self._match is None else str(self._match.lastgroup)

    def next(self) -> str:
        """Take the next token, whatever it is."""
        if self._match is None:
            raise Fault("bad_syntax")
        token = self._match[str(self._match.lastgroup)]
        self.position = self._match.end()
        self._match = self._scan()
        return token

    def take(self, mark: str) -> None:
        """Take `mark`, which must come now."""
        if self.kind() != "mark" or self.ahead() != mark:
            raise Fault("unbalanced" if self.kind() == "end" else "bad_syntax")
        self.next()

    def skip(self, mark: str) -> bool:
        """Take `mark` if it comes now."""
        if self.kind() != "mark" or self.ahead() != mark:
            return False
        self.next()
        return True

    def take_name(self, *, dotted: bool = False) -> str:
        """Take an identifier, with dots when `dotted`."""
        if self.kind() != "name":
            raise Fault("unbalanced" if self.kind() == "end" else "bad_syntax")
        name = self.next()
        if "." in name and not dotted:
            raise Fault("bad_syntax")
        return name

    def _scan(self) -> re.Match[str] | None:
        return _TOKEN.match(self.text, self.position)


def read_literal(tokens: Tokens) -> Any:
    """The literal that comes now; the frames of open lists and dicts are kept here, not on Python's stack.

    >>> read_literal(Tokens("{'a': [1, 2.5, None]}"))
    {'a': [1, 2.5, None]}
    """
    frames: list[Any] = []
    keys: list[str] = []
    while True:
        value = _open_or_scalar(tokens)
        if type(value) in (list, dict) and not tokens.skip(_closer(value)):
            frames.append(value)
            _expect_element(tokens, frames, keys)
            continue
        while frames:
            _put(tokens, frames[-1], value, keys)
            if not _ends(tokens, frames[-1]):
                _expect_element(tokens, frames, keys)
                break
            value = frames.pop()
        else:
            return value


def _open_or_scalar(tokens: Tokens) -> Any:
    kind = tokens.kind()
    if kind == "end":
        raise Fault("unbalanced")
    token = tokens.next()
    if kind == "mark" and token in ("[", "{"):
        return [] if token == "[" else {}
    if kind == "text":
        return unescape(token[1:-1])
    if kind == "number":
        return read_number(token)
    if kind == "name" and token in _WORDS:
        return _WORDS[token]
    raise Fault("bad_syntax")


def _closer(frame: Any) -> str:
    return "]" if type(frame) is list else "}"


def _expect_element(tokens: Tokens, frames: list[Any], keys: list[str]) -> None:
    """An element of the innermost frame comes now; in a dict its key comes first."""
    if len(frames) > MAX_DEPTH:
        raise Fault("limit")
    if type(frames[-1]) is dict:
        keys.append(_take_key(tokens))


def _put(tokens: Tokens, frame: Any, value: Any, keys: list[str]) -> None:
    if type(frame) is list:
        frame.append(value)
    else:
        key = keys.pop()
        tokens.repeated = tokens.repeated or key in frame
        frame[key] = value


def _ends(tokens: Tokens, frame: Any) -> bool:
    """Whether `frame` closes now; else a comma was taken and an element follows."""
    if tokens.skip(","):
        return tokens.skip(_closer(frame))
    tokens.take(_closer(frame))
    return True


def _take_key(tokens: Tokens) -> str:
    if tokens.kind() != "text":
        raise Fault("unbalanced" if tokens.kind() == "end" else "bad_syntax")
    key = unescape(tokens.next()[1:-1])
    tokens.take(":")
    return key


def read_number(token: str) -> int | float:
    """An integer or a finite float as Python writes it, under the limits of D2.

    >>> read_number("-12"), read_number("1."), read_number("+3")
    (-12, 1.0, 3)
    """
    if any(mark in token for mark in ".eE"):
        value = float(token)
        if math.isinf(value):
            raise Fault("limit")
        return value
    try:
        number: int = decode(token.removeprefix("+"))
    except JsonFault as fault:
        raise Fault("limit" if fault.reason == "limit" else "bad_syntax") from None
    return number


def unescape(body: str) -> str:
    r"""The text of a literal's body.

    >>> unescape(r"a\x41\n") == "aA\n"
    True
    """
    return _ESCAPE.sub(_unescape_one, body) if "\\" in body else body


def _unescape_one(match: re.Match[str]) -> str:
    if match["plain"]:
        return _PLAIN.get(match["plain"], match["plain"])
    digits = match["x"] or match["u"] or match["U"]
    if not digits or int(digits, 16) > _LARGEST_CODE_POINT:
        raise Fault("bad_syntax")
    return chr(int(digits, 16))
