"""`faircall run`: all stages of a config with one command."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from faircall.cli import options
from faircall.cli.console import JsonFlag, new_app, print_json, print_view, print_warnings, print_written

if TYPE_CHECKING:
    from faircall.pipeline.run import Finished
    from faircall.reporting.blocks import View

app = new_app(help="Run all stages of a config: data, prompts, every arm, the report.")

RunId = Annotated[
    str | None,
    typer.Option("--run-id", help="Go on with this run, or start it; else the newest of the config."),
]
Fresh = Annotated[bool, typer.Option("--new", help="Start a new run, whatever exists.")]
Limit = Annotated[int | None, typer.Option("--limit", min=1, help="Only the first N root examples.")]


@app.command(epilog="Example: faircall run -c faircall.yaml")
def run(
    config: options.ConfigFile,
    run_id: RunId = None,
    fresh: Fresh = False,
    limit: Limit = None,
    as_json: JsonFlag = False,
) -> None:
    """Run all stages of a config: data, prompts, every arm, the report.

    Only what is missing is run: finished stages and arms are left as they are, and an arm that was stopped
    goes on. A config with an `experiment` gives the report of its arms and pairs. The exit status is 1 when
    a declared claim is not established.
    """
    from faircall.cli.progress import show_progress
    from faircall.comparing.answer import require_yes
    from faircall.config import load_config
    from faircall.pipeline.run import run_stages

    loaded = load_config(config)
    finished = run_stages(loaded, run_id=run_id, fresh=fresh, limit=limit, listener_for=show_progress)
    report = finished.report or next(iter(finished.arms.values())).report
    for arm, outcome in finished.arms.items():
        print(f"{arm}: {outcome.tell()}", file=sys.stderr if as_json else sys.stdout)
        print_warnings(outcome.report["warnings"], name=arm)
    if as_json:
        print_json(report)
    else:
        print_view(_view(finished))
    for file in (finished.report_file, finished.report_file.with_suffix(".html")):
        if file.is_file():
            print_written(file, json_on_stdout=as_json)
    if finished.report is None and loaded.claims:
        print_warnings(
            ["claims are declared, and one arm alone decides none of them"], name=loaded.project.name
        )
    if finished.report is not None:
        require_yes(finished.report)


def _view(finished: Finished) -> View:
    from faircall.reporting.comparison_view import view_comparison
    from faircall.reporting.evaluation_view import view_evaluation
    from faircall.reporting.experiment_view import view_experiment

    if finished.report is None:
        report = next(iter(finished.arms.values())).report
        return view_evaluation({**report, "name": report["arm"]})
    return (view_comparison if finished.kind == "comparison" else view_experiment)(finished.report)
