"""How a verb speaks: results on standard output, progress and paths where they do not disturb a pipe."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer

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


def print_text(text: str) -> None:
    """Print for people; characters that the terminal's encoding lacks are escaped, never an error."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding).rstrip("\n") + "\n")


def print_json(value: Any) -> None:
    """Print for machines: one ASCII document with sorted keys."""
    sys.stdout.write(json.dumps(value, sort_keys=True, indent=2, ensure_ascii=True, allow_nan=False) + "\n")


def print_written(path: Path | str, *, json_on_stdout: bool = False) -> None:
    """Name what was written, as the last line; on standard error when standard output carries `--json`."""
    print(f"wrote {path}", file=sys.stderr if json_on_stdout else sys.stdout)


def on_terminal() -> bool:
    """Whether a person watches: tables and progress bars are for terminals only."""
    return sys.stdout.isatty()
