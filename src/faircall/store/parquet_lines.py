"""Rows of Parquet as JSON values, and as the lines that a JSON Lines file of the same rows would have."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO, Final

from faircall.errors import DependencyMissing, FileUnreadable, RowInvalid

INVENTED_NULLS: Final = "arguments is a Parquet struct with nulls: keys that were never there cannot be told"
_ROWS_AT_A_TIME: Final = 1000


def load_pyarrow(label: str) -> Any:
    """The library that reads Parquet.

    Raises:
        DependencyMissing: it is not installed.
    """
    try:
        import pyarrow
    except ImportError:
        raise DependencyMissing(f"{label} needs pyarrow", hint="pip install 'faircall[parquet]'") from None
    return pyarrow


def count_group_rows(file: BinaryIO, label: str) -> list[int]:
    """Rows per row group, from the end of the file."""
    metadata = _open(file, label).metadata
    return [metadata.row_group(number).num_rows for number in range(metadata.num_row_groups)]


def read_parquet_lines(
    file: BinaryIO, label: str, *, groups: Sequence[int] | None = None, first: int = 1
) -> Iterator[bytes]:
    """One line of JSON per row, without its end, in the order of the file.

    Args:
        file: can be sought in.
        label: its name in messages.
        groups: the row groups to read; all by default.
        first: the number of the first row that is read, for messages.

    Raises:
        RowInvalid: a struct whose keys cannot be told.
        FileUnreadable: it is no Parquet.
    """
    pyarrow = load_pyarrow(label)
    opened = _open(file, label)
    number = first
    try:
        for batch in opened.iter_batches(
            _ROWS_AT_A_TIME, row_groups=None if groups is None else list(groups)
        ):
            for row in batch.to_pylist():
                yield _line(row, f"{label}:{number}")
                number += 1
    except (OSError, pyarrow.ArrowException) as error:
        raise _unreadable(label, error) from None


def _line(row: dict[str, Any], place: str) -> bytes:
    if has_invented_nulls(row):
        raise RowInvalid(f"{place}: {INVENTED_NULLS}", hint="store arguments as JSON text")
    return json.dumps(as_json(row), ensure_ascii=False).encode("utf-8", "surrogatepass")


def _open(file: BinaryIO, label: str) -> Any:
    pyarrow = load_pyarrow(label)
    from pyarrow import parquet

    try:
        return parquet.ParquetFile(file)
    except (OSError, pyarrow.ArrowException) as error:
        raise _unreadable(label, error) from None


def _unreadable(label: str, error: Exception) -> FileUnreadable:
    reason = " ".join(str(error).split())
    return FileUnreadable(f"{label} cannot be read as Parquet ({reason})", hint="check the file")


def has_invented_nulls(value: Any) -> bool:
    """Whether some `arguments` came out of a struct column with nulls, which its row may never have had.

    >>> has_invented_nulls({"gold": {"name": "f", "arguments": {"x": None}}})
    True
    """
    if isinstance(value, list):
        return any(map(has_invented_nulls, value))
    if not isinstance(value, dict):
        return False
    arguments = value.get("arguments")
    invented = isinstance(arguments, dict) and None in arguments.values()
    return invented or any(map(has_invented_nulls, value.values()))


def as_json(value: Any) -> Any:
    """A row of Parquet as JSON values: what JSON has no word for (dates, bytes) becomes its text.

    >>> as_json({"at": [b"x", 1.5, None]})
    {'at': ["b'x'", 1.5, None]}
    """
    if isinstance(value, dict):
        return {str(key): as_json(member) for key, member in value.items()}
    if isinstance(value, list):
        return [as_json(member) for member in value]
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)
