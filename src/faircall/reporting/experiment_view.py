"""What an experiment shows: its arms, every pair of them, the declared claims, and what an answer cost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from faircall.records import HEADLINE, METRIC_NAMES
from faircall.reporting import numbers
from faircall.reporting.blocks import Block, Line, Table, View
from faircall.reporting.comparison_view import tell_treatment
from faircall.reporting.efficiency_view import measure_rows, ratio_rows
from faircall.reporting.evidence import tell_few, tell_p
from faircall.reporting.reading_view import reading_blocks
from faircall.reporting.repeats_view import repeat_tables
from faircall.stats.intervals import deciding_interval

Json = Mapping[str, Any]


def view_experiment(report: Json) -> View:
    """The blocks of an experiment report."""
    return tuple(_blocks(report))


def _blocks(report: Json) -> Iterator[Block]:
    arms, order = report["arms"], report["arm_order"]
    first = arms[order[0]]
    examples, roots = numbers.counted(first["examples"], "example"), numbers.counted(first["roots"], "root")
    yield Line(f"{len(order)} arms on the same {examples} of {roots}", "heading")
    yield _arms_table(arms, order)
    yield from reading_blocks(_readings(report["pairs"], order))
    yield from _slice_tables(arms, order)
    yield _pairs_table(report["pairs"])
    for pair in report["pairs"]:
        if few := tell_few(pair):
            yield Line(f"{_name(pair)}: {few}")
    yield from _slice_pairs_table(report["pairs"])
    yield from _gaps_table(arms, order)
    if report["claims"]:
        yield _claims_table(report["claims"])
    yield from _cost_tables(report, order)
    yield from repeat_tables((name, report["inference_efficiency"]["arms"][name]) for name in order)
    for name in order:
        for warning in arms[name]["warnings"]:
            yield Line(f"{name}: {warning}", tone="bad")
    for pair in report["pairs"]:
        yield Line(f"{_name(pair)}: {tell_treatment(pair)}", tone="quiet")
        yield Line(f"Signature: {pair['signature']}", tone="quiet")


def _name(pair: Json) -> str:
    return f"{pair['baseline']['arm']} -> {pair['candidate']['arm']}"


def _rate(metric: Json) -> str:
    return numbers.rate(metric["value"] if metric["denominator"] else None)


def _with_interval(metric: Json) -> str:
    bounds = metric["interval"]
    return f"{_rate(metric)} {numbers.rate_interval(bounds['lower'], bounds['upper'])}"


def _arms_table(arms: Json, order: list[str]) -> Table:
    rows = tuple(
        (metric, *(_with_interval(arms[name]["metrics"][metric]) for name in order))
        for metric in METRIC_NAMES
    )
    return Table("Metrics by arm", ("metric", *order), rows)


def _readings(pairs: Sequence[Json], order: Sequence[str]) -> dict[str, Json]:
    """What the declared reader passed over and the default would have found, once for every arm."""
    readings = {
        pair[side]["arm"]: reading
        for pair in pairs
        for side in ("baseline", "candidate")
        if (reading := pair["diagnosis"][side].get("reading"))
    }
    return {name: readings[name] for name in order if name in readings}


def _slice_tables(arms: Json, order: list[str]) -> Iterator[Table]:
    names = list(arms[order[0]]["slices"])
    if len(names) < 2:
        return
    rows = tuple(
        (
            name,
            str(arms[order[0]]["slices"][name]["examples"]),
            *(_with_interval(arms[arm]["slices"][name]["metrics"][HEADLINE]) for arm in order),
        )
        for name in names
    )
    yield Table(f"Slices: {HEADLINE}", ("slice", "examples", *order), rows)


def _delta(delta: Json) -> tuple[str, str]:
    bounds = deciding_interval(delta)
    words = "no discordant pairs " if delta["discordant_roots"] == 0 else ""
    return numbers.points(delta["delta"]), words + numbers.interval(bounds["lower"], bounds["upper"])


def _pairs_table(pairs: list[Json]) -> Table:
    rows = tuple((_name(pair), *_delta(pair["overall"]["metrics"][HEADLINE])) for pair in pairs)
    return Table(f"Differences: {HEADLINE}", ("pair", "points", "CI"), rows)


def _slice_pairs_table(pairs: list[Json]) -> Iterator[Table]:
    rows = tuple(
        (_name(pair), name, *_delta(scope["metrics"][HEADLINE]))
        for pair in pairs
        for name, scope in pair["slices"].items()
    )
    if len(rows) > len(pairs):
        yield Table(f"Differences by slice: {HEADLINE}", ("pair", "slice", "points", "CI"), rows, names=2)


def _gaps_table(arms: Json, order: list[str]) -> Iterator[Table]:
    rows = tuple(
        (
            name,
            f"{language} - {gap['reference_language']}",
            str(gap["pairs"]),
            *_delta(gap["metrics"][HEADLINE]),
        )
        for name in order
        for language, gap in arms[name]["paired_slices"].items()
    )
    if rows:
        note = "matched pairs; a gap is target minus reference language"
        columns = ("arm", "gap", "pairs", "points", "CI")
        yield Table(f"Language gaps: {HEADLINE}", columns, rows, note=note, names=2)


def _claims_table(claims: list[Json]) -> Table:
    rows = tuple(
        (
            claim["id"],
            f"{claim['baseline']} -> {claim['candidate']}",
            f"{claim['slice']}/{claim['metric']}",
            claim["kind"] + (f" {numbers.plain(claim['margin'])}" if claim.get("margin") is not None else ""),
            tell_p(claim),
            claim["verdict"],
        )
        for claim in claims
    )
    return Table("Declared claims", ("claim", "pair", "about", "kind", "p", "verdict"), rows, names=4)


def _cost_tables(report: Json, order: list[str]) -> Iterator[Table]:
    efficiency = report["inference_efficiency"]
    words = "cross-comparable" if efficiency["cross_comparable"] else "not cross-comparable: "
    note = "single stream, one request at a time; " + words + "; ".join(efficiency["reasons"])
    rows = measure_rows([efficiency["arms"][name] for name in order])
    yield Table("Cost", ("measure", *order), tuple(rows), note=note)
    pairs = ((_name(pair), pair["inference_efficiency"]) for pair in report["pairs"])
    ratios = tuple(row for name, costs in pairs for row in ratio_rows(name, costs))
    if ratios:
        note = "candidate over baseline; ratios are descriptive"
        yield Table("Cost ratios", ("pair", "of", "ratio", "CI"), ratios, note=note, names=2)
