"""`faircall lint`: what is wrong with gold before any model is blamed for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from faircall.cli import options
from faircall.cli.console import JsonFlag, new_app, print_json, print_view

if TYPE_CHECKING:
    from faircall.reporting.blocks import View

app = new_app(
    help="Look for faults in gold: broken schemas, tools not offered, repeats, leaks from training."
)

SHOWN: Final = 30

Files = Annotated[list[str], typer.Argument(metavar="FILE", help="Gold rows in any form that import reads.")]
Training = Annotated[
    list[str] | None,
    typer.Option("--train", metavar="FILE", help="Training rows to hold against (repeatable)."),
]
Form = Annotated[
    str | None,
    typer.Option(
        "--from", metavar="FORM", help="The form of the files; told by their content when left out."
    ),
]
Dialect = Annotated[
    str, typer.Option("--dialect", help="How tool schemas are written: auto, json_schema or bfcl.")
]


@app.command(epilog="Example: faircall lint test.jsonl --train train.jsonl")
def lint(
    files: Files,
    train: Training = None,
    form: Form = None,
    dialect: Dialect = "auto",
    maps: options.Maps = None,
    as_json: JsonFlag = False,
) -> None:
    """Look for faults in gold: broken schemas, tools not offered, repeats, leaks from training."""
    columns = options.read_maps(maps)
    from faircall.api.linting import lint_files

    report = lint_files(files, training=train or (), form=form, columns=columns, dialect=dialect)
    if as_json:
        print_json(report)
    else:
        print_view(_view(report))
    if report["findings"]:
        raise typer.Exit(1)


def _view(report: dict[str, Any]) -> View:
    from faircall.reporting.blocks import Line, Table

    findings = report["findings"]
    blocks: list[Line | Table] = [
        Line(f"{report['rows']} gold rows, {len(findings)} findings", tone="heading")
    ]
    for key, whose in (("without_request", ""), ("training_without_request", "training ")):
        if silent := report.get(key):
            blocks.append(Line(f"{silent} {whose}rows without query or messages: no repeat or leak can show"))
    if known := report.get("known_tools"):
        text = f"{known['rows']} of {known['of_rows']} gold calls are of a tool that training calls"
        blocks.append(Line(f"{text}; {known['tools']} of {known['of_tools']} tools"))
    if findings:
        counts = tuple((kind, str(count)) for kind, count in report["counts"].items() if count)
        shown = tuple((entry["kind"], entry["id"], entry["what"]) for entry in findings[:SHOWN])
        more = f"{len(findings) - SHOWN} more with --json" if len(findings) > SHOWN else ""
        blocks.append(Table("Kinds", ("kind", "rows"), counts))
        blocks.append(Table("Findings", ("kind", "id", "what"), shown, note=more, names=3))
    return tuple(blocks)
