"""`faircall compare`: two stored results under the gate."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from faircall.cli import options
from faircall.cli.arms import load_arms
from faircall.cli.console import JsonFlag, new_app, print_json, print_view, print_written
from faircall.comparing.conditions import Condition, measure, parse_condition
from faircall.comparing.conditions import holds as condition_holds
from faircall.errors import ConditionFailed
from faircall.records import PARSER_VERSION
from faircall.reporting.numbers import plain

if TYPE_CHECKING:
    from faircall.api.stored import StoredResult

app = new_app(help="Compare two stored results, if the comparison is fair.")

FailIf = Annotated[
    list[str] | None,
    typer.Option(
        "--fail-if", metavar="EXPR", help="Exit 1 when it holds: [SLICE/]METRIC.FIELD OPERATOR NUMBER."
    ),
]
Output = Annotated[
    Path | None,
    typer.Option("-o", "--out", metavar="DIR", help="Write comparison_report.json, .md and .html there."),
]


@app.command(epilog="Example: faircall compare base.jsonl adapter.jsonl -o report")
def compare(
    baseline: options.Baseline,
    candidate: options.Candidate,
    vary: options.Vary = None,
    label: options.Labels = None,
    fail_if: FailIf = None,
    out: Output = None,
    redact: options.Redact = None,
    gold: options.Gold = None,
    maps: options.Maps = None,
    reader: options.Reader = PARSER_VERSION,
    protocol: options.Protocol = options.DEFAULT_PROTOCOL,
    level: options.Level = 0.95,
    resamples: options.Resamples = 9_999,
    seed: options.Seed = 42,
    as_json: JsonFlag = False,
) -> None:
    """Compare two stored results, if the comparison is fair."""
    conditions = [parse_condition(text) for text in fail_if or ()]
    columns, labels = options.read_maps(maps), options.read_labels(label)
    arms = load_arms(
        baseline,
        candidate,
        labels=labels,
        gold=gold,
        columns=columns,
        reader=reader,
        protocol=protocol,
    )
    from faircall.api import build_comparison_report

    report = build_comparison_report(
        arms[0].arm, arms[1].arm, level=level, resamples=resamples, seed=seed, vary=tuple(vary or ())
    )
    failed = [_tell(condition, report) for condition in conditions if condition_holds(condition, report)]
    _print(report, as_json=as_json)
    if out is not None:
        print_written(
            write_report(report, out, arms=arms, redacted=redact is not None), json_on_stdout=as_json
        )
    if failed:
        raise ConditionFailed(
            "; ".join(failed), hint="the comparison itself is fine; --fail-if asked for this status"
        )


def write_report(
    report: dict[str, Any], folder: Path, *, arms: tuple[StoredResult, StoredResult], redacted: bool
) -> Path:
    """Write the report as JSON, Markdown and HTML; returns the path of the JSON."""
    from faircall.api.example_rows import example_rows
    from faircall.reporting.comparison_view import view_comparison
    from faircall.reporting.to_html import comparison_page
    from faircall.reporting.to_markdown import to_markdown
    from faircall.store.files import write_bytes_atomically, write_json

    folder.mkdir(parents=True, exist_ok=True)
    text = to_markdown(view_comparison(report), title="Comparison report")
    write_bytes_atomically(folder / "comparison_report.md", text.encode("utf-8"))
    page = comparison_page(report, example_rows(*arms), redacted=redacted)
    write_bytes_atomically(folder / "comparison_report.html", page.encode("utf-8"))
    write_json(folder / "comparison_report.json", report)
    return folder / "comparison_report.json"


def _print(report: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print_json(report)
        return
    from faircall.reporting.comparison_view import view_comparison

    print_view(view_comparison(report))


def _tell(condition: Condition, report: dict[str, Any]) -> str:
    return f"{condition.text} holds: it is {plain(measure(condition, report))}"
