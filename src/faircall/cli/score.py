"""`faircall score`: one file of outputs against its gold calls."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from faircall.cli import options
from faircall.cli.console import JsonFlag, new_app, print_json, print_view, print_written
from faircall.errors import UsageError
from faircall.records import PARSER_VERSION

app = new_app(help="Score stored outputs with the five metrics.")

File = Annotated[
    str, typer.Argument(metavar="FILE", help="Rows {id, raw_text, gold, ...}; - is standard input.")
]
Output = Annotated[
    Path | None, typer.Option("-o", "--out", metavar="FILE", help="Write the evaluation, every row included.")
]
Label = Annotated[str | None, typer.Option("--label", metavar="NAME", help="Name the arm.")]

Jobs = Annotated[
    int, typer.Option(min=1, metavar="N", help="Processes that score a file of rows, for the table alone.")
]


@app.command(epilog="Example: faircall score outputs.jsonl --map raw_text=output -o scored.json")
def score(
    file: File,
    gold: options.Gold = None,
    maps: options.Maps = None,
    reader: options.Reader = PARSER_VERSION,
    protocol: options.Protocol = options.DEFAULT_PROTOCOL,
    label: Label = None,
    out: Output = None,
    forms: options.Forms = "json",
    redact: options.Redact = None,
    dataset: options.HubDataset = None,
    task: options.HubTask = "default",
    jobs: Jobs = 1,
    as_json: JsonFlag = False,
) -> None:
    """Score stored outputs with the five metrics.

    The table alone of a file of rows is made without holding the rows, so the file may be of any length.

    Every --format is written beside the JSON, under its name with the ending of the form.
    """
    names = options.read_forms(forms)
    if out is None and names != ("json",):
        raise UsageError("--format says what is written, and nothing says where", hint="add -o FILE")
    columns = options.read_maps(maps)
    if out is not None and (out.is_dir() or not out.name):
        raise UsageError(f"{out} is a folder", hint="give -o the name of a file, for example scored.json")
    from faircall.api import load_evaluation
    from faircall.api.example_rows import example_rows
    from faircall.api.rendering import write_forms
    from faircall.api.stored import as_result
    from faircall.reporting.evaluation_view import view_evaluation
    from faircall.reporting.renderers import subject_of
    from faircall.store.atomic import write_json

    if not as_json and out is None and gold is None and _can_stream(file, reader, protocol):
        print_view(view_evaluation(_summarise(file, name=label, columns=columns, jobs=jobs)))
        return
    evaluation = load_evaluation(
        file, name=label, columns=columns, gold=gold, reader=reader, protocol=protocol
    )
    if as_json:
        print_json(evaluation.to_dict())
    else:
        print_view(view_evaluation(evaluation.summary()))
    if out is not None:
        subject = subject_of(evaluation.to_dict())
        subject = replace(subject, redacted=redact is not None, dataset=dataset, task=task)
        if "html" in names:
            subject = replace(subject, listed=example_rows(as_result(evaluation)))
        others = tuple(name for name in names if name != "json")
        write_forms(subject, others, out.with_name(out.name.removesuffix(".json")))
        write_json(out, evaluation.to_dict())
        print_written(out, json_on_stdout=as_json)


def _can_stream(file: str, reader: str, protocol: str) -> bool:
    """Whether the summary of this file can be made block by block."""
    from faircall.store.files import STANDARD_INPUT, is_one_document

    declared = (reader, protocol) != (PARSER_VERSION, options.DEFAULT_PROTOCOL)
    return not declared and file != STANDARD_INPUT and not is_one_document(file)


def _summarise(file: str, *, name: str | None, columns: dict[str, str], jobs: int) -> dict[str, Any]:
    from faircall.api.streaming import summarise_file

    return summarise_file(file, name=name, columns=columns, jobs=jobs)
