"""`faircall merge`: the shards of an arm to a finished arm."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from faircall.cli.console import JsonFlag, new_app, print_json, print_view, print_warnings, print_written

app = new_app(help="Put the shards of an arm together and finish it.")

Shards = Annotated[
    list[Path] | None,
    typer.Argument(metavar="SHARD", help="Files of shards; those in the run when left out."),
]


@app.command(epilog="Example: faircall merge artifacts/runs/20260102T030405Z-0a1b2c3d --arm base")
def merge(
    run_path: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run.")],
    shards: Shards = None,
    arm: Annotated[str, typer.Option("--arm", help="The arm that `eval run --shard` generated.")] = "base",
    as_json: JsonFlag = False,
) -> None:
    """Put the shards of an arm together and finish it."""
    from faircall.pipeline.shards import merge_shards
    from faircall.reporting.evaluation_view import view_evaluation
    from faircall.store.layout import open_run

    outcome = merge_shards(open_run(run_path), arm, shards or ())
    print_warnings(outcome.report["warnings"], name=arm)
    if as_json:
        print_json(outcome.report)
    else:
        print_view(view_evaluation({**outcome.report, "name": arm}))
    print_written(outcome.report_file, json_on_stdout=as_json)
