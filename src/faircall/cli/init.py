"""`faircall init`: a config with every key, and rows that it accepts."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Annotated, Final

import typer

from faircall.cli.console import JsonFlag, new_app, print_json, print_written
from faircall.errors import UsageError
from faircall.store.atomic import write_bytes_atomically

app = new_app(help="Write an example config, with every key explained, and rows that it accepts.")

EXAMPLE_FILES: Final = ("rows.en.jsonl", "rows.fr.jsonl", "faircall.yaml")

Folder = Annotated[Path, typer.Argument(help="Where to write; the current folder by default.")]


@app.command(epilog="Example: faircall init my-evaluation")
def init(folder: Folder = Path(), as_json: JsonFlag = False) -> None:
    """Write an example config, with every key explained, and rows that it accepts."""
    standing = [name for name in EXAMPLE_FILES if (folder / name).exists()]
    if standing:
        hint = "give another folder: faircall init FOLDER"
        raise UsageError(f"{folder / standing[0]} exists and is left as it is", hint=hint)
    for name in EXAMPLE_FILES:
        write_bytes_atomically(folder / name, example_bytes(name))
    if as_json:
        print_json({"written": [str(folder / name) for name in EXAMPLE_FILES]})
    else:
        for name in EXAMPLE_FILES:
            print_written(folder / name)


def example_bytes(name: str) -> bytes:
    """The content of one example file."""
    return files("faircall.cli").joinpath("example", name).read_bytes()
