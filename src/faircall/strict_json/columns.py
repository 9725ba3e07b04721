"""Lines of objects as columns, in one pass of the fast tier over all of them.

As everywhere in the fast tier an answer can be trusted, and no answer says nothing: whoever gets None reads
line by line, and finds the value or the fault.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec
import numpy as np

from faircall.strict_json.faults import MAX_DEPTH, MAX_DIGITS
from faircall.strict_json.groups import GROUP_SIZE, in_groups

if TYPE_CHECKING:
    from numpy.typing import NDArray

    ByteArray = NDArray[np.uint8]

MISSING: Final = msgspec.UNSET
"""Stands in a column where the row does not have it."""

_encode: Final = msgspec.json.Encoder(order="sorted").encode
_encode_lines: Final = msgspec.json.Encoder(order="sorted").encode_lines
_decode: Final = msgspec.json.Decoder().decode
_decode_lines: Final = msgspec.json.Decoder().decode_lines
_NEWLINE, _OPEN, _CLOSE, _COLON, _BACKSLASH, _U, _THREE = b"\n{}:\\u3"
_SPACE: Final = b" \t\r\n"
_STRINGLESS: Final = frozenset((type(None), bool, float, msgspec.UnsetType))
_LONG_DIGITS: Final = re.compile(rb"[0-9]{%d}" % (MAX_DIGITS + 1))


class Columns(NamedTuple):
    """Rows by column.

    Attributes:
        rows: how many there are.
        kinds: column -> the types of its values.
        values: column -> value per row, `MISSING` where a row does not have it.
        spellings: typed column of anything but text -> JSON per row, as `spell_quickly` writes it.
    """

    rows: int
    kinds: dict[str, set[type]]
    values: dict[str, list[Any]]
    spellings: dict[str, list[str]]


class Lines(NamedTuple):
    """JSON Lines without blank lines, each from an opening to a closing brace, and how many they are."""

    data: bytes
    rows: int


class _Unsure(ValueError):
    """Only the strict tier can tell."""


def tidy_lines(data: bytes) -> Lines | None:
    r"""Lines without blank ones and without space around them; None when one is not in braces.

    >>> tidy_lines(b' {"id": 1}\r\n\n{"id": 2}')
    Lines(data=b'{"id": 1}\n{"id": 2}', rows=2)
    """
    if rows := _count_braced(data):
        return Lines(data, rows)
    tidy = b"\n".join(filter(None, (line.strip(_SPACE) for line in data.split(b"\n"))))
    return Lines(tidy, rows) if (rows := _count_braced(tidy)) else None


def column_names(lines: Lines, *, of_all: bool = False) -> tuple[str, ...]:
    """The keys of the first line, or of every line, in order of appearance; () where they cannot be told."""
    try:
        if of_all:
            return tuple({name: None for row in _decode_lines(lines.data) for name in row})
        return tuple(_decode(lines.data[: lines.data.find(b"\n") if lines.rows > 1 else None]))
    except (ValueError, RecursionError):
        return ()


def decode_columns(lines: Lines, *, names: Sequence[str], types: Mapping[str, Any]) -> Columns | None:
    r"""The columns of lines that hold one object each; None where a line is anything else, or may be.

    Args:
        lines: as `tidy_lines` gives them.
        names: every key that a row may have.
        types: column -> the type that its values must have, as msgspec takes it.

    >>> lines = tidy_lines(b'{"id": 1, "gold": {"b": 1, "a": []}}\n{"id": "x", "gold": {}}')
    >>> found = decode_columns(lines, names=("id", "gold"), types={"gold": dict})
    >>> found.values["id"], found.spellings["gold"]
    ([1, 'x'], ['{"a":[],"b":1}', '{}'])
    >>> decode_columns(tidy_lines(b'{"id": 1, "id": 1}'), names=("id",), types={}) is None  # D3
    True
    """
    try:
        rows = _row_decoder(tuple((name, types.get(name, Any)) for name in names)).decode_lines(lines.data)
        values = {name: list(map(attrgetter(f"f{at}"), rows)) for at, name in enumerate(names)}
        kinds = {name: set(map(type, column)) for name, column in values.items()}
        spelt = {name: _spell(column, kinds[name]) for name, column in values.items()}
        colons = sum(
            _count_key(name, column, kinds[name]) + _count_colons_in(column, kinds[name], spelt[name])
            for name, column in values.items()
        )
    except (ValueError, RecursionError):
        return None
    # No object has a line break between a closing and an opening brace: as many as lines are one a line.
    if len(rows) != lines.rows or not _has_colons(lines.data, colons):
        return None
    spellings = {name: _split(spelt[name]) for name in types if spelt[name]}
    return Columns(len(rows), kinds, values, spellings)


def decode_rows(data: bytes) -> list[dict[str, Any]] | None:
    r"""The object of each line; None where a line is anything else, or may be, blank ones included.

    >>> decode_rows(b'{"id": 1}\n{"id": 2}'), decode_rows(b'{"id": 1}\n\n{"id": 2}')
    ([{'id': 1}, {'id': 2}], None)
    """
    count = _count_braced(data)
    try:
        rows: list[dict[str, Any]] = _decode_lines(data) if count else []
        spelt = _encode_lines(rows)
        _require_limits(spelt)
    except (ValueError, RecursionError):
        return None
    return rows if 0 < count == len(rows) and _has_colons(data, _count_colons(spelt)) else None


def decode_texts(texts: Sequence[str], kind: Any) -> tuple[list[Any], list[str]] | None:
    """Values and spellings of JSON texts, every one of which holds a value of type `kind`; None as above.

    >>> decode_texts(['{"b": 1, "a": 2}'], dict)
    ([{'b': 1, 'a': 2}], ['{"a":2,"b":1}'])
    """
    try:
        values = list(map(msgspec.json.Decoder(kind).decode, texts))
        spelt, data = _spell(values, set(map(type, values))), "\n".join(texts).encode()
    except (ValueError, RecursionError):
        return None
    return (values, _split(spelt)) if _has_colons(data, _count_colons(spelt)) else None


def spell_quickly(value: Any) -> str | None:
    """JSON that only equal values share, with sorted keys and without spaces; None where msgspec has none.

    >>> spell_quickly({"b": "é", "a": 1.0})
    '{"a":1.0,"b":"é"}'
    """
    try:
        return _encode(value).decode()
    except (ValueError, OverflowError, RecursionError):
        return None


def escape(spelling: str) -> str:
    r"""What `spell_quickly` wrote, in ASCII where that is easy.

    >>> print(escape(spell_quickly(["é"])))
    ["\u00e9"]
    """
    escaped = spelling.encode("ascii", "backslashreplace").decode()
    # JSON has neither \x nor \U, but for a backslash that is escaped itself.
    return spelling if "\\U" in escaped or "\\\\" in spelling else escaped.replace("\\x", "\\u00")


@lru_cache(maxsize=64)
def _row_decoder(fields: tuple[tuple[str, Any], ...]) -> msgspec.json.Decoder[Any]:
    members = [
        (f"f{at}", kind, msgspec.field(name=name, default=MISSING)) for at, (name, kind) in enumerate(fields)
    ]
    return msgspec.json.Decoder(msgspec.defstruct("Row", members, forbid_unknown_fields=True, gc=False))


def _spell(column: list[Any], kinds: set[type]) -> bytes:
    """JSON Lines of a column; empty where there are only texts and what holds no text."""
    if kinds <= _STRINGLESS | {str}:
        return b""
    missing = msgspec.UnsetType in kinds
    spelt = _encode_lines([None if value is MISSING else value for value in column] if missing else column)
    _require_limits(spelt)
    return spelt


def _require_limits(lines: bytes) -> None:
    """D2 for what msgspec takes: a level needs two brackets, so that short lines are within all limits."""
    ends = np.flatnonzero(np.frombuffer(lines, np.uint8) == _NEWLINE)
    if np.diff(ends, prepend=-1).max(initial=0) <= 2 * MAX_DEPTH:
        return
    for line in lines.split(b"\n"):
        if len(line) >= 2 * MAX_DEPTH and line.count(b"{") + line.count(b"[") >= MAX_DEPTH:
            raise _Unsure
    if _LONG_DIGITS.search(lines):
        raise _Unsure


def _count_braced(data: bytes) -> int:
    """The number of lines, when every one is something in braces; else 0."""
    if not data.startswith(b"{") or not data.endswith((b"}", b"}\n")):
        return 0
    characters = np.frombuffer(data, np.uint8)
    breaks = np.concatenate([at + np.flatnonzero(piece == _NEWLINE) for at, piece in _pieces(data)])
    breaks = breaks[:-1] if data.endswith(b"\n") else breaks
    braced = np.all(characters[breaks - 1] == _CLOSE) and np.all(characters[breaks + 1] == _OPEN)
    return len(breaks) + 1 if braced else 0


def _count_key(name: str, column: list[Any], kinds: set[type]) -> int:
    """The colons behind and inside of a key, in all rows that have it."""
    missing = column.count(MISSING) if msgspec.UnsetType in kinds else 0
    return (len(column) - missing) * (1 + name.count(":"))


def _count_colons_in(column: list[Any], kinds: set[type], spelt: bytes) -> int:
    """The colons of the values of a column, whose spelling is empty where it holds only texts."""
    if spelt or str not in kinds:
        return _count_colons(spelt)
    texts = column if kinds == {str} else [value for value in column if type(value) is str]
    return sum(map(_count_colons_of, in_groups(texts)))


def _count_colons_of(texts: Sequence[str]) -> int:
    joined = "\n".join(texts)
    if joined.isascii():
        return _count_colons(joined.encode())
    # ASCII is UTF-8 as it stands; to convert a text takes ten times as long as to count in it.
    plain, others = filter(str.isascii, texts), (text for text in texts if not text.isascii())
    return _count_colons("\n".join(plain).encode()) + _count_colons("\n".join(others).encode())


def _count_colons(data: bytes) -> int:
    return count_bytes(data, _COLON)


def count_bytes(data: bytes, value: int) -> int:
    """How often a byte stands in `data`: `bytes.count`, several times faster.

    >>> count_bytes(b"a:b:", ord(":"))
    2
    """
    return sum(int(np.count_nonzero(piece == value)) for _, piece in _pieces(data))


def _has_colons(data: bytes, count: int) -> bool:
    r"""Whether JSON has no more colons than `count`, those that its decoded keys and strings account for.

    msgspec keeps the last of two equal keys (D3). Each member has a colon, so none was lost when none is
    missing; but for those that are spelt as an escape, `\u003a`.
    """
    return _count_colons(data) == count and not (_may_escape(data) and b"\\u003" in data)


def _may_escape(data: bytes) -> bool:
    """Whether a backslash, a u and two places on a 3 stand anywhere: told sooner than where they stand."""
    for _, piece in _pieces(data, overlap=4):
        found = piece[:-4] == _BACKSLASH
        found &= piece[1:-3] == _U
        found &= piece[4:] == _THREE
        if found.any():
            return True
    return False


def _pieces(data: bytes, *, overlap: int = 0) -> Iterator[tuple[int, ByteArray]]:
    """Parts of the bytes, with the place where each begins, and the first ones of the next part."""
    characters = np.frombuffer(data, np.uint8)
    for at in range(0, len(data), GROUP_SIZE):
        yield at, characters[at : at + GROUP_SIZE + overlap]


def _split(lines: bytes) -> list[str]:
    return lines.decode().split("\n")[:-1]
