"""The journal: every generation is on disk before the next one starts, bound to the conditions it ran under.

One file in the arm's folder. Its first line holds the conditions and their digest; each further line is one
generation with its duration. A process killed at any moment loses at most the generation in flight: a torn
last line is cut off, and the rest is kept.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from msgspec.structs import asdict

from faircall.canonical import canonical_json
from faircall.digest import sha256_json
from faircall.errors import ArtifactInvalid, EvaluationError, FaircallError, FileUnreadable, ResourceExhausted
from faircall.records import Generation

SCHEMA: Final = "faircall.journal.v1"
_SHOWN: Final = 6  # differing fields that a refusal names


@dataclass(frozen=True, slots=True)
class Entry:
    """One journalled generation. `session` counts the processes that wrote this journal, from 1."""

    slice_name: str
    generation: Generation
    duration_ns: int
    session: int


@dataclass(frozen=True, slots=True)
class TimedAnswer:
    """A generation that is not journalled yet."""

    slice_name: str
    generation: Generation
    duration_ns: int


class Journal:
    """An open journal: what is already there, and where the next generation goes. One process at a time."""

    def __init__(
        self, descriptor: int, path: Path, entries: Mapping[tuple[str, str], Entry], sessions: int
    ) -> None:
        """Take over an open, locked file; use `open_journal`."""
        self._descriptor = descriptor
        self._path = path
        self._entries = dict(entries)
        self.sessions = sessions

    def find(self, slice_name: str, example_id: str) -> Entry | None:
        """The entry of one prompt, or None when it must still be generated."""
        return self._entries.get((slice_name, example_id))

    def __len__(self) -> int:
        return len(self._entries)

    def append(self, slice_name: str, generation: Generation, *, duration_ns: int) -> Entry:
        """Write one generation and wait until it is on disk.

        Raises:
            ResourceExhausted: the disk is full; what was journalled before is intact.
        """
        return self.append_all([TimedAnswer(slice_name, generation, duration_ns)])[0]

    def append_all(self, answers: Iterable[TimedAnswer]) -> list[Entry]:
        """Write several generations and wait once until they are on disk.

        Raises:
            ResourceExhausted: the disk is full; what was journalled before is intact.
        """
        entries = [Entry(a.slice_name, a.generation, a.duration_ns, self.sessions) for a in answers]
        self._write(entries)
        return entries

    def adopt(self, entries: Iterable[Entry]) -> None:
        """Take over entries of a finished arm that is to be completed; failed ones are left out."""
        kept = [entry for entry in entries if entry.generation.failure is None]
        self._write(kept)
        self.sessions = max((entry.session + 1 for entry in kept), default=self.sessions)

    def _write(self, entries: Sequence[Entry]) -> None:
        if entries:
            with _disk_errors(self._path):
                _write_lines(self._descriptor, [_row(entry) for entry in entries])
        self._entries.update({(e.slice_name, e.generation.example_id): e for e in entries})


@contextlib.contextmanager
def open_journal(path: Path, conditions: Mapping[str, Any]) -> Iterator[Journal]:
    """Start the journal of an arm, or go on with the one that is there.

    Failed generations of an earlier session are forgotten, so that they are asked for again.

    Raises:
        EvaluationError: the journal belongs to other conditions (names the differing fields), or is in use.
        ArtifactInvalid: a line before the last one is broken.
    """
    with _disk_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
    try:
        _lock(descriptor, path)
        rows = _read_rows(descriptor, path)
        journal = _adopt(descriptor, path, rows, conditions)
        yield journal
    finally:
        os.close(descriptor)


def read_journal(path: Path) -> tuple[Mapping[str, Any], list[Entry]] | None:
    """The conditions and entries of a journal that another process may be writing; nothing is changed.

    Returns:
        None when there is no journal (any more). Of several entries of one prompt the last one counts.

    Raises:
        ArtifactInvalid: a line before the last one is broken.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    rows, _ = _whole_rows(data, path)
    if not rows:
        return None
    entries = [_entry(row) for row in rows[1:]]
    return rows[0]["conditions"], list({(e.slice_name, e.generation.example_id): e for e in entries}.values())


def require_same_conditions(stored: Mapping[str, Any], wanted: Mapping[str, Any], *, place: str) -> None:
    """Refuse to mix generations of different conditions.

    Raises:
        EvaluationError: names every differing field with both values.
    """
    differing = differing_fields(stored, wanted)
    if differing:
        shown = "; ".join(
            f"{name}: {_short(old)} there, {_short(new)} now" for name, old, new in differing[:_SHOWN]
        )
        more = f"; and {len(differing) - _SHOWN} more" if len(differing) > _SHOWN else ""
        raise EvaluationError(
            f"{place} holds generations of other conditions: {shown}{more}",
            hint="use another run or arm name, or restore the conditions",
        )


def differing_fields(one: Any, other: Any, *, prefix: str = "") -> list[tuple[str, Any, Any]]:
    """Dotted names at which two JSON objects differ, with both values (None where absent).

    >>> differing_fields({"a": {"b": 1, "c": 2}}, {"a": {"b": 1, "c": 3}})
    [('a.c', 2, 3)]
    """
    if not (isinstance(one, Mapping) and isinstance(other, Mapping)):
        return [] if canonical_json(one) == canonical_json(other) else [(prefix, one, other)]
    return [
        found
        for key in sorted({*one, *other})
        for found in differing_fields(
            one.get(key), other.get(key), prefix=f"{prefix}.{key}" if prefix else key
        )
    ]


def generation_to_dict(generation: Generation) -> dict[str, Any]:
    """The fields of a generation as JSON."""
    return asdict(generation)


def generation_from_dict(row: Mapping[str, Any]) -> Generation:
    """The generation in a stored row; columns that were added to it are left out."""
    return Generation(**{name: row[name] for name in Generation.__struct_fields__ if name in row})


def _adopt(descriptor: int, path: Path, rows: list[dict[str, Any]], conditions: Mapping[str, Any]) -> Journal:
    if not rows:
        header = {
            "schema_version": SCHEMA,
            "conditions": conditions,
            "conditions_sha256": sha256_json(conditions),
        }
        with _disk_errors(path):
            _write_lines(descriptor, [header])
        return Journal(descriptor, path, {}, 1)
    require_same_conditions(rows[0]["conditions"], json.loads(canonical_json(conditions)), place=str(path))
    entries = [_entry(row) for row in rows[1:]]
    kept = {(e.slice_name, e.generation.example_id): e for e in entries if e.generation.failure is None}
    return Journal(descriptor, path, kept, max((e.session for e in entries), default=0) + 1)


def _entry(row: Mapping[str, Any]) -> Entry:
    return Entry(row["slice"], generation_from_dict(row["generation"]), row["duration_ns"], row["session"])


def _read_rows(descriptor: int, path: Path) -> list[dict[str, Any]]:
    """All whole rows; whatever follows the last whole row is cut off the file."""
    with open(descriptor, "rb", closefd=False) as file:
        file.seek(0)
        data = file.read()
    rows, size = _whole_rows(data, path)
    if size < len(data):
        os.ftruncate(descriptor, size)
        os.fsync(descriptor)
    return rows


def _whole_rows(data: bytes, path: Path) -> tuple[list[dict[str, Any]], int]:
    lines = data.split(b"\n")
    lines.pop()  # what follows the last newline was never finished
    rows: list[dict[str, Any]] = []
    size = 0
    for number, line in enumerate(lines, start=1):
        row = _decode(line)
        if row is None and number == len(lines):
            break
        if row is None or (number == 1 and row.get("schema_version") != SCHEMA):
            raise ArtifactInvalid(
                f"{path}:{number} is not a journal line", hint="move the file away to start again"
            )
        rows.append(row)
        size += len(line) + 1
    return rows, size


def _decode(line: bytes) -> dict[str, Any] | None:
    try:
        row = json.loads(line)
    except ValueError:
        return None
    return row if isinstance(row, dict) else None


def _row(entry: Entry) -> dict[str, Any]:
    return {
        "slice": entry.slice_name,
        "generation": generation_to_dict(entry.generation),
        "duration_ns": entry.duration_ns,
        "session": entry.session,
    }


def _write_lines(descriptor: int, rows: Iterable[Mapping[str, Any]]) -> None:
    data = b"".join(canonical_json(row).encode("ascii") + b"\n" for row in rows)
    while data:
        data = data[os.write(descriptor, data) :]
    os.fsync(descriptor)


def _lock(descriptor: int, path: Path) -> None:
    """Two processes on one arm would answer every prompt twice."""
    try:
        import fcntl
    except ImportError:  # not a POSIX system: nothing to lock with
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        raise EvaluationError(
            f"{path} is in use by another process", hint="wait for it, or stop it"
        ) from error


@contextlib.contextmanager
def _disk_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise _disk_error(error, path) from error


def _disk_error(error: OSError, path: Path) -> FaircallError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return ResourceExhausted(
            f"{path}: {error.strerror}", hint="free some space and start again; finished generations are kept"
        )
    return FileUnreadable(
        f"{path} cannot be written ({error.strerror})", hint="check the folder and its rights"
    )


def _short(value: Any) -> str:
    text = canonical_json(value)
    return text if len(text) <= 80 else text[:77] + "..."
