"""Where everything of a run lies. The only module that spells the names of run files.

    <artifact_root>/runs/<run_id>/
      config.resolved.yaml   manifest.json   <stage>_manifest.json   stage: data, format, eval-<arm>, report
      data/       {train,validation,test}.jsonl   drop_summary.json
      formatted/  {train,validation,test}.jsonl
      eval/<arm>/ generations.<slice>.jsonl   inference_telemetry.json   evaluation_report.json
                  repeat_check.json, where a check was made
      report/     comparison_report.{json,md,html}   experiment_report.{json,md,html}

Paths inside a run are relative POSIX paths; absolute ones, ways out and symlinks are refused.
"""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Final

from faircall.errors import ArtifactInvalid, UsageError

SPLITS: Final = ("train", "validation", "test")

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
_STAGE: Final = re.compile(rf"data|format|report|eval-{_NAME.pattern}")


@dataclass(frozen=True, slots=True)
class RunFolder:
    """One run. Every property is a path below `path`; `run_id` is the name of the folder."""

    path: Path

    @property
    def run_id(self) -> str:
        """The id of the run."""
        return self.path.name

    @property
    def config_file(self) -> Path:
        """The resolved config."""
        return self.path / "config.resolved.yaml"

    @property
    def manifest_file(self) -> Path:
        """The index of the stage manifests."""
        return self.path / "manifest.json"

    def stage_manifest_file(self, stage: str) -> Path:
        """The manifest of one stage: data, format, eval-<arm> or report."""
        if not _STAGE.fullmatch(stage):
            raise UsageError(f"there is no stage {stage!r}", hint="stages: data, format, eval-<arm>, report")
        return self.path / f"{stage}_manifest.json"

    def data_file(self, split: str) -> Path:
        """The examples of one split."""
        return self.path / "data" / f"{_checked(split)}.jsonl"

    @property
    def drop_summary_file(self) -> Path:
        """What was dropped while the data were prepared, and why."""
        return self.path / "data" / "drop_summary.json"

    def formatted_file(self, split: str) -> Path:
        """The prompts of one split."""
        return self.path / "formatted" / f"{_checked(split)}.jsonl"

    def eval_folder(self, arm: str) -> Path:
        """Everything that one arm wrote."""
        return self.path / "eval" / _checked(arm)

    def generations_file(self, arm: str, slice_name: str) -> Path:
        """The generations of one arm on one slice."""
        return self.eval_folder(arm) / f"generations.{_checked(slice_name)}.jsonl"

    def journal_file(self, arm: str) -> Path:
        """Generations of an arm that is not finished; gone once it is."""
        return self.eval_folder(arm) / "journal.jsonl"

    def shard_file(self, arm: str, number: int, *, of: int) -> Path:
        """The generations of one shard of an arm; gone once the shards are merged."""
        return self.eval_folder(arm) / f"shard-{number}-of-{of}.jsonl"

    def shard_files(self, arm: str) -> list[Path]:
        """The shards of an arm that are there, by number."""
        found = self.eval_folder(arm).glob("shard-*-of-*.jsonl")
        return sorted(found, key=lambda path: (len(path.name), path.name))

    def telemetry_file(self, arm: str) -> Path:
        """The timing of one arm."""
        return self.eval_folder(arm) / "inference_telemetry.json"

    def repeat_check_file(self, arm: str) -> Path:
        """The prompts of one arm that were answered again; there only when a check was made."""
        return self.eval_folder(arm) / "repeat_check.json"

    def evaluation_report_file(self, arm: str) -> Path:
        """The scores of one arm."""
        return self.eval_folder(arm) / "evaluation_report.json"

    def comparison_report_file(self, form: str = "json") -> Path:
        """The comparison of two arms, as json, md or html."""
        return self.path / "report" / f"comparison_report.{form}"

    def experiment_report_file(self, form: str = "json") -> Path:
        """The comparison of all arms, as json, md or html."""
        return self.path / "report" / f"experiment_report.{form}"

    def relative(self, path: Path) -> str:
        """The path of a file inside the run, as manifests write it."""
        return path.relative_to(self.path).as_posix()


def resolve_inside(root: Path, relative: str) -> Path:
    """The file that a relative path of an artifact names.

    Raises:
        ArtifactInvalid: the path is absolute, climbs out of `root`, is not normal, or goes through a symlink.
    """
    pure = PurePosixPath(relative)
    unsafe = not relative or pure.is_absolute() or ".." in pure.parts or pure.as_posix() != relative
    if unsafe or "\\" in relative or "\0" in relative:
        raise ArtifactInvalid(f"{relative!r} is not a path inside {root}", hint="the artifact was altered")
    path = root
    for part in pure.parts:
        path = path / part
        if path.is_symlink():
            raise ArtifactInvalid(f"{path} is a symlink", hint="runs hold plain files and folders only")
    return path


def new_run_id(*, now: datetime | None = None, token: str | None = None) -> str:
    """A UTC timestamp and eight hexadecimal digits; ids sort by time.

    >>> new_run_id(now=datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC), token="0a1b2c3d")
    '20260102T030405Z-0a1b2c3d'
    """
    moment = (now or datetime.now(UTC)).astimezone(UTC)
    return f"{moment:%Y%m%dT%H%M%SZ}-{token or secrets.token_hex(4)}"


def run_folder(artifact_root: Path | str, run_id: str) -> RunFolder:
    """The place of a run, whether it exists or not."""
    return RunFolder(Path(artifact_root) / "runs" / _checked(run_id))


def open_run(path: Path | str) -> RunFolder:
    """An existing run.

    Raises:
        ArtifactInvalid: there is no manifest, so it is not a run.
    """
    run = RunFolder(Path(path).absolute())
    if run.path.is_symlink() or not run.manifest_file.is_file():
        message = f"{path} is not a run folder (no manifest.json)"
        raise ArtifactInvalid(message, hint="`faircall data prepare -c FILE` starts a run")
    return run


def list_runs(artifact_root: Path | str) -> list[RunFolder]:
    """The runs below an artifact root, by id."""
    folder = Path(artifact_root) / "runs"
    if not folder.is_dir():
        return []
    found = (RunFolder(path) for path in sorted(folder.iterdir()) if not path.is_symlink())
    return [run for run in found if run.manifest_file.is_file()]


def _checked(name: str) -> str:
    """A name that may become a part of a path.

    Raises:
        UsageError: it could leave its folder or hide itself.
    """
    if not _NAME.fullmatch(name):
        hint = "letters, digits, '_', '-' and '.', at most 64, the first a letter or digit"
        raise UsageError(f"{name!r} cannot be the name of a file or folder of a run", hint=hint)
    return name
