"""Fingerprints: a file as a manifest knows it, and whether the file still has it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from faircall.errors import ArtifactInvalid
from faircall.store.layout import RunFolder, resolve_inside


@dataclass(frozen=True, slots=True)
class FileRecord:
    """A file as a manifest knows it: relative path, SHA-256, size in bytes."""

    path: str
    sha256: str
    size: int

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return {"path": self.path, "sha256": self.sha256, "bytes": self.size}


def record_file(run: RunFolder, path: Path) -> FileRecord:
    """Hash a file of a run, in pieces."""
    resolve_inside(run.path, run.relative(path))
    digest = hashlib.sha256()
    size = 0
    with open(path, "rb") as file:
        while piece := file.read(1 << 20):
            digest.update(piece)
            size += len(piece)
    return FileRecord(run.relative(path), digest.hexdigest(), size)


@dataclass(frozen=True, slots=True)
class Mismatch:
    """One file that is not what the manifests say. `problem` is one sentence."""

    path: str
    problem: str


def check_entries(run: RunFolder, entries: Iterable[Mapping[str, Any]]) -> Iterator[Mismatch]:
    """Hash the files of manifest entries again; yield those that differ."""
    for entry in entries:
        problem = _check_entry(run, entry)
        if problem:
            yield Mismatch(entry["path"], problem)


def _check_entry(run: RunFolder, entry: Mapping[str, Any]) -> str | None:
    try:
        path = resolve_inside(run.path, entry["path"])
        record = record_file(run, path)
    except ArtifactInvalid as fault:
        return fault.message
    except FileNotFoundError:
        return "is missing"
    except OSError as fault:
        return f"cannot be read ({fault.strerror})"
    if record.size != entry["bytes"]:
        return f"has {record.size} bytes, {entry['bytes']} were written"
    return None if record.sha256 == entry["sha256"] else "was changed after it was written"
