"""`faircall report`: compare two arms of runs, or all arms of one run."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from faircall.cli import options
from faircall.cli.console import JsonFlag, new_app, print_json, print_view, print_written
from faircall.errors import UsageError

if TYPE_CHECKING:
    from faircall.reporting.blocks import View
    from faircall.reporting.renderers import Json, Subject

app = new_app(help="Compare two arms of runs, or all arms of one run.")

_FOLDER = "The folder of an arm (RUN/eval/ARM), or a run with one arm of that kind."
Base = Annotated[Path, typer.Option("--base", help=_FOLDER)]
Adapter = Annotated[Path, typer.Option("--adapter", help=_FOLDER)]
Out = Annotated[
    Path | None, typer.Option("--out", help="Where the reports go; RUN/report when both arms are of one run.")
]
Vary = Annotated[
    list[str] | None, typer.Option("--vary", help="Declare what else was changed; may be repeated.")
]
Pairs = Annotated[
    list[str] | None, typer.Option("--pair", help="BASELINE:CANDIDATE instead of all pairs; may be repeated.")
]
Arms = Annotated[
    list[str] | None, typer.Option("--arm", help="An arm, the reference first; may be repeated.")
]


@app.command(
    "compare", epilog="Example: faircall report compare --base RUN/eval/base --adapter RUN/eval/adapter"
)
def compare(
    base: Base,
    adapter: Adapter,
    out: Out = None,
    vary: Vary = None,
    forms: options.Forms = "json,md,html",
    redact: options.Redact = None,
    as_json: JsonFlag = False,
) -> None:
    """Compare two arms under the gate.

    The exit status is 1 when a declared claim is not established.
    """
    from faircall.pipeline.comparison import compare_folders, default_out
    from faircall.reporting.comparison_view import view_comparison

    report, path = compare_folders(
        base,
        adapter,
        out=out or default_out(base, adapter),
        vary=vary or (),
        forms=options.read_forms(forms),
        redacted=redact is not None,
    )
    _answer(report, path, view=view_comparison, as_json=as_json)


@app.command(
    "experiment", epilog="Example: faircall report experiment artifacts/runs/20260102T030405Z-0a1b2c3d"
)
def experiment(
    run_path: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run.")],
    arm: Arms = None,
    pair: Pairs = None,
    as_json: JsonFlag = False,
) -> None:
    """Compare all arms of a run pair by pair.

    The exit status is 1 when a declared claim is not established.
    """
    from faircall.pipeline.experiment import build_experiment_report, write_experiment
    from faircall.reporting.experiment_view import view_experiment
    from faircall.store.layout import open_run

    run = open_run(run_path)
    report = build_experiment_report(run, arm or (), pairs=[_read_pair(text) for text in pair or ()])
    path = write_experiment(run, report)
    _answer(report, path, view=view_experiment, as_json=as_json)


def _answer(report: Json, path: Path, *, view: Callable[[Json], View], as_json: bool) -> None:
    """Print a report that was written, and exit with what it says of its claims."""
    from faircall.comparing.answer import require_yes

    if as_json:
        print_json(report)
    else:
        print_view(view(report))
    print_written(path, json_on_stdout=as_json)
    require_yes(report)


@app.command(
    "render", epilog="Example: faircall report render report/comparison_report.json --format junit,png"
)
def render(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="comparison_report.json, or what `score -o` wrote.")
    ],
    forms: options.Forms = "md",
    out: Annotated[
        str | None,
        typer.Option("-o", "--out", metavar="DIR", help="Where they go; beside FILE. - prints one form."),
    ] = None,
    redact: options.Redact = None,
    dataset: options.HubDataset = None,
    task: options.HubTask = "default",
    as_json: JsonFlag = False,
) -> None:
    """Write a stored report in other forms.

    Its numbers are taken as they are.
    """
    from faircall.api.rendering import write_forms
    from faircall.reporting import renderers
    from faircall.store.files import read_json

    names = options.read_forms(forms)
    found = renderers.subject_of(read_json(file), name=str(file))
    subject = replace(found, redacted=redact is not None, dataset=dataset, task=task)
    if out == "-":
        _print_form(subject, names)
        return
    folder = file.parent if out is None else Path(out)
    base = folder / file.name.removesuffix(".json")
    _keep_source(file, [base.with_name(base.name + renderers.RENDERERS.get(name).ending) for name in names])
    files = write_forms(subject, names, base)
    if as_json:
        print_json({"written": [str(path) for path in files]})
    for path in files:
        print_written(path, json_on_stdout=as_json)


def _print_form(subject: Subject, names: tuple[str, ...]) -> None:
    from faircall.reporting.renderers import render as render_form

    if len(names) != 1:
        raise UsageError("standard output holds one form", hint="name one with --format, or a folder with -o")
    sys.stdout.flush()
    sys.stdout.buffer.write(render_form(subject, names[0]))
    sys.stdout.buffer.flush()


def _keep_source(file: Path, written: list[Path]) -> None:
    if any(path.absolute() == file.absolute() for path in written):
        raise UsageError(
            f"{file} would be written over itself", hint="leave json out of --format, or give -o DIR"
        )


def _read_pair(text: str) -> tuple[str, str]:
    baseline, colon, candidate = text.partition(":")
    if not (baseline and colon and candidate):
        raise UsageError(f"--pair {text!r} is not BASELINE:CANDIDATE", hint="for example --pair base:adapter")
    return baseline, candidate
