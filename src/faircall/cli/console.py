"""How a verb speaks: results on standard output, progress and paths where they do not disturb a pipe."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer

from faircall.reporting.blocks import View
from faircall.reporting.to_json import to_json

JsonFlag: TypeAlias = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]


def new_app(**settings: Any) -> typer.Typer:
    """A typer app in the manner of faircall: plain help, no completion scripts, errors left to `main`."""
    return typer.Typer(
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["--help", "-h"], "max_content_width": 110},
        **settings,
    )


def new_group(**settings: Any) -> typer.Typer:
    """An app like `new_app` whose verb stays a word of its own while it is the only one."""
    app = new_app(**settings)
    app.callback()(_do_nothing)
    return app


def _do_nothing() -> None:
    """With a callback, typer makes a group even of one verb."""


def print_text(text: str) -> None:
    """Print for people; characters that the terminal's encoding lacks are escaped, never an error."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding).rstrip("\n") + "\n")


def print_json(value: Any) -> None:
    """Print for machines: one ASCII document with sorted keys."""
    sys.stdout.write(to_json(value))


def print_written(path: Path | str, *, json_on_stdout: bool = False) -> None:
    """Name what was written, as the last line; on standard error when standard output carries `--json`."""
    print(f"wrote {path}", file=sys.stderr if json_on_stdout else sys.stdout)


def print_warnings(warnings: Iterable[str], *, name: str) -> None:
    """What must be known before the numbers of an arm are believed, on standard error."""
    for warning in warnings:
        print(f"faircall: warning: {name}: {warning}", file=sys.stderr)


def print_numbered(files: Iterable[str]) -> None:
    """That rows of these files have no ids, on standard error: files in another order would pair wrongly."""
    named = ", ".join(dict.fromkeys("standard input" if name == "-" else name for name in files))
    if named:
        print(f"faircall: notice: {named}: no column of ids: joined by line number", file=sys.stderr)


def print_view(view: View) -> None:
    """Print a report: ruled tables for a person at a terminal, aligned text for everything else."""
    from faircall.reporting import to_terminal

    if on_terminal():
        width = shutil.get_terminal_size().columns
        print_text(to_terminal.to_rich_text(view, width=width, colour=not os.environ.get("NO_COLOR")))
    else:
        print_text(to_terminal.to_plain_text(view))


def on_terminal() -> bool:
    """Whether a person watches: tables and progress bars are for terminals only."""
    return sys.stdout.isatty()
