"""rescore: everything behind the raw text of a run again, compared byte by byte with what is stored."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from faircall.canonical import canonical_json
from faircall.parsing.tool_call import parse_generations
from faircall.pipeline.arms import evaluated_arms, read_facts, reread_arm
from faircall.pipeline.comparison import compare_stored, report_facts
from faircall.pipeline.evaluation_report import build_evaluation_report
from faircall.pipeline.experiment import build_experiment_report
from faircall.pipeline.generations import generation_row, read_generations
from faircall.reporting.to_json import to_json
from faircall.store.layout import RunFolder

_SHOWN = 3  # differing lines that are named per file


@dataclass(frozen=True, slots=True)
class Rescored:
    """The outcome for one file: its path in the run, and what differs (empty when the bytes are the same)."""

    path: str
    differences: tuple[str, ...]


def rescore(run: RunFolder) -> list[Rescored]:
    """Parse and score every stored raw text again; nothing is written.

    Raises:
        InvariantViolation: prompts and generations do not belong together, so there is nothing to score.
    """
    return [*_rescore_arms(run), *_rescore_reports(run)]


def _rescore_arms(run: RunFolder) -> Iterator[Rescored]:
    for arm in evaluated_arms(run):
        facts = read_facts(run, arm)
        for name in facts.conditions["prompts"]["sets"]:
            yield _rescore_generations(run, run.generations_file(arm, name))
        report = build_evaluation_report(reread_arm(run, arm))
        yield _compare(run, run.evaluation_report_file(arm), to_json(report))


def _rescore_generations(run: RunFolder, path: Path) -> Rescored:
    generations = read_generations(path)
    rows = zip(generations, parse_generations(generations), strict=True)
    text = "".join(canonical_json(generation_row(g, p)) + "\n" for g, p in rows)
    return _compare(run, path, text)


def _rescore_reports(run: RunFolder) -> Iterator[Rescored]:
    facts = report_facts(run)
    if "comparison" in facts:
        made = facts["comparison"]
        arms = reread_arm(run, made["baseline"]), reread_arm(run, made["candidate"])
        text = to_json(compare_stored(*arms, vary=made["vary"]))
        yield _compare(run, run.comparison_report_file(), text)
    if "experiment" in facts:
        made = facts["experiment"]
        pairs = [(baseline, candidate) for baseline, candidate in made["pairs"]]
        text = to_json(build_experiment_report(run, made["arms"], pairs=pairs, read=reread_arm))
        yield _compare(run, run.experiment_report_file(), text)


def _compare(run: RunFolder, path: Path, text: str) -> Rescored:
    stored = path.read_text("utf-8")
    if stored == text:
        return Rescored(run.relative(path), ())
    pairs = list(zip(stored.splitlines(), text.splitlines(), strict=False))
    places = [number for number, (old, new) in enumerate(pairs, start=1) if old != new]
    shown = [
        f"line {number}: {_cut(pairs[number - 1][0])} | {_cut(pairs[number - 1][1])}" for number in places
    ]
    if len(stored.splitlines()) != len(text.splitlines()):
        shown.append(f"{len(stored.splitlines())} lines stored, {len(text.splitlines())} now")
    more = [f"{len(shown) - _SHOWN} more"] if len(shown) > _SHOWN else []
    return Rescored(run.relative(path), tuple(shown[:_SHOWN] + more) or ("the bytes differ",))


def _cut(line: str) -> str:
    line = line.strip()
    return line if len(line) <= 60 else line[:57] + "..."
