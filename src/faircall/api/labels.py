"""Labelled samples as gold: a label file stands for a part of the rows, and only that part is scored."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from faircall.importing.columns import ColumnMap
from faircall.store.files import STANDARD_INPUT, JsonLine, read_json_lines


def is_label_file(path: Path | str) -> bool:
    """Whether the rows were drawn by `compare --export-labels`: they say how."""
    if str(path) == STANDARD_INPUT:
        return False
    first: Any = next(iter(read_json_lines(path))).value
    return isinstance(first, Mapping) and isinstance(first.get("sampling"), Mapping)


def keep_labelled(
    lines: Iterable[JsonLine], known: Container[str], *, columns: Mapping[str, str] | None = None
) -> Iterator[JsonLine]:
    """The rows whose id was labelled; rows without an id are left for the importer to refuse."""
    finder = ColumnMap(columns or {}, wanted=())
    for line in lines:
        row = line.value
        column = (
            finder.resolve(row.keys(), place=str(line.number)).get("id") if isinstance(row, dict) else None
        )
        if column is None or str(row[column]) in known:
            yield line
