"""A view as GitHub-flavoured Markdown. Everything that came from data is escaped."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from faircall.reporting.blocks import Line, Table, View
from faircall.reporting.to_terminal import clean

_SPECIAL: Final = re.compile(r"([\\`*_{}\[\]<>#|~$&!])")


def to_markdown(view: View, *, title: str) -> str:
    """The whole document: a title, paragraphs and pipe tables."""
    parts = [f"# {escape(title)}"]
    for block in view:
        parts.append(_paragraph(block) if isinstance(block, Line) else "\n".join(_table(block)))
    return "\n\n".join(parts) + "\n"


def escape(text: str) -> str:
    r"""The text with no character that Markdown or HTML would act on.

    >>> print(escape("a|b <i> full_call"))
    a\|b \<i\> full\_call
    """
    return _SPECIAL.sub(r"\\\1", clean(text))


def _paragraph(line: Line) -> str:
    text = escape(line.text)
    return f"**{text}**" if line.tone in ("heading", "good", "bad") else text


def _table(table: Table) -> Iterator[str]:
    yield f"## {escape(table.title)}"
    yield ""
    yield _row(table.columns)
    yield "|".join(
        [
            "",
            *(" :--- " for _ in table.columns[: table.names]),
            *(" ---: " for _ in table.columns[table.names :]),
            "",
        ]
    )
    for row in table.rows:
        yield _row(row)
    if table.note:
        yield ""
        yield escape(table.note)


def _row(cells: tuple[str, ...]) -> str:
    return "| " + " | ".join(escape(cell) for cell in cells) + " |"
