"""The tool confusion of one arm as a matrix that fits a page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from faircall.reporting.figures import at

Json = Mapping[str, Any]

SHOWN: Final = 24
"""Gold tools and called tools that a page shows; the JSON has all of them."""

NO_CALL: Final = "no_call"
UNKNOWN_TOOL: Final = "unknown_tool"
_SHADES: Final = 5


@dataclass(frozen=True, slots=True)
class Cell:
    """One count: where it stands below the row, and how dark it is. `place` is "" where there was none."""

    place: str
    shade: int
    right: bool


@dataclass(frozen=True, slots=True)
class HeatRow:
    """One gold tool; `index` is its place in the report."""

    gold: str
    index: int
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class HeatMap:
    """The rows with most examples, the tools called most, and how many of either are left out."""

    columns: tuple[str, ...]
    rows: tuple[HeatRow, ...]
    rows_left: int
    columns_left: int


def draw_heat_map(confusion: Sequence[Json]) -> HeatMap:
    """The matrix of `diagnosis.confusion`; the first two cells of a row are `no_call` and `unknown_tool`."""
    ranked = sorted(range(len(confusion)), key=lambda index: (-_missed(confusion[index]), index))
    shown = sorted(ranked[:SHOWN])
    called: Counter[str] = Counter()
    for index in shown:
        called.update(confusion[index]["predicted"])
        called[confusion[index]["gold"]] += 0
    names = sorted(called, key=lambda name: (-called[name], name))
    gold = [confusion[index]["gold"] for index in shown]
    others = [name for name in names if name not in gold][: max(0, SHOWN - len(gold))]
    columns = (*gold, *others)
    return HeatMap(
        columns=columns,
        rows=tuple(_row(confusion[index], index, columns) for index in shown),
        rows_left=len(confusion) - len(shown),
        columns_left=len(names) - len(columns),
    )


def _missed(row: Json) -> int:
    return int(row["examples"]) - int(row["predicted"].get(row["gold"], 0))


def _row(row: Json, index: int, columns: Sequence[str]) -> HeatRow:
    cells = [
        Cell(at(name) if row[name] else "", _shade(row[name], row["examples"]), right=False)
        for name in (NO_CALL, UNKNOWN_TOOL)
    ]
    cells += [
        Cell(
            at("predicted", name) if name in row["predicted"] else "",
            _shade(row["predicted"].get(name, 0), row["examples"]),
            right=name == row["gold"],
        )
        for name in columns
    ]
    return HeatRow(row["gold"], index, tuple(cells))


def _shade(count: int, examples: int) -> int:
    """0 for none, 1 to 5 by share of the row.

    >>> _shade(0, 4), _shade(1, 100), _shade(4, 4)
    (0, 1, 5)
    """
    return -(-_SHADES * count // examples) if examples else 0
