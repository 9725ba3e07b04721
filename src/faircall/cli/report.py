"""`faircall report`: compare two arms of runs, or all arms of one run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from faircall.cli import options
from faircall.cli.console import JsonFlag, new_app, print_json, print_view, print_written
from faircall.errors import UsageError

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
    redact: options.Redact = None,
    as_json: JsonFlag = False,
) -> None:
    """Compare two arms under the gate; exit status 1 when a declared claim is not established."""
    from faircall.pipeline.comparison import compare_folders, default_out
    from faircall.pipeline.run import require_claims

    report, path = compare_folders(
        base, adapter, out=out or default_out(base, adapter), vary=vary or (), redacted=redact is not None
    )
    if as_json:
        print_json(report)
    else:
        from faircall.reporting.comparison_view import view_comparison

        print_view(view_comparison(report))
    print_written(path, json_on_stdout=as_json)
    require_claims(report)


@app.command(
    "experiment", epilog="Example: faircall report experiment artifacts/runs/20260102T030405Z-0a1b2c3d"
)
def experiment(
    run_path: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run.")],
    arm: Arms = None,
    pair: Pairs = None,
    as_json: JsonFlag = False,
) -> None:
    """Compare all arms of a run pair by pair; exit status 1 when a declared claim is not established."""
    from faircall.pipeline.experiment import build_experiment_report, write_experiment
    from faircall.pipeline.run import require_claims
    from faircall.store.layout import open_run

    run = open_run(run_path)
    report = build_experiment_report(run, arm or (), pairs=[_read_pair(text) for text in pair or ()])
    path = write_experiment(run, report)
    if as_json:
        print_json(report)
    else:
        from faircall.reporting.experiment_view import view_experiment

        print_view(view_experiment(report))
    print_written(path, json_on_stdout=as_json)
    require_claims(report)


def _read_pair(text: str) -> tuple[str, str]:
    baseline, colon, candidate = text.partition(":")
    if not (baseline and colon and candidate):
        raise UsageError(f"--pair {text!r} is not BASELINE:CANDIDATE", hint="for example --pair base:adapter")
    return baseline, candidate
