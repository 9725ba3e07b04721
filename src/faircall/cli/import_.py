"""`faircall import`: foreign files to the rows that the other verbs take."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from faircall.cli import options
from faircall.cli.console import JsonFlag, new_app, print_json, print_text, print_view, print_written
from faircall.errors import DataError, UsageError

if TYPE_CHECKING:
    from faircall.reporting.blocks import View

app = new_app(help="Turn logs and data sets into rows; every row is imported, or refused by name.")

SHOWN: Final = 20

Files = Annotated[
    list[str] | None,
    typer.Argument(metavar="FILE", help="Files, patterns or run folders; - is standard input."),
]
Form = Annotated[
    str | None,
    typer.Option(
        "--from", metavar="FORM", help="The form of the files; told by their content when left out."
    ),
]
Beside = Annotated[
    str | None,
    typer.Option("--with", metavar="FILE", help="A file to join by id, as BFCL's possible answers."),
]
Output = Annotated[Path | None, typer.Option("-o", "--out", metavar="FILE", help="Where the rows go.")]
ListForms = Annotated[bool, typer.Option("--list", help="List the forms and stop.")]


@app.command("import", epilog="Example: faircall import logs.jsonl -o rows.jsonl")
def import_rows(
    files: Files = None,
    out: Output = None,
    form: Form = None,
    maps: options.Maps = None,
    beside: Beside = None,
    list_forms: ListForms = False,
    as_json: JsonFlag = False,
) -> None:
    """Turn logs and data sets into rows; every row is imported, or refused by name."""
    if list_forms:
        _list_forms(as_json=as_json)
        return
    if not files:
        raise UsageError("which file?", hint="faircall import FILE -o rows.jsonl")
    from faircall.api.importing import import_files
    from faircall.store.atomic import write_json_lines

    found = import_files(files, form=form, columns=options.read_maps(maps), beside=beside)
    rows = [row for file in found for row in file.outcome.rows]
    summaries = [file.summary() for file in found]
    if as_json:
        print_json({"files": summaries, "rows": rows if out is None else len(rows)})
    else:
        print_view(tuple(block for summary in summaries for block in _view(summary)))
    if not rows:
        raise DataError(
            "no row could be imported", hint="the reasons are listed above; --from names another form"
        )
    if out is not None:
        write_json_lines(out, rows)
        print_written(out, json_on_stdout=as_json)
    elif not as_json:
        print_text("nothing was written: -o FILE says where the rows go")


def _list_forms(*, as_json: bool) -> None:
    from faircall.importing import importers
    from faircall.reporting.blocks import Table

    found = [(name, importers.get(name).summary) for name in importers.names()]
    if as_json:
        print_json([{"name": name, "summary": summary} for name, summary in found])
    else:
        print_view((Table("Forms", ("name", "what it is"), tuple(found), names=2),))


def _view(summary: dict[str, Any]) -> View:
    from faircall.reporting.blocks import Line, Table

    counts, rejected, changes = summary["counts"], summary["rejected"], summary["status_changes"]
    told = f"{counts['seen']} seen, {counts['imported']} imported, {counts['rejected']} rejected"
    blocks: list[Line | Table] = [Line(f"{summary['file']}: {summary['form']}; {told}", tone="heading")]
    if summary["reader"]:
        blocks.append(Line(f"answers are in structured fields: score them with --reader {summary['reader']}"))
    if rejected:
        reasons = tuple((reason, str(count)) for reason, count in summary["reasons"].items())
        blocks.append(Table("Reasons", ("reason", "rows"), reasons))
        shown = tuple((str(entry["line"]), entry["id"] or "", entry["reason"]) for entry in rejected[:SHOWN])
        more = f"{len(rejected) - SHOWN} more with --json" if len(rejected) > SHOWN else ""
        blocks.append(Table("Rejected", ("line", "id", "reason"), shown, note=more, names=3))
    if changes:
        cells = tuple((entry["id"], entry["stored"], entry["found"], entry["decision"]) for entry in changes)
        blocks.append(
            Table("Parsed otherwise than stored", ("id", "stored", "here", "decision"), cells, names=4)
        )
    return tuple(blocks)
