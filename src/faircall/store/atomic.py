"""Files out: writes that are all or nothing."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any, NoReturn

from faircall.canonical import canonical_json
from faircall.errors import FaircallError, FileUnreadable, ResourceExhausted


@contextlib.contextmanager
def open_atomically(path: Path | str) -> Iterator[IO[bytes]]:
    """A binary file that appears under `path` only when the block ends well, complete and on disk.

    A file of its own beside the target, fsync, rename, fsync of the folder. On an error nothing is left.
    A device or a pipe (`/dev/null`, `/dev/stdout`) takes the bytes as they come; a rename would replace it.

    Raises:
        ResourceExhausted: the disk or a quota is full.
        FileUnreadable: the target cannot be written.
    """
    target = Path(path)
    try:
        if _is_stream(target):
            with open(target, "wb") as file:
                yield file
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        with _replace_when_done(target) as file:
            yield file
        _sync_folder(target.parent)
    except FaircallError:
        raise
    except OSError as error:
        _refuse_to_write(error, target)


def write_bytes_atomically(path: Path | str, data: bytes) -> None:
    """Write `data` so that a reader sees the old file or the new one, never a part."""
    with open_atomically(path) as file:
        file.write(data)


def write_json(path: Path | str, value: Any) -> None:
    """Write one JSON artifact: sorted keys, two spaces, ASCII, a final newline."""
    text = json.dumps(value, sort_keys=True, indent=2, ensure_ascii=True, allow_nan=False)
    write_bytes_atomically(path, f"{text}\n".encode("ascii"))


def write_together(files: Mapping[Path, Iterable[Any]]) -> None:
    """Write several JSON Lines files of one stage; none appears before the values of all are written."""
    with contextlib.ExitStack() as stack:
        for path, values in files.items():
            file = stack.enter_context(open_atomically(path))
            for value in values:
                file.write(canonical_json(value).encode("ascii") + b"\n")


def write_json_lines(path: Path | str, values: Iterable[Any]) -> None:
    """Write one canonical JSON value per line; `values` is taken one at a time."""
    with open_atomically(path) as file:
        for value in values:
            file.write(canonical_json(value).encode("ascii") + b"\n")


def _is_stream(target: Path) -> bool:
    """Whether a name stands for a device or a pipe; links are followed only where systems keep devices."""
    try:
        mode = target.lstat().st_mode
    except OSError:
        return False
    linked = stat.S_ISLNK(mode) and target.absolute().parent == Path("/dev")
    return stat.S_ISCHR(mode) or stat.S_ISFIFO(mode) or linked


@contextlib.contextmanager
def _replace_when_done(target: Path) -> Iterator[IO[bytes]]:
    temporary = target.with_name(f".{target.name[:100]}.{os.urandom(8).hex()}.tmp")
    try:
        with open(temporary, "xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _refuse_to_write(error: OSError, target: Path) -> NoReturn:
    reason = error.strerror or str(error)
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        raise ResourceExhausted(f"{target}: {reason}", hint="free some space and run again") from None
    raise FileUnreadable(
        f"{target} cannot be written ({reason})", hint="check the path and its rights"
    ) from None
