"""Foreign files as numbered records, where one bad record is a fault of that record and stops nothing.

JSON Lines (gzip, zstd), one JSON document (an array is its elements), CSV and TSV, Parquet, and zip archives
of JSON files (`.eval`). What a file is, is told by content; only CSV and TSV by name.
"""

from __future__ import annotations

import csv
import glob
import gzip
import io
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

from faircall.errors import FileUnreadable
from faircall.store.files import STANDARD_INPUT, describe_path
from faircall.store.locations import open_anywhere
from faircall.store.parquet_lines import as_json, fault_of_arguments, load_pyarrow
from faircall.strict_json import JsonFault, decode

_BOM: Final = b"\xef\xbb\xbf"
_GZIP: Final = b"\x1f\x8b"
_ZSTD: Final = b"\x28\xb5\x2f\xfd"
_ZIP: Final = b"PK\x03\x04"
_PARQUET: Final = b"PAR1"
_SEPARATORS: Final = {".csv": ",", ".tsv": "\t"}
_FAULTS: Final = {
    "limit": "the record goes past a limit of JSON here",
    "unbalanced": "the record is not valid JSON",
    "bad_json": "the record is not valid JSON",
    "duplicate_key": "the record repeats a key",
}


class SourceRecord(NamedTuple):
    """One record: its number (the line where there are lines), and its value or why it has none."""

    number: int
    value: Any
    fault: str | None = None


def expand_paths(patterns: list[str]) -> list[str]:
    """The files that paths and glob patterns name, in order, each once.

    Raises:
        FileUnreadable: a pattern that no file matches.
    """
    found: dict[str, None] = {}
    for pattern in patterns:
        matches = sorted(glob.glob(pattern, recursive=True)) if glob.has_magic(pattern) else [pattern]
        if not matches:
            raise FileUnreadable(
                f"no file matches {pattern}", hint="quote a pattern so that the shell keeps it"
            )
        found.update(dict.fromkeys(matches))
    return list(found)


def read_source(path: Path | str) -> Iterator[SourceRecord]:
    """The records of a file of any of the forms above.

    Raises:
        FileUnreadable: missing, a folder, broken packing, or not of the form that it begins with.
        DependencyMissing: Parquet, zstd or a remote path without the package that reads it.
    """
    label = describe_path(path)
    try:
        data = _unpack(_read_bytes(path), label)
        yield from _records(data, label)
    except (OSError, EOFError, zlib.error, zipfile.BadZipFile) as error:
        reason = getattr(error, "strerror", None) or error
        raise FileUnreadable(
            f"{label} cannot be read ({reason})", hint="check the path and the file"
        ) from None


def _read_bytes(path: Path | str) -> bytes:
    """The whole file: foreign files are read once, and some forms (Parquet, zip) end with their index."""
    if str(path) == STANDARD_INPUT:
        import sys

        return sys.stdin.buffer.read()
    with open_anywhere(str(path)) as file:
        return file.read()


def _unpack(data: bytes, label: str) -> bytes:
    if data.startswith(_GZIP):
        return gzip.decompress(data)
    if data.startswith(_ZSTD):
        return load_pyarrow(label).CompressedInputStream(io.BytesIO(data), "zstd").read()  # type: ignore[no-any-return]
    return data


def _records(data: bytes, label: str) -> Iterator[SourceRecord]:
    if not data.strip():
        raise FileUnreadable(f"{label} holds no rows", hint="it is empty")
    name = label.removesuffix(".gz").removesuffix(".zst")
    separator = _SEPARATORS.get(Path(name).suffix.lower())
    if data.startswith(_PARQUET):
        yield from _read_parquet(data, label)
    elif data.startswith(_ZIP):
        yield from _read_archive(data)
    elif separator is not None:
        yield from _read_table(data, separator)
    elif (document := _whole_document(data)) is not None:
        yield from document
    else:
        yield from _read_lines(data)


def _whole_document(data: bytes) -> list[SourceRecord] | None:
    """The file as one document: an array, or an object over several lines; None for JSON Lines."""
    text = data.removeprefix(_BOM).lstrip()
    first, _, rest = text.partition(b"\n")
    if not rest.strip() or not text.startswith((b"[", b"{")):
        value = _decode(data.removeprefix(_BOM)) if text.startswith(b"[") else None
        return None if value is None or value.fault is not None else _elements(value.value)
    if _decode(first).fault is None:
        return None
    whole = _decode(text)
    return None if whole.fault is not None else _elements(whole.value)


def _elements(value: Any) -> list[SourceRecord]:
    values = value if isinstance(value, list) else [value]
    return [SourceRecord(number, element) for number, element in enumerate(values, start=1)]


def _read_lines(data: bytes) -> Iterator[SourceRecord]:
    for number, line in enumerate(data.removeprefix(_BOM).split(b"\n"), start=1):
        if line.strip():
            yield _decode(line)._replace(number=number)


def _decode(data: bytes) -> SourceRecord:
    try:
        return SourceRecord(1, decode(data.decode("utf-8")))
    except UnicodeDecodeError:
        return SourceRecord(1, None, "the record is not UTF-8")
    except JsonFault as fault:
        return SourceRecord(1, None, _FAULTS[fault.reason])


def _read_table(data: bytes, separator: str) -> Iterator[SourceRecord]:
    """Rows of a table with a header; every cell is text, and a row of another width is a fault."""
    text = data.removeprefix(_BOM).decode("utf-8", errors="surrogateescape")
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    header: list[str] = []
    while True:
        number = reader.line_num + 1
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield SourceRecord(number, None, f"the row is not {separator!r}-separated text ({error})")
            return
        if not header:
            header = row
        elif row:
            yield _table_row(number, header, row)


def _table_row(number: int, header: list[str], row: list[str]) -> SourceRecord:
    if len(row) != len(header):
        return SourceRecord(number, None, f"the row has {len(row)} cells, the header {len(header)}")
    if any("\udc80" <= character <= "\udcff" for cell in row for character in cell):
        return SourceRecord(number, None, "the record is not UTF-8")
    return SourceRecord(number, dict(zip(header, row, strict=True)))


def _read_parquet(data: bytes, label: str) -> Iterator[SourceRecord]:
    load_pyarrow(label)
    import pyarrow.parquet

    table = pyarrow.parquet.read_table(io.BytesIO(data))
    for number, row in enumerate(table.to_pylist(), start=1):
        fault = fault_of_arguments(row)
        yield SourceRecord(number, None if fault else as_json(row), fault)


def _read_archive(data: bytes) -> Iterator[SourceRecord]:
    """Every JSON file of an archive, by name; a `.eval` log keeps its samples under `samples/`."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        names = sorted(name for name in archive.namelist() if name.endswith(".json"))
        samples = [name for name in names if name.startswith("samples/")] or names
        for number, name in enumerate(samples, start=1):
            try:
                yield _decode(archive.read(name))._replace(number=number)
            except NotImplementedError:
                yield SourceRecord(number, None, f"{name} is packed in a way that cannot be read here")
