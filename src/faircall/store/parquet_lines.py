"""Rows of Parquet as JSON values, and as the lines that a JSON Lines file of the same rows would have."""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO, Final

from faircall.errors import DependencyMissing, FileUnreadable, RowInvalid

_INVENTED_NULLS: Final = "arguments is a Parquet struct with nulls: keys that were never there cannot be told"
_FOREIGN_VALUE: Final = "arguments hold a value of type {kind}, whose spelling in JSON cannot be told"
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
    fault = fault_of_arguments(row)
    if fault is not None:
        raise RowInvalid(f"{place}: {fault}", hint="store arguments as JSON text")
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


def fault_of_arguments(row: dict[str, Any]) -> str | None:
    """Why the `arguments` somewhere in a row cannot be told; None where they can.

    A struct column gives every row the keys of all rows, with nulls that its row may never have had.

    >>> fault_of_arguments({"gold": {"name": "f", "arguments": {"x": b"\\xff"}}})
    'arguments hold a value of type bytes, whose spelling in JSON cannot be told'
    """
    if _has_invented_nulls(row):
        return _INVENTED_NULLS
    kinds = (type(value).__name__ for value in _foreign_values(row, inside=False))
    return next((_FOREIGN_VALUE.format(kind=kind) for kind in kinds), None)


def _has_invented_nulls(value: Any) -> bool:
    if isinstance(value, list):
        return any(map(_has_invented_nulls, value))
    if not isinstance(value, dict):
        return False
    arguments = value.get("arguments")
    invented = isinstance(arguments, dict) and None in arguments.values()
    return invented or any(map(_has_invented_nulls, value.values()))


def _foreign_values(value: Any, *, inside: bool) -> Iterator[Any]:
    """What stands in some `arguments` and is no value of JSON: a date, a decimal, NaN."""
    if isinstance(value, dict):
        for key, member in value.items():
            yield from _foreign_values(member, inside=inside or key == "arguments")
    elif isinstance(value, (list, tuple)):
        for member in value:
            yield from _foreign_values(member, inside=inside)
    elif inside and not _is_json(_text_of(value) if isinstance(value, bytes) else value):
        yield value


def _is_json(value: Any) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    return value is None or isinstance(value, (bool, int, str))


def as_json(value: Any) -> Any:
    """A row of Parquet as JSON values: what JSON has no word for (dates, infinities) becomes its text.

    Bytes are text where they are UTF-8, and an object elsewhere, which no field takes for text. NaN is a
    value that is missing; a map is an object.

    >>> as_json({"at": [b"x", 1.5, None, float("nan")], "map": [("k", b"\\xff")]})
    {'at': ['x', 1.5, None, None], 'map': {'k': {'base64': '/w=='}}}
    """
    if isinstance(value, dict):
        return {str(key): as_json(member) for key, member in value.items()}
    if isinstance(value, list):
        return as_json(dict(value)) if _is_map(value) else [as_json(member) for member in value]
    if isinstance(value, bytes):
        return _text_of(value)
    if isinstance(value, float) and math.isnan(value):
        return None
    return value if _is_json(value) else str(value)


def _is_map(value: list[Any]) -> bool:
    """Arrow gives a map as pairs, and pairs for nothing else; a key that is repeated makes no object."""
    pairs = bool(value) and all(isinstance(member, tuple) for member in value)
    return pairs and len({str(key) for key, _ in value}) == len(value)


def _text_of(value: bytes) -> Any:
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(value).decode("ascii")}
