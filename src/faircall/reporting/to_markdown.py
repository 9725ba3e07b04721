"""A view as GitHub-flavoured Markdown. Everything that came from data is escaped."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from faircall.reporting.blocks import Line, Table, View
from faircall.reporting.comparison_view import view_comparison
from faircall.reporting.evaluation_view import view_evaluation
from faircall.reporting.renderers import Renderer, Subject
from faircall.reporting.to_terminal import clean

_SPECIAL: Final = re.compile(r"([\\`*_{}\[\]<>#|~$&!])")


def to_markdown(view: View, *, title: str, level: int = 1) -> str:
    """The whole document: a title (a heading of that level), paragraphs and pipe tables."""
    parts = [f"{'#' * level} {escape(title)}"]
    for block in view:
        parts.append(
            _paragraph(block) if isinstance(block, Line) else "\n".join(_table(block, level=level + 1))
        )
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


def _table(table: Table, *, level: int) -> Iterator[str]:
    yield f"{'#' * level} {escape(table.title)}"
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


def render_report(subject: Subject) -> bytes:
    """A whole report as one document."""
    if subject.kind == "comparison":
        text = to_markdown(view_comparison(subject.report), title="Comparison report")
    else:
        text = to_markdown(view_evaluation(subject.report), title="Evaluation report")
    return text.encode("utf-8")


RENDERER: Final = Renderer(".md", render_report)
