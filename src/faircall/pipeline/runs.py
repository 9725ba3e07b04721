"""Finding the run that a config means."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Final

from faircall.config import Config, load_config
from faircall.errors import InputError, UsageError
from faircall.store.layout import RunFolder, list_runs, open_run, run_folder
from faircall.store.manifest import read_index

_LOG: Final = logging.getLogger(__name__)


def find_run(config: Config, run_id: str | None = None) -> RunFolder:
    """The run with the given id, else the newest one that this config started.

    Raises:
        UsageError: there is none, or the named one belongs to another config.
    """
    root = config.path_of(config.project.artifact_root)
    if run_id is not None:
        run = open_run(run_folder(root, run_id).path)
        if read_index(run)["config_sha256"] != config.sha256:
            raise UsageError(
                f"run {run_id} was started with another config",
                hint=f"compare with {run.config_file}, or start a new run",
            )
        return run
    matching = runs_of(config)
    if not matching:
        raise UsageError(
            f"no run under {root} was started with this config (or a file that it names has changed)",
            hint="run `faircall data prepare` and `faircall format build` first",
        )
    return matching[-1]


def runs_of(config: Config) -> list[RunFolder]:
    """The runs that a config started, oldest first; one with a damaged index is passed over with a notice."""
    root = config.path_of(config.project.artifact_root)
    return [run for run in list_runs(root) if _config_digest(run) == config.sha256]


def _config_digest(run: RunFolder) -> str | None:
    try:
        return str(read_index(run)["config_sha256"])
    except InputError as damage:
        _LOG.warning("faircall: notice: run %s is passed over: %s", run.run_id, damage.message)
        return None


def open_run_with_config(config_path: Path, run_id: str | None = None) -> tuple[RunFolder, Config]:
    """The config of a file and the run that belongs to it."""
    config = load_config(config_path)
    return find_run(config, run_id), config
