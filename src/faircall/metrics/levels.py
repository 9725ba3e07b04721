"""Columns of values as integer codes: what makes aggregates over a million rows array operations."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from itertools import count, islice
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
        values: one value per class, in order of first appearance; `MISSING` may be among them. A table that
            two columns share lists the classes of both, so a value here need not occur in `codes`.
    """

    codes: IntArray
    values: list[Any]

    def mask(self, wanted: Any) -> BoolArray:
        """Which rows are of the class of `wanted`, by type and value; shape (rows,)."""
        target = identity(wanted)
        hits = np.fromiter((identity(value) == target for value in self.values), np.bool_, len(self.values))
        return hits[self.codes] if len(self.codes) else np.zeros(0, np.bool_)

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
        self._codes: defaultdict[Hashable, int] = defaultdict(count().__next__)

    def encode(self, column: Sequence[Any]) -> Labels:
        """The class codes of `column`, at C speed when all its values are texts, integers or booleans."""
        kinds = set(map(type, column))
        if kinds == {str}:
            codes = _map_to_codes(self._codes.__getitem__, column)
            self.values.extend(islice(self._codes, len(self.values), None))
        elif kinds in _UNIFORM:
            code_of = {value: self._code(value) for value in dict.fromkeys(column)}
            codes = _map_to_codes(code_of.__getitem__, column)
        else:
            codes = _map_to_codes(self._code, column)
        return Labels(codes, self.values)

    def _code(self, value: Any) -> int:
        code = self._codes[identity(value)]
        if code == len(self.values):
            self.values.append(value)
        return code


def column_under(rows: Sequence[Any], key: str | None) -> Sequence[Any]:
    """What each row holds under `key` (`value_under`, at C speed when every row is a dict that has it)."""
    if key is None:
        return rows
    if set(map(type, rows)) == {dict}:
        try:
            return list(map(itemgetter(key), rows))
        except KeyError:
            return [row.get(key, MISSING) for row in rows]
    return [value_under(row, key) for row in rows]


def _map_to_codes(code_of: Callable[[Any], int], column: Sequence[Any]) -> IntArray:
    return np.fromiter(map(code_of, column), np.int64, len(column))
