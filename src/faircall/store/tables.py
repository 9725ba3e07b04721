"""Tables of rows from JSON Lines, CSV or Parquet, with the place of every row for error messages."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

from faircall.errors import DependencyMissing, FileUnreadable, RowInvalid
from faircall.store.files import describe_path, read_json_lines


class Table(NamedTuple):
    """The rows of one file, and where each of them stands."""

    label: str
    rows: list[Any]
    numbers: list[int]

    def place(self, position: int) -> str:
        """File and line (in Parquet: row) of the row at `position`, counted from 0."""
        return f"{self.label}:{self.numbers[position]}"


class _Row(NamedTuple):
    number: int
    value: Any


def read_table(path: Path | str) -> Table:
    """Every row of a file: `.csv` and `.parquet` by their ending, JSON Lines (also gzip, `-`) otherwise.

    A CSV row becomes an object of texts under the names of the first line; a Parquet row an object of values.

    Raises:
        FileUnreadable: missing, not readable, or without rows.
        RowInvalid: a line that is not JSON, or has more or fewer cells than there are names.
        DependencyMissing: Parquet without pyarrow.
    """
    read = _READERS.get(Path(path).suffix.lower(), read_json_lines)
    rows, numbers = [], []
    for number, value in read(path):
        rows.append(value)
        numbers.append(number)
    if not rows:
        raise FileUnreadable(f"{describe_path(path)} holds no rows", hint="a header alone is not enough")
    return Table(describe_path(path), rows, numbers)


def _read_csv(path: Path | str) -> Iterator[tuple[int, Any]]:
    reader = csv.reader(io.StringIO(_read_text(path), newline=""), strict=True)
    try:
        names = next(reader, [])
        if len(set(names)) < len(names):
            raise RowInvalid(f"{path}:1: a column name is repeated", hint="every column needs its own name")
        for cells in reader:
            if not cells:
                continue
            if len(cells) != len(names):
                problem = f"{path}:{reader.line_num}: {len(cells)} cells under {len(names)} names"
                raise RowInvalid(problem, hint="quote cells that hold commas or line breaks")
            yield _Row(reader.line_num, dict(zip(names, cells, strict=True)))
    except csv.Error as error:
        raise RowInvalid(f"{path}:{reader.line_num}: not CSV: {error}", hint="RFC 4180 is read") from None


def _read_text(path: Path | str) -> str:
    try:
        return Path(path).read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileUnreadable(f"{path} is not UTF-8 (byte {error.start})", hint="save it as UTF-8") from None
    except OSError as error:
        raise FileUnreadable(f"{path} cannot be read ({error.strerror})", hint="check the path") from None


def _read_parquet(path: Path | str) -> Iterator[tuple[int, Any]]:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise DependencyMissing(
            "reading Parquet needs pyarrow", hint="pip install 'faircall[parquet]'"
        ) from error
    try:
        rows = parquet.read_table(path).to_pylist()
    except (OSError, pyarrow.ArrowException) as error:
        reason = " ".join(str(error).split())
        raise FileUnreadable(f"{path} cannot be read as Parquet ({reason})", hint="check the file") from None
    yield from (_Row(number, row) for number, row in enumerate(rows, start=1))


_READERS: Final[dict[str, Callable[[Path | str], Iterator[tuple[int, Any]]]]] = {
    ".csv": _read_csv,
    ".parquet": _read_parquet,
}
