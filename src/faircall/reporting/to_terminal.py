"""A view as text: aligned columns in a pipe, rich tables for a person at a terminal."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Final

from faircall.reporting.blocks import Line, Table, View

_STYLES: Final = {
    "plain": "",
    "heading": "bold",
    "good": "bold green",
    "bold": "bold",
    "bad": "bold red",
    "quiet": "dim",
}
_WIDE: Final = ("W", "F")


def to_plain_text(view: View) -> str:
    """The view in plain characters, the same on every machine: for pipes, files and documentation."""
    text = "\n".join(line.rstrip() for block in view for line in _plain_block(block))
    return re.sub(r"\n{3,}", "\n\n", text).strip("\n") + "\n"


def to_rich_text(view: View, *, width: int, colour: bool = True) -> str:
    """The view with ruled tables, for a terminal of `width` columns."""
    from rich import box
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    console = Console(
        width=width, force_terminal=colour, no_color=not colour, highlight=False, markup=False, emoji=False
    )
    with console.capture() as capture:
        for block in view:
            if isinstance(block, Line):
                console.print(Text(clean(block.text), style=_STYLES[block.tone]))
                continue
            table = RichTable(
                title=Text(clean(block.title), style="bold"), title_justify="left", box=box.SIMPLE_HEAD
            )
            for index, column in enumerate(block.columns):
                table.add_column(Text(clean(column)), justify="left" if index < block.names else "right")
            for row in block.rows:
                table.add_row(*(Text(clean(cell)) for cell in row))
            console.print(table)
            if block.note:
                console.print(Text(clean(block.note), style="dim"))
    return str(capture.get())


def clean(text: str) -> str:
    """The text with control characters spelt out: outputs are untrusted, and terminals obey them."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def _plain_block(block: Line | Table) -> Iterator[str]:
    if isinstance(block, Line):
        yield clean(block.text)
        return
    yield ""
    yield clean(block.title)
    rows = [tuple(clean(cell) for cell in row) for row in (block.columns, *block.rows)]
    widths = [max(map(_cells, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  " + "  ".join(_aligned(row, widths, names=block.names))
    if block.note:
        yield f"  {clean(block.note)}"
    yield ""


def _aligned(row: Sequence[str], widths: Sequence[int], *, names: int) -> Iterator[str]:
    for index, (cell, width) in enumerate(zip(row, widths, strict=True)):
        padding = " " * (width - _cells(cell))
        yield cell + padding if index < names else padding + cell


def _cells(text: str) -> int:
    """How many terminal columns a text takes: East Asian wide characters take two, combining ones none."""
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in _WIDE else 1 for c in text
    )
