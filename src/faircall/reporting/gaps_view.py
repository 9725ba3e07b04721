"""Language gaps as tables: matched pairs, with intervals, and apart from them the descriptive full slices."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from faircall.records import HEADLINE
from faircall.reporting import numbers
from faircall.reporting.blocks import Table
from faircall.stats.intervals import deciding_interval

Json = Mapping[str, Any]


def gap_tables(report: Json, names: tuple[str, str]) -> Iterator[Table]:
    """The gaps of a comparison report; none where no row was translated from another."""
    paired = report.get("paired_language_gaps")
    if paired:
        yield _paired_table(paired, names)
    marginal = report.get("marginal_full_slices") or {}
    if marginal.get("baseline"):
        yield _marginal_table(marginal, names)


def _paired_table(gaps: Json, names: tuple[str, str]) -> Table:
    rows = tuple(_paired_row(language, block) for language, block in gaps.items())
    level = next(iter(gaps.values()))["difference_of_gaps"]["metrics"][HEADLINE]["interval"]["level"]
    note = f"matched pairs; points with {numbers.level(level)} CI; a gap is target minus reference language"
    columns = ("gap", "pairs", *names, "change of the gap")
    return Table(f"Language gaps: {HEADLINE}", columns, rows, note=note)


def _paired_row(language: str, block: Json) -> tuple[str, ...]:
    first, second = block["baseline"], block["candidate"]
    deltas = (first["metrics"], second["metrics"], block["difference_of_gaps"]["metrics"])
    cells = (_with_interval(metrics[HEADLINE]) for metrics in deltas)
    return f"{language} - {first['reference_language']}", str(first["pairs"]), *cells


def _with_interval(delta: Json) -> str:
    bounds = deciding_interval(delta)
    return f"{numbers.points(delta['delta'])} {numbers.interval(bounds['lower'], bounds['upper'])}"


def _marginal_table(marginal: Json, names: tuple[str, str]) -> Table:
    rows = tuple(
        (
            f"{language} - {marginal['reference']}",
            *(numbers.points(marginal[side][language][HEADLINE]) for side in ("baseline", "candidate")),
        )
        for language in marginal["baseline"]
    )
    note = "every surviving row of both languages, matched or not; descriptive, so without an interval"
    return Table(f"Marginal gaps, full slices: {HEADLINE}", ("gap", *names), rows, note=note)
