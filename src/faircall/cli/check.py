"""`faircall check`: what outputs show without gold."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from faircall.cli import options
from faircall.cli.console import JsonFlag, new_app, print_json, print_view, print_written
from faircall.records import PARSER_VERSION

if TYPE_CHECKING:
    from faircall.reporting.blocks import View

app = new_app(help="Check outputs without gold: validity, unknown tools, invented arguments, truncation.")

_WORDS: Final = {
    "readable": "makes a call that can be read",
    "silent": "makes no call",
    "malformed": "cannot be read",
    "schema_valid": "arguments are valid under the tool's schema",
    "unknown_tool": "names a tool that is not offered",
    "invented_argument": "has an argument that the schema lacks",
    "truncated": "stopped at the token limit",
    "repeated_in_answer": "makes the same call twice",
    "repeated_call": "repeats the call of another request",
    "call_precision": "calls that were due, of those made",
    "call_recall": "calls made, of those due",
    "no_call_precision": "silences that were due, of those kept",
    "no_call_recall": "silences kept, of those due",
}

_COUNTED: Final = (
    ("Why no single call was read", "reasons"),
    ("Finish reasons", "finish_reasons"),
    ("Tools that are not offered", "unknown_tools"),
    ("Arguments that the schema lacks", "invented_arguments"),
)

File = Annotated[
    str,
    typer.Argument(
        metavar="FILE",
        help="Rows {id, raw_text or message, tools?, ...}; - is standard input. A quoted pattern, "
        "folder or URL of several files is one table.",
    ),
]
Cluster = Annotated[
    str | None, typer.Option("--cluster", metavar="COLUMN", help="Rows with one value are one cluster.")
]
Dialect = Annotated[
    str, typer.Option("--dialect", help="How tool schemas are written: auto, json_schema or bfcl.")
]
Output = Annotated[Path | None, typer.Option("-o", "--out", metavar="FILE", help="Write the report as JSON.")]


@app.command(epilog="Example: faircall check outputs.jsonl --reader hermes.v1")
def check(
    file: File,
    reader: options.Reader = PARSER_VERSION,
    cluster: Cluster = None,
    dialect: Dialect = "auto",
    maps: options.Maps = None,
    level: options.Level = 0.95,
    out: Output = None,
    as_json: JsonFlag = False,
) -> None:
    """Check outputs without gold: validity, unknown tools, invented arguments, truncation."""
    columns = options.read_maps(maps)
    from faircall.api.checking import check_file
    from faircall.store.atomic import write_json

    report = check_file(file, columns=columns, reader=reader, cluster=cluster, dialect=dialect, level=level)
    if as_json:
        print_json(report)
    else:
        print_view(_view(report))
    if out is not None:
        write_json(out, report)
        print_written(out, json_on_stdout=as_json)


def _view(report: dict[str, Any]) -> View:
    from faircall.reporting import numbers
    from faircall.reporting.blocks import Line, Table

    rows = tuple(
        (_WORDS[name], numbers.counts(share["numerator"], share["denominator"]), *_shown(share))
        for name, share in report["checks"].items()
        if share["denominator"]
    )
    label = f", read by {report['reader']}" + (" (after the server's parser)" if report["native"] else "")
    rows_read, clusters = (
        numbers.counted(report["rows"], "row"),
        numbers.counted(report["clusters"], "cluster"),
    )
    size = f"{rows_read}, {clusters}{label}"
    blocks: list[Line | Table] = [
        Line(f"{report['file']}: {size}", tone="heading"),
        Table("Checks", ("check", "rows", "share", "CI"), rows),
    ]
    for title, key in _COUNTED:
        if report[key]:
            blocks.append(
                Table(title, ("what", "count"), tuple((name, str(n)) for name, n in report[key].items()))
            )
    if report.get("notice"):
        blocks.append(Line(f"notice: {report['notice']}", tone="bad"))
    return tuple(blocks)


def _shown(share: dict[str, Any]) -> tuple[str, str]:
    from faircall.reporting import numbers

    interval = share["interval"]
    bounded = interval["lower"] is not None
    return numbers.rate(share["value"]), numbers.rate_interval(
        interval["lower"], interval["upper"]
    ) if bounded else ""
