"""Bringing golden and predicted rows together: by id where rows have one, by position otherwise."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from faircall.errors import ColumnUnknown, DataError, DuplicateId, IdMismatch
from faircall.metrics.values import MISSING, identity, text_of


def order_like(golden: Sequence[Any], predicted: Sequence[Any], *, id_key: str | None) -> list[int]:
    """For each golden row, the position of its predicted row.

    Rows whose ids stand in one order are paired as they stand, so that ids may repeat (several samples of an
    item). Otherwise every id must be unique and on both sides.

    Args:
        golden: rows. predicted: rows.
        id_key: the field that holds the id; None to pair by position.

    Raises:
        DataError: paired by position, and the numbers of rows differ.
        IdMismatch: an id that only one side has.
        DuplicateId: an id twice, and the order differs.
        ColumnUnknown: a row without the id.

    >>> order_like([{"id": 1}, {"id": 2}], [{"id": 2}, {"id": 1}], id_key="id")
    [1, 0]
    """
    if id_key is None:
        if len(golden) != len(predicted):
            raise DataError(
                f"golden has {len(golden)} rows and predicted has {len(predicted)}",
                hint="rows are paired by position; give every row an id, or complete the file",
            )
        return list(range(len(golden)))
    wanted, found = _ids(golden, id_key, side="golden"), _ids(predicted, id_key, side="predicted")
    if wanted == found:
        return list(range(len(golden)))
    positions = _positions(found, predicted, id_key=id_key, side="predicted")
    _refuse_unpaired(wanted, positions.keys(), rows=golden, id_key=id_key, other="predicted")
    known = _positions(wanted, golden, id_key=id_key, side="golden").keys()
    _refuse_unpaired(found, known, rows=predicted, id_key=id_key, other="golden")
    return [positions[one] for one in wanted]


def common_id_key(golden: Sequence[Any], predicted: Sequence[Any], *, name: str = "id") -> str | None:
    """`name`, when every row of both sides is an object that has it; else None."""
    has_id = all(isinstance(row, Mapping) and name in row for rows in (golden, predicted) for row in rows)
    return name if has_id else None


def _ids(rows: Sequence[Any], id_key: str, *, side: str) -> list[Hashable]:
    for position, row in enumerate(rows):
        if not isinstance(row, Mapping) or id_key not in row:
            raise ColumnUnknown(f"{side} row {position + 1} has no {id_key!r}", hint="every row needs its id")
    return [identity(row[id_key]) for row in rows]


def _positions(
    ids: Sequence[Hashable], rows: Sequence[Any], *, id_key: str, side: str
) -> dict[Hashable, int]:
    positions: dict[Hashable, int] = {}
    for position, one in enumerate(ids):
        if positions.setdefault(one, position) != position:
            name = text_of(rows[position][id_key])
            raise DuplicateId(
                f"{side} has {id_key} {name} twice", hint="repeated ids need the same order on both sides"
            )
    return positions


def _refuse_unpaired(
    ids: Sequence[Hashable], known: Any, *, rows: Sequence[Any], id_key: str, other: str
) -> None:
    unpaired = [position for position, one in enumerate(ids) if one not in known]
    if unpaired:
        name = text_of(rows[unpaired[0]].get(id_key, MISSING))
        raise IdMismatch(
            f"{other} has no row with {id_key} {name} ({len(unpaired)} such rows)",
            hint="a missing prediction is a wrong one: add the row without a value",
        )
