"""The shipped reference run: checked, derived again from its raw text, and laid out to look around in."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from faircall.demo.project import REFERENCE
from faircall.errors import InvariantViolation, VerifyMismatch
from faircall.pipeline.rescore import rescore
from faircall.store.files import read_json
from faircall.store.layout import RunFolder, list_runs, run_folder
from faircall.store.verification import verify

_HINT: Final = "the installed package is damaged; install faircall again"


@dataclass(frozen=True, slots=True)
class Replayed:
    """The reference run as it lies in the user's folder, and its experiment report."""

    run: RunFolder
    report: Mapping[str, Any]

    @property
    def report_file(self) -> Path:
        """The report, as JSON."""
        return self.run.experiment_report_file()


def reference_run() -> RunFolder:
    """The run inside the package.

    Raises:
        InvariantViolation: there is not exactly one.
    """
    runs = list_runs(REFERENCE)
    if len(runs) != 1:
        raise InvariantViolation(f"the package holds {len(runs)} reference runs", hint=_HINT)
    return runs[0]


def replay(folder: Path, *, tell: Callable[[str], None]) -> Replayed:
    """Copy the reference run below `folder`, check its files, and derive every number again from raw text.

    Args:
        folder: where the demo lives; the run goes to `artifacts/runs/`.
        tell: takes one line of news at a time.

    Raises:
        VerifyMismatch: a file is not what its stage wrote, or the raw text gives other numbers.
    """
    run = copy_reference(folder)
    outcome = verify(run)
    if outcome.mismatches:
        worst = outcome.mismatches[0]
        raise VerifyMismatch(f"{run.path}: {worst.path}: {worst.problem}", hint=f"remove {run.path}")
    tell(f"reference run {run.run_id}: {outcome.files} files as written")
    files = rescore(run)
    changed = [file.path for file in files if file.differences]
    if changed:
        raise VerifyMismatch(f"{run.path}: the raw text gives another {changed[0]}", hint=_HINT)
    tell(f"parsed and scored again from the raw text: {len(files)} files, the same bytes")
    return Replayed(run, read_json(run.experiment_report_file()))


def copy_reference(folder: Path) -> RunFolder:
    """Copy the packaged run to `folder/artifacts/runs/` unless it is there.

    Raises:
        VerifyMismatch: what is there is not the run of this version.
    """
    source = reference_run()
    target = run_folder(folder / "artifacts", source.run_id)
    if not target.path.exists():
        shutil.copytree(source.path, target.path)
    elif target.manifest_file.read_bytes() != source.manifest_file.read_bytes():
        names = _differing(source.path, target.path)
        more = f" and {len(names) - 1} more" if len(names) > 1 else ""
        raise VerifyMismatch(
            f"{target.path} is not the reference run of this version: {names[0]}{more} differ from it",
            hint="its reports were built again, or another version made it: remove it, or give another --out",
        )
    return target


def _differing(source: Path, target: Path) -> list[str]:
    """The files of which two runs hold different bytes, or of which one has none; manifests come last."""
    found = {path.relative_to(root).as_posix() for root in (source, target) for path in _files(root)}
    differing = [name for name in found if _bytes_of(source / name) != _bytes_of(target / name)]
    return sorted(differing, key=lambda name: (name.endswith("manifest.json"), name))


def _files(root: Path) -> list[Path]:
    return [path for path in root.rglob("*") if path.is_file()]


def _bytes_of(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None
