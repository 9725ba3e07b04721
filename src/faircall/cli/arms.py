"""The two arms of a verb, read from what its arguments name."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from faircall.cli import options
from faircall.cli.console import print_numbered
from faircall.errors import UsageError

if TYPE_CHECKING:
    from faircall.api.declaration import Declaration
    from faircall.api.stored import StoredResult


def declare(*, gold: Path | None, maps: list[str] | None, reader: str, protocol: str) -> Declaration:
    """What `--gold`, `--map`, `--reader` and `--protocol` say of both arms.

    Raises:
        UsageError: a `--map` that is none.
    """
    columns = options.read_maps(maps)
    from faircall.api.declaration import Declaration

    return Declaration(columns=columns, gold=gold, reader=reader, protocol=protocol)


def load_arms(
    baseline: str,
    candidate: str,
    *,
    declared: Declaration | None = None,
    labels: tuple[str | None, str | None] = (None, None),
) -> tuple[StoredResult, StoredResult]:
    """Both arms, under names that differ; rows without ids are told on standard error.

    Raises:
        UsageError: both are standard input.
    """
    from faircall.api.declaration import NOTHING_DECLARED
    from faircall.api.stored import load_stored

    if baseline == candidate == "-":
        raise UsageError("both arms cannot be read from standard input", hint="give one of them as a file")
    names = _name_apart(baseline, candidate, labels)
    first, second = (
        load_stored(path, name=name, declared=declared or NOTHING_DECLARED)
        for path, name in zip((baseline, candidate), names, strict=True)
    )
    print_numbered(
        path for path, stored in ((baseline, first), (candidate, second)) if not stored.arm.ids_given
    )
    return first, second


def _name_apart(baseline: str, candidate: str, labels: tuple[str | None, str | None]) -> tuple[str, str]:
    """The labels, else the names of the files; with their folders or roles where those are the same."""
    first, second = (
        label or _name_of(path) for label, path in zip(labels, (baseline, candidate), strict=True)
    )
    if first != second:
        return first, second
    folders = (Path(baseline).parent.name, Path(candidate).parent.name)
    if folders[0] != folders[1] and all(folders):
        return f"{folders[0]}/{first}", f"{folders[1]}/{second}"
    return f"{first} (baseline)", f"{second} (candidate)"


def _name_of(path: str) -> str:
    from faircall.api.load import arm_name
    from faircall.api.partitioned import name_rows
    from faircall.api.stored import arm_folder

    folder = arm_folder(path)
    return name_rows(path) if folder is None else arm_name(folder)
