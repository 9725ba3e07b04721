"""A run as it stands while it may be in progress: how far each arm is, and its metrics so far."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from faircall.api.reading import read_generations as read_with
from faircall.errors import FaircallError
from faircall.generating.journal import Entry, read_journal
from faircall.pipeline.arms import eval_stage, load_config_of, load_prompts
from faircall.pipeline.prompts import PromptSet, example_of
from faircall.scoring.scores import score_rows
from faircall.scoring.totals import metric_block
from faircall.store.files import read_json
from faircall.store.layout import RunFolder
from faircall.store.manifest import stage_is_done


def watch_run(run: RunFolder) -> dict[str, Any]:
    """The state of a run, read without disturbing whoever writes it.

    Returns:
        `run_id`, `in_progress`, `signature` of its comparison (None where there is none) and `arms`: per arm
        `arm`, `state` (`finished` or `in progress`), `done`, `total`, `failures`, `seconds_left`, `metrics`.
    """
    folder = run.path / "eval"
    names = sorted(path.name for path in folder.iterdir() if path.is_dir()) if folder.is_dir() else []
    found = (watch_arm(run, name) for name in names)
    arms = [arm for arm in found if arm is not None]
    return {
        "run_id": run.run_id,
        "in_progress": any(arm["state"] == "in progress" for arm in arms),
        "signature": _signature(run),
        "arms": arms,
    }


def watch_arm(run: RunFolder, arm: str) -> dict[str, Any] | None:
    """The state of one arm; None when it has not answered anything yet."""
    journal = read_journal(run.journal_file(arm))
    if journal is not None:
        conditions, entries = journal
        prompts = load_prompts(run, load_config_of(run), limit=conditions["prompts"]["limit"])
        return {"arm": arm, "state": "in progress", **_progress(run, prompts, entries)}
    if not stage_is_done(run, eval_stage(arm)):
        return None
    report = read_json(run.evaluation_report_file(arm))
    return {
        "arm": arm,
        "state": "finished",
        "done": report["examples"],
        "total": report["examples"],
        "failures": report["diagnosis"]["backend_failed"],
        "seconds_left": None,
        "metrics": report["metrics"],
    }


def _progress(run: RunFolder, prompts: PromptSet, entries: Sequence[Entry]) -> dict[str, Any]:
    total = len(list(prompts))
    durations = [entry.duration_ns for entry in entries]
    per_example = sum(durations) / 1e9 / len(durations) if durations else None
    return {
        "done": len(entries),
        "total": total,
        "failures": sum(entry.generation.failure is not None for entry in entries),
        "seconds_left": None if per_example is None else per_example * (total - len(entries)),
        "metrics": _metrics_so_far(run, prompts, entries),
    }


def _metrics_so_far(run: RunFolder, prompts: PromptSet, entries: Sequence[Entry]) -> dict[str, Any]:
    """Every metric over the examples that are answered, with its interval."""
    asked = {prompt.example_id: prompt for prompt in prompts}
    answered = [entry.generation for entry in entries if entry.generation.example_id in asked]
    chosen = [asked[generation.example_id] for generation in answered]
    examples = [example_of(prompt) for prompt in chosen]
    texts = [prompt.prompt_text for prompt in chosen]
    reader = load_config_of(run).eval.reader
    read = read_with(examples, answered, reader=reader, prompts=texts)
    return metric_block(score_rows(examples, answered, read.parsed))


def _signature(run: RunFolder) -> str | None:
    try:
        return str(read_json(run.comparison_report_file())["signature"])
    except (FaircallError, KeyError, TypeError):
        return None
