"""A table of rows that lies in several files: their order, their lines, and parts that can be read apart.

files, patterns, folders, URLs --> partitions (in order) --> parts (bytes or row groups) --> blocks of lines

The rows of a table are those of its partitions one after the other, whoever reads them. JSON Lines (gzip too)
and Parquet; a row of Parquet is read as the line that a JSON Lines file of the same rows would have.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, takewhile
from typing import Any, BinaryIO, Final

from faircall.errors import FileUnreadable, RowInvalid, UsageError
from faircall.store.files import (
    MAX_LINE_BYTES,
    STANDARD_INPUT,
    JsonLine,
    LineBlock,
    decode_lines,
    describe_path,
    read_blocks,
    read_json_lines,
)
from faircall.store.locations import (
    expand_pattern,
    is_folder,
    is_remote,
    list_folder,
    open_anywhere,
    size_of,
)
from faircall.store.parquet_lines import count_group_rows, read_parquet_lines

_PARQUET: Final = (".parquet", ".pq")
_LINES: Final = (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz")
_BOM: Final = b"\xef\xbb\xbf"
_GZIP: Final = b"\x1f\x8b"
_ROWS_OF_A_BLOCK: Final = 1000


@dataclass(frozen=True, slots=True)
class Part:
    """Some rows of one partition: all of them, or those in a range.

    Attributes:
        path: the partition.
        start: the first byte, or the first row group.
        stop: behind the last one; None is the end of the file. A line belongs to the part that it begins in.
        first: the number of the first row of Parquet.
    """

    path: str
    start: int = 0
    stop: int | None = None
    first: int = 1


class RowNumber(int):
    """The number of a row in the whole table, which reads as its file and line in a message.

    >>> number = RowNumber.at(7, "b.jsonl", 3)
    >>> f"rows:{number}", number == 7
    ('rows:b.jsonl:3', True)
    """

    place: str

    @classmethod
    def at(cls, number: int, name: str, line: int) -> RowNumber:
        """Row `number` of the table, which is line `line` of a file."""
        made = cls(number)
        made.place = f"{name}:{line}"
        return made

    def __str__(self) -> str:
        return self.place

    def __format__(self, spec: str) -> str:
        return self.place


def find_partitions(named: Sequence[str]) -> list[str]:
    """The files that paths, patterns, folders and URLs name, each once, in their order; of a folder by path.

    Raises:
        FileUnreadable: a pattern or folder without files.
        UsageError: standard input beside others.
    """
    found: dict[str, None] = {}
    for name in named:
        if name == STANDARD_INPUT and len(named) > 1:
            raise UsageError("standard input is one file by itself", hint="give - alone, or name files")
        files = [file for match in expand_pattern(name) for file in _files_of(match)]
        if not files:
            raise FileUnreadable(
                f"{name} names no file of rows",
                hint=f"partitions end with {', '.join((*_LINES, *_PARQUET))}; quote a pattern",
            )
        found.update(dict.fromkeys(files))
    return list(found)


def _files_of(match: str) -> list[str]:
    if not is_folder(match):
        return [match]
    return [file for file in list_folder(match) if file.lower().endswith((*_LINES, *_PARQUET))]


def is_table(path: str) -> bool:
    """Whether a file is Parquet, by its name.

    >>> is_table("rows/part-0.parquet"), is_table("rows.jsonl.gz")
    (True, False)
    """
    return path.lower().endswith(_PARQUET)


def common_name(partitions: Sequence[str]) -> str:
    """What messages call all of them together: the one file, or the folder that holds them.

    >>> common_name(["a/rows/1.jsonl", "a/rows/2.jsonl"]), common_name(["a/1.jsonl"])
    ('a/rows', 'a/1.jsonl')
    """
    if len(partitions) == 1:
        return partitions[0]
    steps = zip(*(path.split("/")[:-1] for path in partitions), strict=False)
    shared = "/".join(step[0] for step in takewhile(lambda step: len(set(step)) == 1, steps))
    return shared or f"{len(partitions)} files"


def read_lines(partitions: Sequence[str]) -> Iterator[JsonLine]:
    """The rows of all partitions, numbered through; a number reads as file and line.

    Raises:
        FileUnreadable, RowInvalid: as `read_json_lines`.
    """
    if len(partitions) == 1:
        yield from _some_rows(_lines_of(partitions[0]), partitions[0])
        return
    folder, number, rows = common_name(partitions), 0, 0
    for path in partitions:
        name = path.removeprefix(f"{folder}/")
        base = number
        for line, value in _lines_of(path):
            number, rows = base + line, rows + 1
            yield JsonLine(RowNumber.at(number, name, line), value)
    if not rows:
        raise FileUnreadable(f"{folder} holds no rows", hint="every partition is empty")


def open_rows(named: str) -> tuple[Iterator[JsonLine], str]:
    """The rows that one path, pattern, folder or URL names, and what messages call them.

    Raises:
        FileUnreadable, RowInvalid: as `find_partitions` and `read_lines`.
    """
    if is_one_plain_file([named]):
        return read_json_lines(named), describe_path(named)
    partitions = find_partitions([named])
    return read_lines(partitions), common_name(partitions)


def _some_rows(lines: Iterator[JsonLine], label: str) -> Iterator[JsonLine]:
    first = next(lines, None)
    if first is None:
        raise FileUnreadable(f"{label} holds no rows", hint="give a file with rows")
    yield first
    yield from lines


def _lines_of(path: str) -> Iterator[JsonLine]:
    if not is_table(path):
        yield from read_json_lines(path, empty_ok=True)
        return
    with _open(path) as file:
        for number, line in enumerate(read_parquet_lines(file, path), start=1):
            yield from decode_lines([line], label=path, number=number)


def plan_parts(partitions: Sequence[str], *, size: int) -> list[Part]:
    """Cut partitions into parts of about `size` bytes, in order; gzip cannot be cut.

    Raises:
        FileUnreadable: a partition that is not there.
    """
    return [part for path in partitions for part in _parts_of(path, size)]


def _parts_of(path: str, size: int) -> list[Part]:
    if is_table(path):
        return _groups_of(path, size)
    try:
        length = size_of(path)
    except OSError as error:
        raise _unreadable(path, error) from None
    if length <= size or _is_packed(path):
        return [Part(path)]
    cuts = range(0, length, size)
    return [Part(path, cut, min(cut + size, length)) for cut in cuts]


def _groups_of(path: str, size: int) -> list[Part]:
    with _open(path) as file:
        rows = count_group_rows(file, path)
    starts = [1 + sum(rows[:number]) for number in range(len(rows))]
    return [Part(path, number, number + 1, first=starts[number]) for number in range(len(rows))]


def read_part(part: Part, *, size: int) -> Iterator[LineBlock]:
    """The lines of a part in blocks of about `size` bytes.

    Raises:
        FileUnreadable, RowInvalid: as `read_blocks`; in a part that does not begin its file, lines are
            numbered from its beginning.
    """
    if is_table(part.path):
        yield from _table_blocks(part)
    elif part.start == 0 and part.stop is None:
        yield from read_blocks(part.path, size=size)
    else:
        with _open(part.path) as file:
            yield from _blocks_in(file, part, size)


def _table_blocks(part: Part) -> Iterator[LineBlock]:
    groups = None if part.stop is None else range(part.start, part.stop)
    with _open(part.path) as file:
        lines = read_parquet_lines(file, part.path, groups=groups, first=part.first)
        number = part.first
        while block := list(islice(lines, _ROWS_OF_A_BLOCK)):
            yield LineBlock(number, b"\n".join(block))
            number += len(block)


def _blocks_in(file: BinaryIO, part: Part, size: int) -> Iterator[LineBlock]:
    """The lines that begin in the range: what is left of an earlier one is skipped."""
    assert part.stop is not None
    place = part.start
    if place:
        file.seek(place - 1)
        place += len(file.readline()) - 1
    number = 1
    while place < part.stop:
        data = file.read(min(size, part.stop - place))
        if not data:
            return
        data += b"" if data.endswith(b"\n") else _rest_of_line(file, data, part.path)
        yield LineBlock(number, data.removeprefix(_BOM) if place == 0 else data)
        place += len(data)
        number += data.count(b"\n")


def _rest_of_line(file: BinaryIO, data: bytes, label: str) -> bytes:
    rest = file.readline(MAX_LINE_BYTES)
    if len(data) - data.rfind(b"\n") - 1 + len(rest) > MAX_LINE_BYTES:
        raise RowInvalid(f"{label}: a line is too long", hint="one JSON object per line is expected")
    return rest


def _is_packed(path: str) -> bool:
    with _open(path) as file:
        return bool(file.read(2) == _GZIP)


def _open(path: str) -> Any:
    try:
        return open_anywhere(path)
    except OSError as error:
        raise _unreadable(path, error) from None


def _unreadable(path: str, error: OSError) -> FileUnreadable:
    missing = isinstance(error, FileNotFoundError)
    reason = "does not exist" if missing else f"cannot be read ({error.strerror or error})"
    return FileUnreadable(f"{path} {reason}", hint="check the path and the file")


def is_one_plain_file(named: Sequence[str]) -> bool:
    """Whether a command line names one file of lines on this machine, or standard input."""
    (name, *others) = named
    if others or is_remote(name) or (name != STANDARD_INPUT and (is_table(name) or is_folder(name))):
        return False
    return expand_pattern(name) == [name]
