"""Columns of values as integer codes: what makes aggregates over a million rows array operations."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

from faircall.metrics.values import MISSING, identity, value_under

if TYPE_CHECKING:
    from numpy.typing import NDArray

    IntArray: TypeAlias = NDArray[np.int64]
    BoolArray: TypeAlias = NDArray[np.bool_]

# Columns of one exact type whose members `==` tells apart (not float: 0.0 == -0.0 and nan != nan).
_UNIFORM: Final = ({int}, {bool})


@dataclass(frozen=True, slots=True)
class Labels:
    """One class per row.

    Attributes:
        codes: shape (rows,), index into `values`.
        table: the classes, of this column and of those encoded beside it.
    """

    codes: IntArray
    table: LevelTable

    @property
    def values(self) -> list[Any]:
        """One value per class, in order of first appearance; not each need occur in `codes`."""
        return self.table.values

    def mask(self, wanted: Any) -> BoolArray:
        """Which rows are of the class of `wanted`, by type and value; shape (rows,)."""
        code = self.table.find(wanted)
        hits: BoolArray = np.zeros(len(self.codes), np.bool_) if code is None else self.codes == code
        return hits

    def missing(self) -> BoolArray:
        """Which rows hold no value; shape (rows,)."""
        return self.mask(MISSING)


class LevelTable:
    """Gives equal values equal codes, across every column that it encodes.

    >>> LevelTable().encode(["a", "b", "a", 1, True]).codes.tolist()
    [0, 1, 0, 2, 3]
    """

    def __init__(self) -> None:
        """Start without classes."""
        self.values: list[Any] = []
        self._codes: defaultdict[Hashable, int] = defaultdict()
        self._codes.default_factory = self._codes.__len__

    def encode_under(self, rows: Sequence[Any], key: str | None) -> Labels:
        """The class codes of what `rows` hold under `key` (`value_under`)."""
        if key is None:
            return self.encode(rows)
        if len(rows) and type(value_under(rows[0], key)) is str:
            codes = self._encode_texts(map(itemgetter(key), rows), len(rows))
            if codes is not None:
                return Labels(codes, self)
        return self.encode(column_under(rows, key))

    def encode(self, column: Sequence[Any]) -> Labels:
        """The class codes of `column`, at C speed when all its values are texts, integers or booleans."""
        if len(column) and type(column[0]) is str:
            codes = self._encode_texts(column, len(column))
            if codes is not None:
                return Labels(codes, self)
        if set(map(type, column)) in _UNIFORM:
            code_of = {value: self._code(value) for value in dict.fromkeys(column)}
            return Labels(_map_to_codes(code_of.__getitem__, column), self)
        return Labels(_map_to_codes(self._code, column), self)

    def find(self, value: Any) -> int | None:
        """The code of the class of `value`, None when no column had it."""
        return self._codes.get(identity(value))

    def _encode_texts(self, column: Iterable[Any], count: int) -> IntArray | None:
        """Codes of a column of texts, which are their own identity; None, and no trace, if it is not one.

        Looking is cheaper afterwards: the types of the new classes are those of the column.
        """
        known = len(self.values)
        try:
            codes = np.fromiter(map(self._codes.__getitem__, column), np.int64, count)
        except (LookupError, TypeError):
            codes = None
        added = list(islice(self._codes, known, None))
        if codes is not None and set(map(type, added)) <= {str}:
            self.values.extend(added)
            return codes
        for key in added:
            del self._codes[key]
        return None

    def _code(self, value: Any) -> int:
        code = self._codes[identity(value)]
        if code == len(self.values):
            self.values.append(value)
        return code


def column_under(rows: Sequence[Any], key: str | None) -> Sequence[Any]:
    """What each row holds under `key` (`value_under`), at C speed when every row has it."""
    if key is None:
        return rows
    try:
        return list(map(itemgetter(key), rows))
    except (LookupError, TypeError):
        return [value_under(row, key) for row in rows]


def _map_to_codes(code_of: Callable[[Any], int], column: Sequence[Any]) -> IntArray:
    return np.fromiter(map(code_of, column), np.int64, len(column))
