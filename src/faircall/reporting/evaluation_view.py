"""What the evaluation of one arm shows: the five metrics, what the misses are made of, where they fall."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from faircall.records import METRIC_NAMES
from faircall.reporting import numbers
from faircall.reporting.blocks import Block, Line, Table, View
from faircall.reporting.efficiency_view import arm_table
from faircall.reporting.reading_view import reading_blocks
from faircall.reporting.repeats_view import repeat_tables

Json = Mapping[str, Any]

WORST_SHOWN: Final = 8
_PROTOCOL_COUNTS: Final = (
    ("gold_calls", "gold calls"),
    ("made_calls", "calls made in well-formed answers"),
    ("right_calls", "calls that are exactly right"),
    ("no_call_rows", "examples where no call is right"),
    ("no_call_right", "of these, answered without a call"),
    ("malformed_rows", "malformed answers"),
)
_COUNTED: Final = (
    ("trailing_json", "answers with another bracket behind the call"),
    ("truncated", "answers cut off at the token limit"),
    ("backend_failed", "examples whose backend failed (counted as misses)"),
)


def view_evaluation(report: Json) -> View:
    """The blocks of an evaluation: `name`, `examples`, `metrics`, `slices`, `diagnosis`."""
    return tuple(_blocks(report))


def _blocks(report: Json) -> Iterator[Block]:
    yield Line(f"{report['name']}: {numbers.counted(report['examples'], 'example')}", tone="heading")
    yield _metrics_table(report["metrics"])
    if report.get("sampling"):
        yield _samples_table(report["sampling"])
    diagnosis = report.get("diagnosis")
    if diagnosis and diagnosis.get("protocol"):
        yield from protocol_blocks(diagnosis["protocol"])
    if diagnosis and diagnosis.get("reading"):
        yield from reading_blocks({report["name"]: diagnosis["reading"]})
    if diagnosis:
        yield from diagnosis_blocks(diagnosis)
    if report.get("slices"):
        yield _slices_table(report["slices"])
    if report.get("inference_efficiency"):
        yield arm_table(report["name"], report["inference_efficiency"])
    yield from repeat_tables([(report["name"], report.get("inference_efficiency"))], listed=True)


def _samples_table(sampling: Json) -> Table:
    """pass@k and pass^k over all prompts and by slice, descriptive."""
    slices = sampling.get("slices", {})
    parts = {"all": sampling, **(slices if len(slices) > 1 else {})}
    rows = tuple(
        (name, k, numbers.rate(part["pass_at_k"][k]), numbers.rate(part["pass_hat_k"][k]))
        for name, part in parts.items()
        for k in sorted(part["pass_at_k"] or {}, key=int)
    )
    title = f"Full matches among {sampling['samples']} samples of {sampling['items']} prompts"
    return Table(title, ("slice", "k", "one of k (pass@k)", "all of k (pass^k)"), rows)


def protocol_blocks(protocol: Json) -> Iterator[Block]:
    """The protocol beside the default, and what it counts."""
    yield Line(f"scored under {protocol['name']}")
    rows = tuple((words, str(protocol[key])) for key, words in _PROTOCOL_COUNTS if key in protocol)
    if rows:
        yield Table("Calls", ("what", "count"), rows)


def diagnosis_blocks(diagnosis: Json) -> Iterator[Block]:
    """Causes, confused tools, the worst arguments and the counts beside them; empty ones are left out."""
    if diagnosis["causes"]:
        total = sum(diagnosis["causes"].values())
        largest_first = sorted(diagnosis["causes"].items(), key=lambda item: (-item[1], item[0]))
        rows = tuple((cause, str(count), numbers.rate(count / total)) for cause, count in largest_first)
        yield Table("Causes of the misses", ("cause", "examples", "share"), rows)
    yield from _confused_tools(diagnosis["confusion"])
    yield from _worst_arguments(diagnosis["worst_arguments"])
    for key, words in _COUNTED:
        if diagnosis[key]:
            yield Line(f"{diagnosis[key]} {words}", tone="quiet")


def _metrics_table(metrics: Json) -> Table:
    rows = tuple((name, *_cells(metrics[name])) for name in METRIC_NAMES if name in metrics)
    level = next((m["interval"]["level"] for m in metrics.values() if m.get("interval")), None)
    columns = ("metric", "counts", "value", f"{numbers.level(level)} CI" if level else "CI")
    return Table("Metrics", columns, rows)


def _cells(metric: Json) -> tuple[str, str, str]:
    value = metric["value"] if metric["denominator"] else None
    interval = metric.get("interval")
    shown = numbers.rate_interval(interval["lower"], interval["upper"]) if interval else ""
    return numbers.counts(metric["numerator"], metric["denominator"]), numbers.rate(value), shown


def _slices_table(slices: Json) -> Table:
    rows = tuple(
        (
            name,
            str(scope["examples"]),
            *(numbers.rate(scope["metrics"][metric]["value"]) for metric in METRIC_NAMES),
        )
        for name, scope in slices.items()
    )
    return Table("Slices", ("slice", "examples", *METRIC_NAMES), rows)


def _confused_tools(confusion: list[Json]) -> Iterator[Table]:
    """Gold tools that were answered with another tool, largest confusions first."""
    found = [
        (row["gold"], name, n)
        for row in confusion
        for name, n in row["predicted"].items()
        if name != row["gold"]
    ]
    found += [(row["gold"], "(a tool that was not offered)", row["unknown_tool"]) for row in confusion]
    worst = sorted((item for item in found if item[2]), key=lambda item: (-item[2], item[:2]))[:WORST_SHOWN]
    if worst:
        rows = tuple((gold, name, str(count)) for gold, name, count in worst)
        yield Table("Confused tools", ("gold tool", "called instead", "examples"), rows, names=2)


def _worst_arguments(arguments: list[Json]) -> Iterator[Table]:
    if arguments:
        rows = tuple(
            (f"{row['tool']}.{row['argument']}", *(str(row[key]) for key in ("missing", "wrong", "examples")))
            for row in arguments[:WORST_SHOWN]
        )
        yield Table("Worst arguments (right tool called)", ("argument", "missing", "wrong", "of"), rows)
