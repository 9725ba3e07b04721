"""Files in: streamed JSON Lines with line numbers in every error, and single JSON values."""

from __future__ import annotations

import contextlib
import gzip
import io
import itertools
import sys
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple, NoReturn, cast

import msgspec

from faircall.errors import FileUnreadable, RowInvalid
from faircall.store.locations import is_remote, open_anywhere
from faircall.strict_json import MAX_DEPTH, MAX_DIGITS, JsonFault, decode

MAX_LINE_BYTES: Final = 64 * 1024 * 1024
"""A longer line is refused: it is no row, and it would have to be held in memory whole."""

STANDARD_INPUT: Final = "-"

_BLOCK_BYTES: Final = 1 << 18
_FEW_BYTES: Final = 1 << 16
_BOM: Final = b"\xef\xbb\xbf"
_GZIP_MAGIC: Final = b"\x1f\x8b"
_REASONS: Final = {
    "limit": f"goes past a limit ({MAX_DEPTH} levels, {MAX_DIGITS} digits, or the range of a double)",
    "unbalanced": "is not valid JSON: a bracket or a string never closes, or closes wrongly",
    "bad_json": "is not valid JSON",
    "duplicate_key": "repeats a key in one object, so its meaning is not certain",
}


class JsonLine(NamedTuple):
    """One row: its line number, counted from 1 with blank lines, and its value."""

    number: int
    value: Any


def read_json_lines(path: Path | str, *, empty_ok: bool = False) -> Iterator[JsonLine]:
    r"""The values of a JSON Lines file, one at a time; memory holds a block of lines.

    Takes gzip (told by content), `-` for standard input, a byte-order mark, CRLF, a missing last newline, and
    skips blank lines. Lines end at `\n` only: U+2028 inside a string is text.

    Raises:
        FileUnreadable: missing, a folder, not readable, torn gzip, or (unless `empty_ok`) without rows.
        RowInvalid: a line that is not UTF-8, too long, or not one JSON value; names file and line.
    """
    label = describe_path(path)
    number = rows = 0
    with _open_to_read(path, label) as file:
        # A stream may be waited for line by line, and a torn one is told by its last line.
        is_stream = isinstance(file, gzip.GzipFile) or str(path) == STANDARD_INPUT
        try:
            for block in _lines(file, label) if is_stream else _blocks(file, label, _BLOCK_BYTES):
                number = block.number
                for row in decode_block(block, label=label):
                    rows += 1
                    yield row
        except (OSError, EOFError, zlib.error) as error:
            _refuse_to_read(error, label, f" after line {number}")
    if not rows and not empty_ok:
        raise FileUnreadable(f"{label} holds no rows", hint="one JSON object per line is expected")


class LineBlock(NamedTuple):
    """Some whole lines of a file as they stand there, and the number of the first."""

    number: int
    data: bytes

    @property
    def lines(self) -> list[bytes]:
        """The lines one by one, for `decode_lines`."""
        return self.data.split(b"\n")


def read_blocks(path: Path | str, *, size: int) -> Iterator[LineBlock]:
    """The lines of a file in blocks of about `size` bytes, to be decoded here or in another process.

    Raises:
        FileUnreadable, RowInvalid: as `read_json_lines`, but for what is wrong inside a line.
    """
    label = describe_path(path)
    number = 0
    with _open_to_read(path, label) as file:
        try:
            for block in _blocks(file, label, size):
                number = block.number
                yield block
        except (OSError, EOFError, zlib.error) as error:
            _refuse_to_read(error, label, f" after line {number}")


def decode_block(block: LineBlock, *, label: str) -> Iterator[JsonLine]:
    """`decode_lines` of a block: all lines at once where they are many and nothing is wrong with them."""
    if len(block.data) >= _FEW_BYTES:
        from faircall.strict_json.columns import decode_rows  # takes NumPy, which few lines are not worth

        if (rows := decode_rows(block.data)) is not None:
            yield from map(JsonLine, itertools.count(block.number), rows)
            return
    yield from decode_lines(block.lines, label=label, number=block.number)


def decode_lines(lines: Iterable[bytes], *, label: str, number: int) -> Iterator[JsonLine]:
    """The values of lines; blank ones are skipped.

    Args:
        lines: as they stand in the file.
        label: the name of the file, for messages.
        number: that of the first line.

    Raises:
        RowInvalid: a line that is not UTF-8 or not one JSON value.
    """
    for at, line in enumerate(lines, start=number):
        if text := _line_text(line, label, at):
            yield JsonLine(at, _line_value(text, label, at))


def read_json(path: Path | str) -> Any:
    """The one JSON value of a file (gzip too).

    Raises:
        FileUnreadable: the file cannot be read, is empty or is not UTF-8.
        RowInvalid: it is not JSON; the message names file and line.
    """
    label, data = describe_path(path), read_bytes(path).removeprefix(_BOM)
    if not data.strip():
        raise FileUnreadable(f"{label} is empty", hint="one JSON value is expected")
    try:
        text = data.decode("utf-8")
        return decode(text)
    except UnicodeDecodeError as error:
        raise FileUnreadable(f"{label} is not UTF-8 (byte {error.start})", hint="save it as UTF-8") from None
    except JsonFault as fault:
        line = text.count("\n", 0, fault.offset) + 1
        raise RowInvalid(f"{label}:{line}: the file {_REASONS[fault.reason]}", hint="") from None


def read_artifact(path: Path | str) -> Any:
    """The one JSON value of a file that faircall wrote: quickly, else as `read_json` reads it.

    Raises:
        FileUnreadable, RowInvalid: as `read_json`.
    """
    try:
        return msgspec.json.decode(read_bytes(path))
    except (ValueError, RecursionError):  # no JSON, or lone surrogates
        return read_json(path)


def read_bytes(path: Path | str) -> bytes:
    """A whole file as it stands there, unpacked when it is gzip.

    Raises:
        FileUnreadable: the file cannot be read.
    """
    label = describe_path(path)
    with _open_to_read(path, label) as file:
        try:
            return file.read()
        except (OSError, EOFError, zlib.error) as error:
            _refuse_to_read(error, label)


def is_one_document(path: Path | str) -> bool:
    """Whether a file is one indented JSON object, as `write_json` makes it, and not JSON Lines.

    Raises:
        FileUnreadable: the file cannot be read.
    """
    label = describe_path(path)
    with _open_to_read(path, label) as file:
        try:
            return file.readline(16).removeprefix(_BOM).strip() == b"{"
        except (OSError, EOFError, zlib.error) as error:
            _refuse_to_read(error, label)


def describe_path(path: Path | str) -> str:
    """The name of an input in messages; `<stdin>` for `-`."""
    return "<stdin>" if str(path) == STANDARD_INPUT else str(path)


@contextlib.contextmanager
def _open_to_read(path: Path | str, label: str) -> Iterator[BinaryIO]:
    try:
        buffered, close = _open_raw(path)
    except OSError as error:
        _refuse_to_read(error, label)
    try:
        packed = buffered.peek(2)[:2] == _GZIP_MAGIC
        yield cast(BinaryIO, gzip.GzipFile(fileobj=buffered)) if packed else cast(BinaryIO, buffered)
    finally:
        close()


def _open_raw(path: Path | str) -> tuple[io.BufferedReader, Any]:
    """A buffered reader and how to let go of it; standard input stays open."""
    if is_remote(path):
        remote = io.BufferedReader(cast(Any, open_anywhere(str(path))))
        return remote, remote.close
    if str(path) != STANDARD_INPUT:
        file = open(path, "rb")  # noqa: SIM115 - the caller closes it
        return file, file.close
    raw = sys.stdin.buffer
    if isinstance(raw, io.BufferedReader):
        return raw, lambda: None
    wrapped = io.BufferedReader(cast(Any, raw))
    return wrapped, wrapped.detach


def _lines(file: BinaryIO, label: str) -> Iterator[LineBlock]:
    for number in itertools.count(1):
        line = file.readline(MAX_LINE_BYTES + 1)
        if not line:
            return
        _refuse_long_line(len(line), label, number)
        yield LineBlock(number, line.removeprefix(_BOM) if number == 1 else line)


def _blocks(file: BinaryIO, label: str, size: int) -> Iterator[LineBlock]:
    """Whole lines, in blocks of about `size` bytes."""
    number = 1
    while data := file.read(min(size, MAX_LINE_BYTES)):
        data += _rest_of_line(file, data, number, label)
        yield LineBlock(number, data.removeprefix(_BOM) if number == 1 else data)
        number += _count_lines(data)


def _count_lines(data: bytes) -> int:
    if len(data) < _FEW_BYTES:
        return data.count(b"\n")
    from faircall.strict_json.columns import count_bytes

    return count_bytes(data, ord("\n"))


def _rest_of_line(file: BinaryIO, data: bytes, number: int, label: str) -> bytes:
    """What is missing at the end of `data`, whose first line has a number, to be whole lines."""
    if data.endswith(b"\n"):
        return b""
    begun = len(data) - data.rfind(b"\n") - 1
    rest = file.readline(MAX_LINE_BYTES + 1 - begun)
    _refuse_long_line(begun + len(rest), label, number + data.count(b"\n"))
    return rest


def _refuse_long_line(length: int, label: str, number: int) -> None:
    if length > MAX_LINE_BYTES:
        message = f"{label}:{number}: the line is longer than {MAX_LINE_BYTES >> 20} MiB"
        raise RowInvalid(message, hint="one JSON object per line is expected")


def _line_text(line: bytes, label: str, number: int) -> str:
    try:
        return line.strip(b" \t\r\n").decode("utf-8")
    except UnicodeDecodeError as error:
        reason = f"{label}:{number}: the line is not UTF-8 (byte {error.start + 1})"
        raise RowInvalid(reason, hint="save the file as UTF-8") from None


def _line_value(text: str, label: str, number: int) -> Any:
    try:
        return decode(text)
    except JsonFault as fault:
        reason = f"{label}:{number}: the line {_REASONS[fault.reason]} (character {fault.offset + 1})"
        raise RowInvalid(reason, hint=_hint_for(text, fault, number)) from None


def _hint_for(text: str, fault: JsonFault, number: int) -> str:
    if fault.reason == "unbalanced" and text in ("{", "["):
        return "this looks like one indented document; one object per line is expected (jq -c '.[]')"
    if number == 1 and text[:1] not in ("{", "["):
        return (
            "every line must be one JSON object; `faircall import FILE -o rows.jsonl` reads CSV and Parquet"
        )
    return "every line must be one JSON object (RFC 8259: no NaN, no comments, no repeated key)"


def _refuse_to_read(error: Exception, label: str, where: str = "") -> NoReturn:
    reasons: dict[type[Exception], str] = {
        FileNotFoundError: "does not exist",
        IsADirectoryError: "is a folder, not a file",
        PermissionError: "may not be read",
        gzip.BadGzipFile: "is broken gzip",
        EOFError: "is gzip that ends too early",
        zlib.error: "is broken gzip",
    }
    reason = reasons.get(type(error)) or f"cannot be read ({getattr(error, 'strerror', None) or error})"
    raise FileUnreadable(f"{label} {reason}{where}", hint="check the path and the file") from None
