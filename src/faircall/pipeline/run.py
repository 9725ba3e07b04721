"""faircall run: every stage of a config, in order; what is finished already is left as it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from faircall.config import Config, arms_of, pairs_of
from faircall.pipeline.arm_request import plan_arm
from faircall.pipeline.comparison import compare_in_run
from faircall.pipeline.evaluate import Listener, evaluate_arm
from faircall.pipeline.experiment import build_experiment_report, write_experiment
from faircall.pipeline.finish_arm import ArmOutcome
from faircall.pipeline.format import build_prompts
from faircall.pipeline.preflight import require_everything
from faircall.pipeline.prepare import prepare_data
from faircall.pipeline.runs import find_run, runs_of
from faircall.store.layout import RunFolder, list_runs
from faircall.store.manifest import stage_is_done

ListenerFor: TypeAlias = Callable[[str], AbstractContextManager[Listener]]


@dataclass(frozen=True, slots=True)
class Finished:
    """A run with all its stages. `report` is None when there is one arm only; `kind` names the report."""

    run: RunFolder
    arms: Mapping[str, ArmOutcome]
    kind: str
    report: Mapping[str, Any] | None
    report_file: Path


def run_stages(
    config: Config,
    *,
    run_id: str | None = None,
    fresh: bool = False,
    limit: int | None = None,
    listener_for: ListenerFor,
) -> Finished:
    """Prepare, format, let every arm answer, and report; a run that was stopped goes on.

    Args:
        config: what to run.
        run_id: a run to go on with or to start; the newest of this config, else a new one, when left out.
        fresh: start a new run in any case.
        limit: only the first so many roots.
        listener_for: opens whatever watches an arm, by its name.
    """
    run = ready_run(config, run_id=run_id, fresh=fresh)
    arms: dict[str, ArmOutcome] = {}
    for arm in arms_of(config):
        with listener_for(arm) as listener:
            arms[arm] = evaluate_arm(run, config, plan_arm(config, arm, limit=limit), listener=listener)
    return _report(run, config, arms)


def ready_run(config: Config, *, run_id: str | None = None, fresh: bool = False) -> RunFolder:
    """The run to go on with, or a new one, with data and prompts."""
    run = _run_of(config, run_id=run_id, fresh=fresh)
    return run if stage_is_done(run, "format") else build_prompts(config, run=run)


def _run_of(config: Config, *, run_id: str | None, fresh: bool) -> RunFolder:
    """The run to go on with, or a new one with prepared data."""
    if not fresh and (run_id is None or _exists(config, run_id)) and (run_id or runs_of(config)):
        run = find_run(config, run_id)
        return run if stage_is_done(run, "data") else prepare_data(config, run_id=run.run_id)
    require_everything(config)
    return prepare_data(config, run_id=run_id)


def _exists(config: Config, run_id: str) -> bool:
    root = config.path_of(config.project.artifact_root)
    return any(run.run_id == run_id for run in list_runs(root))


def _report(run: RunFolder, config: Config, arms: Mapping[str, ArmOutcome]) -> Finished:
    """Two arms make a comparison; more, an `experiment`, or a claim the other way, make an experiment."""
    names = list(arms)
    if len(names) == 1:
        only = arms[names[0]]
        return Finished(run, arms, "evaluation", None, only.report_file)
    if pairs_of(config, names) == [tuple(names)] and config.experiment is None:
        report, path = compare_in_run(run, *names)
        return Finished(run, arms, "comparison", report, path)
    report = build_experiment_report(run, names, pairs=pairs_of(config, names))
    return Finished(run, arms, "experiment", report, write_experiment(run, report))
