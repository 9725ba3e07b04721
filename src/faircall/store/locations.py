"""Where files lie: on this machine, or under a URL that fsspec knows (`s3://`, `gs://`, `memory://`, ...)."""

from __future__ import annotations

import glob
from pathlib import Path
from typing import Any, BinaryIO, cast

from faircall.errors import DependencyMissing, FileUnreadable

_MARK = "://"


def is_remote(path: Path | str) -> bool:
    """Whether a path is a URL.

    >>> is_remote("s3://bucket/rows.jsonl"), is_remote("rows.jsonl")
    (True, False)
    """
    return _MARK in str(path)


def open_anywhere(path: str) -> BinaryIO:
    """A file to read, wherever it lies.

    Raises:
        OSError: as the system says.
        FileUnreadable: a URL that cannot be read.
        DependencyMissing: the package for such URLs is not installed.
    """
    if not is_remote(path):
        return open(path, "rb")
    system, inner = _find_system(path)
    try:
        return cast(BinaryIO, system.open(inner, "rb"))
    except OSError:
        raise
    except Exception as error:  # storage libraries have errors of their own
        raise _unreadable(path, error) from None


def size_of(path: str) -> int:
    """Bytes of a file.

    Raises:
        OSError, FileUnreadable, DependencyMissing: as `open_anywhere`.
    """
    if not is_remote(path):
        return Path(path).stat().st_size
    system, inner = _find_system(path)
    try:
        return int(system.size(inner))
    except OSError:
        raise
    except Exception as error:
        raise _unreadable(path, error) from None


def is_folder(path: str) -> bool:
    """Whether a path names a folder."""
    if not is_remote(path):
        return Path(path).is_dir()
    system, inner = _find_system(path)
    return bool(system.isdir(inner))


def list_folder(path: str) -> list[str]:
    """All files below a folder, sorted by path; names that begin with `_` or `.` are left out."""
    if is_remote(path):
        system, inner = _find_system(path)
        root = system._strip_protocol(inner).rstrip("/")
        names = [name.removeprefix(root).lstrip("/") for name in map(str, system.find(inner))]
    else:
        names = [file.relative_to(path).as_posix() for file in Path(path).rglob("*") if file.is_file()]
    shown = (name for name in names if not any(part.startswith(("_", ".")) for part in name.split("/")))
    return [f"{path.rstrip('/')}/{name}" for name in sorted(shown)]


def expand_pattern(pattern: str) -> list[str]:
    """The files that a path or a glob pattern names, sorted; a path without magic names itself."""
    if not glob.has_magic(pattern):
        return [pattern]
    if not is_remote(pattern):
        return [pattern] if Path(pattern).exists() else sorted(glob.glob(pattern, recursive=True))
    system, inner = _find_system(pattern)
    return sorted(str(system.unstrip_protocol(name)) for name in system.glob(inner))


def _find_system(path: str) -> tuple[Any, str]:
    try:
        from fsspec.core import url_to_fs
    except ImportError:
        raise DependencyMissing(f"{path} needs fsspec", hint="pip install fsspec") from None
    try:
        system, inner = url_to_fs(path)
    except ImportError as error:
        raise DependencyMissing(f"{path}: {error}", hint="install the package that it names") from None
    except ValueError as error:
        raise FileUnreadable(f"{path}: {error}", hint="check the beginning of the URL") from None
    return system, str(inner)


def _unreadable(path: str, error: Exception) -> FileUnreadable:
    reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
    return FileUnreadable(f"{path} cannot be read ({reason})", hint="check the URL and your access to it")
