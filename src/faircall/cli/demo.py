"""`faircall demo`: the main job on a small real model, live or replayed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from faircall.cli.console import JsonFlag, new_app, print_json, print_view, print_written
from faircall.errors import UsageError

if TYPE_CHECKING:
    from faircall.reporting.blocks import View
    from faircall.store.layout import RunFolder

app = new_app(help="Compare a small real model with its adapters: live, or the stored reference run.")

Replay = Annotated[
    bool, typer.Option("--replay", help="Show the stored reference run; needs no model and no torch.")
]
Everything = Annotated[
    bool, typer.Option("--all", help="All arms, both languages, all roots: most of an hour.")
]
Out = Annotated[Path, typer.Option("--out", help="The folder of the demo.")]


@app.command(epilog="Example: faircall demo --replay")
def demo(
    replay: Replay = False,
    everything: Everything = False,
    out: Out = Path("faircall-demo"),
    as_json: JsonFlag = False,
) -> None:
    """Compare a small real model with its adapters: live, or the stored reference run.

    Live, it takes about five minutes: base and one adapter on as many English requests as fit.
    """
    if replay and everything:
        raise UsageError("--replay shows everything already", hint="leave out --all")
    if replay:
        from faircall.demo.replay import replay as replay_reference

        replayed = replay_reference(out, tell=_tell)
        _show(replayed.report, as_json=as_json)
        _write_page(replayed.run, out / "reference.html", as_json=as_json)
        print_written(replayed.report_file, json_on_stdout=as_json)
        return
    from faircall.cli.progress import tell_progress
    from faircall.demo.live import run_live

    finished = run_live(out, everything=everything, tell=_tell, listener_for=tell_progress)
    _show(finished.report or {}, as_json=as_json)
    _write_page(finished.run, out / "report.html", as_json=as_json)
    print_written(finished.report_file, json_on_stdout=as_json)


def _tell(line: str) -> None:
    typer.echo(line, err=True)


def _show(report: Mapping[str, Any], *, as_json: bool) -> None:
    if as_json:
        print_json(report)
    else:
        print_view(_view(report))


def _write_page(run: RunFolder, page: Path, *, as_json: bool) -> None:
    """The comparison as a page to open, examples included; beside the run, whose files stay as they are.

    The stored reference run has a page of its own, so that it never replaces that of a live run.
    """
    from faircall.store.atomic import write_bytes_atomically
    from faircall.viewer.places import chief_page

    write_bytes_atomically(page, chief_page(run).encode("utf-8"))
    print_written(page, json_on_stdout=as_json)


def _view(report: Mapping[str, Any]) -> View:
    from faircall.reporting.comparison_view import view_comparison
    from faircall.reporting.experiment_view import view_experiment

    return view_experiment(report) if "arm_order" in report else view_comparison(report)
