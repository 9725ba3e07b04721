"""What a path means to the viewer, and the pages that are made of it.

Pages are made from the JSON and the generations, never taken from HTML that lies in a run: a run may come
from anywhere, and its HTML would run in the browser as ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from faircall.api.example_rows import example_rows
from faircall.api.load import load_evaluation
from faircall.api.stored import as_result, result_of
from faircall.errors import ArtifactInvalid, FaircallError, FileUnreadable, UsageError
from faircall.pipeline.arms import evaluated_arms, read_arm
from faircall.pipeline.watch import watch_run
from faircall.reporting.example_rows import ExampleRow
from faircall.reporting.live_pages import Link, run_page, runs_page
from faircall.reporting.to_html import comparison_page, evaluation_page, experiment_page
from faircall.store.files import is_one_document, read_json
from faircall.store.layout import RunFolder, list_runs, open_run

COMPARISON = "faircall.comparison_report.v1"
EXPERIMENT = "faircall.experiment_report.v1"


@dataclass(frozen=True, slots=True)
class Place:
    """What is viewed: one file, one run, or all runs of an artifact root; exactly one is not None."""

    file: Path | None = None
    run: RunFolder | None = None
    root: Path | None = None


def find_place(path: Path) -> Place:
    """What lies at a path: a run, an artifact root (it holds `runs/`), or a file.

    Raises:
        FileUnreadable: there is nothing.
        ArtifactInvalid: a folder that is neither.
    """
    if path.is_file():
        return Place(file=path)
    if not path.is_dir():
        raise FileUnreadable(f"{path} does not exist", hint="give a run, an artifact root or a file")
    if (path / "manifest.json").is_file():
        return Place(run=open_run(path))
    if path.name == "runs" and list_runs(path.parent):
        return Place(root=path.parent)
    if (path / "runs").is_dir():
        return Place(root=path)
    report = path / "comparison_report.json"
    if report.is_file():
        return Place(file=report)
    raise ArtifactInvalid(
        f"{path} is neither a run nor an artifact root", hint="give RUN, ARTIFACTS or a file"
    )


def file_page(path: Path) -> str:
    """The page of one file: a report, a stored evaluation, or rows of outputs."""
    if is_one_document(path):
        report = read_json(path)
        version = report.get("schema_version") if isinstance(report, dict) else None
        if version == COMPARISON:
            return comparison_page(report)
        if version == EXPERIMENT:
            return experiment_page(report)
        if version == "faircall.evaluation_report.v3":
            return evaluation_page(report)
    evaluation = load_evaluation(path)
    return evaluation_page(evaluation.summary(), example_rows(as_result(evaluation)))


def state_of(place: Place) -> dict[str, Any]:
    """How far the arms of a run are, or those of all runs.

    Raises:
        UsageError: a file has no state.
    """
    if place.run is not None:
        return _watch(place.run)
    if place.root is not None:
        return {"runs": _states(place.root)}
    raise UsageError(f"{place.file} is a file, not a run", hint="leave out --json, or give a run")


def list_page(root: Path, *, part_only: bool = False) -> str:
    """The runs of an artifact root, newest first."""
    return runs_page(_states(root), title=root.absolute().name, part_only=part_only)


def _states(root: Path) -> list[dict[str, Any]]:
    """Newest first; a run that cannot be read is listed without its arms."""
    return [_state(run) for run in reversed(list_runs(root))]


def _state(run: RunFolder) -> dict[str, Any]:
    try:
        return _watch(run)
    except FaircallError:
        return {"run_id": run.run_id, "in_progress": False, "signature": None, "arms": []}


def _watch(run: RunFolder) -> dict[str, Any]:
    """The state of a run, made again only when one of its files has changed."""
    files = [run.manifest_file, run.comparison_report_file(), *sorted(run.path.glob("eval/*/journal.jsonl"))]
    return _watch_as_of(run, tuple(_stamp(file) for file in files))


@lru_cache(maxsize=256)
def _watch_as_of(run: RunFolder, stamps: tuple[Any, ...]) -> dict[str, Any]:
    return watch_run(run)


def _stamp(file: Path) -> tuple[str, int, int] | None:
    try:
        known = file.stat()
    except FileNotFoundError:
        return None
    return str(file), known.st_size, known.st_mtime_ns


def overview_page(run: RunFolder, *, up: str, part_only: bool = False) -> str:
    """One run: its arms and where its reports are."""
    return run_page(_watch(run), links=list(_links(run)), up=up, part_only=part_only)


def _links(run: RunFolder) -> Sequence[Link]:
    reports = [
        (run.comparison_report_file(), Link("comparison", "The comparison")),
        (run.experiment_report_file(), Link("experiment", "The experiment")),
    ]
    found = [link for file, link in reports if file.is_file()]
    pairs = [
        Link(f"pairs/{place}", f"{pair['baseline']['arm']} → {pair['candidate']['arm']}, with examples")
        for place, pair in enumerate(_pairs(run))
    ]
    return [*found, *pairs, *(Link(f"arms/{arm}", f"The arm {arm}") for arm in evaluated_arms(run))]


def _pairs(run: RunFolder) -> list[dict[str, Any]]:
    """The comparisons inside the experiment report of a run; none without one."""
    file = run.experiment_report_file()
    return list(read_json(file)["pairs"]) if file.is_file() else []


def report_page(run: RunFolder, name: str) -> str:
    """`comparison` or `experiment` of a run."""
    if name == "experiment":
        return experiment_page(read_json(run.experiment_report_file()))
    return _with_examples(run, read_json(run.comparison_report_file()))


def pair_page(run: RunFolder, place: int) -> str | None:
    """One pair of the experiment of a run, examples included; None when there is no such pair."""
    pairs = _pairs(run)
    return _with_examples(run, pairs[place]) if place < len(pairs) else None


def chief_page(run: RunFolder) -> str:
    """The comparison of a run that answers its question: the only one, or the first arm against the last."""
    if run.comparison_report_file().is_file():
        return report_page(run, "comparison")
    pairs = _pairs(run)
    names = read_json(run.experiment_report_file())["arm_order"]
    whole = [p for p in pairs if (p["baseline"]["arm"], p["candidate"]["arm"]) == (names[0], names[-1])]
    return _with_examples(run, (whole or pairs)[0])


def _with_examples(run: RunFolder, report: dict[str, Any]) -> str:
    names = report["baseline"]["arm"], report["candidate"]["arm"]
    return comparison_page(report, _rows(run, *names))


def arm_page(run: RunFolder, arm: str) -> str:
    """One arm of a run."""
    return evaluation_page(read_json(run.evaluation_report_file(arm)), _rows(run, arm))


def _rows(run: RunFolder, *arms: str) -> list[ExampleRow] | None:
    if not set(arms) <= set(evaluated_arms(run)):
        return None
    return example_rows(*(result_of(read_arm(run, arm)) for arm in arms))
