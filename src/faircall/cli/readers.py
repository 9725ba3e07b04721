"""`faircall readers`: the declared readers, and what each of them finds in a file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from faircall.cli import options
from faircall.cli.console import JsonFlag, new_app, print_json, print_view

if TYPE_CHECKING:
    from faircall.parsing.readers import Reader, Reading, ReadingInput
    from faircall.reporting.blocks import View

app = new_app(help="List the declared readers, or say what each finds in a file.")

STATUSES: Final = ("ok", "no_json", "invalid_json", "invalid_shape")

File = Annotated[str, typer.Argument(metavar="FILE", help="Rows {id, raw_text or message, prompt?, tools?}.")]
Names = Annotated[
    list[str] | None,
    typer.Option("--reader", metavar="NAME", help="Only this reader (repeatable, + composes)."),
]


@app.command("list", epilog="Example: faircall readers list")
def list_readers(as_json: JsonFlag = False) -> None:
    """List every reader: its name, its kind, and what it reads.

    A native reader sees what the server's parser made of the answer.
    """
    from faircall.parsing import readers
    from faircall.parsing.readers import Front

    found: list[dict[str, Any]] = []
    for name in readers.names():
        entry = readers.READERS.get(name)
        kind = "front" if isinstance(entry, Front) else "native" if entry.native else "text"
        found.append({"name": name, "kind": kind, "summary": entry.summary})
    if as_json:
        print_json(found)
        return
    from faircall.reporting.blocks import Line, Table

    rows = tuple((entry["name"], entry["kind"], entry["summary"]) for entry in found)
    print_view(
        (
            Table("Readers", ("name", "kind", "reads"), rows, names=3),
            Line("A front comes before a reader: think.v1+hermes.v1", tone="quiet"),
        )
    )


@app.command(epilog="Example: faircall readers explain outputs.jsonl")
def explain(file: File, reader: Names = None, maps: options.Maps = None, as_json: JsonFlag = False) -> None:
    """Say which markers a file has and what each reader finds."""
    from faircall.importing.from_jsonl import import_rows
    from faircall.parsing import readers
    from faircall.store.files import describe_path, read_json_lines

    rows = import_rows(
        read_json_lines(file), label=describe_path(file), columns=options.read_maps(maps), gold_needed=False
    )
    inputs = readers.inputs_of(rows.examples, rows.generations, prompts=rows.prompts)
    chosen = [readers.get(name) for name in reader or _worth_trying(inputs)]
    explanation = _explain(chosen, inputs)
    if as_json:
        print_json(explanation)
    else:
        print_view(_view(explanation, file))


def _worth_trying(inputs: Sequence[ReadingInput]) -> list[str]:
    """Every reader that can find something here, and the composition that a notice would name."""
    from faircall.parsing import readers
    from faircall.parsing.readers import Reader
    from faircall.records import PARSER_VERSION

    messages = any(given.message is not None for given in inputs)
    entries = [readers.READERS.get(name) for name in readers.names()]
    names = [entry.name for entry in entries if isinstance(entry, Reader) and (messages or not entry.native)]
    notice = readers.notice_unknown(readers.get(PARSER_VERSION), inputs)
    return names if notice is None or notice.suggestion in names else [*names, notice.suggestion]


def _explain(chosen: Sequence[Reader], inputs: Sequence[ReadingInput]) -> dict[str, Any]:
    from faircall.parsing import readers

    markers = Counter(mark for given in inputs for mark in readers.markers_in(given))
    found = [_describe(reader, readers.read_rows(reader, inputs)) for reader in chosen]
    return {"rows": len(inputs), "markers": dict(sorted(markers.items())), "readers": found}


def _describe(reader: Reader, readings: Sequence[Reading]) -> dict[str, Any]:
    statuses = Counter(reading.parsed.status for reading in readings)
    reasons = Counter(reading.parsed.reason for reading in readings if reading.parsed.reason is not None)
    return {
        "name": reader.name,
        "native": reader.native,
        "statuses": {status: statuses[status] for status in STATUSES},
        "reasons": dict(sorted(reasons.items())),
        "calls_in_thought": sum(reading.calls_in_thought for reading in readings),
    }


def _view(explanation: dict[str, Any], file: str) -> View:
    from faircall.reporting import numbers
    from faircall.reporting.blocks import Line, Table

    rows = tuple(
        (
            entry["name"],
            *(str(entry["statuses"][status]) for status in STATUSES),
            _commonest(entry["reasons"]),
        )
        for entry in explanation["readers"]
    )
    marks = tuple((mark, str(count)) for mark, count in explanation["markers"].items())
    return (
        Line(f"{file}: {numbers.counted(explanation['rows'], 'row')}", tone="heading"),
        *([Table("Markers", ("marker", "rows"), marks)] if marks else [Line("no markers of any protocol")]),
        Table("What each reader finds", ("reader", *STATUSES, "commonest reason"), rows),
    )


def _commonest(reasons: dict[str, int]) -> str:
    return max(reasons, key=lambda reason: (reasons[reason], reason)) if reasons else ""
