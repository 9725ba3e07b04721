"""A list of unit results that keeps its columns until somebody touches a row."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from faircall.metrics.unit_metrics.unit_metric_result import UnitMetricResult

if TYPE_CHECKING:
    from faircall.metrics.columns import ResultColumns

_TOUCHING = (
    "__getitem__", "__setitem__", "__delitem__", "__iter__", "__reversed__", "__contains__",
    "__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__add__", "__iadd__", "__mul__",
    "__rmul__", "__imul__", "__repr__", "append", "clear", "copy", "count", "extend", "index",
    "insert", "pop", "remove", "reverse", "sort",
)  # fmt: skip


class UnitResults(list[UnitMetricResult]):
    """A `list[UnitMetricResult]` in every respect, built from columns on the first touch of a row.

    Aggregator metrics read `columns` and build no row. From the first touch on the rows can have been
    changed, so the columns are given up and aggregators read the rows. Until then the storage holds None at
    each position, so code that bypasses the list protocol sees the right length and fails loudly on use.
    """

    __slots__ = ("_columns",)
    __hash__ = None

    def __init__(self, columns: ResultColumns) -> None:
        """Stand for the rows of `columns`."""
        super().__init__([None] * len(columns))  # type: ignore[list-item]
        self._columns: ResultColumns | None = columns

    @property
    def columns(self) -> ResultColumns | None:
        """The columns, None once a row was touched."""
        return self._columns

    def build_rows(self) -> None:
        """Make the rows now and give up the columns; does nothing the second time."""
        columns, self._columns = self._columns, None
        if columns is not None:
            list.__setitem__(self, slice(None), columns.rows())

    def __radd__(self, other: list[UnitMetricResult]) -> list[UnitMetricResult]:
        """`plain list + these`: a plain list, as for two plain lists."""
        return other + list(self)

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        """Pickle and copy as a plain list of rows."""
        return (list, (list(self),))


def _touching(name: str) -> Callable[..., Any]:
    inherited = getattr(list, name)

    def touch(self: UnitResults, *args: Any, **kwargs: Any) -> Any:
        self.build_rows()
        return inherited(self, *args, **kwargs)

    touch.__name__ = name
    touch.__doc__ = inherited.__doc__
    return touch


for _name in _TOUCHING:
    setattr(UnitResults, _name, _touching(_name))
