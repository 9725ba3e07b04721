"""A report as a section for a model card or a job's summary: short, under the title of the page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from faircall.reporting.blocks import Block, Line, Table
from faircall.reporting.comparison_view import view_comparison
from faircall.reporting.evaluation_view import view_evaluation
from faircall.reporting.renderers import Renderer, Subject
from faircall.reporting.to_markdown import to_markdown

LIMIT: Final = 900_000
"""Bytes; a job summary of GitHub holds 1 MiB per step."""

_KEPT: Final = ("Metrics", "Slices", "Format or content", "Language gaps", "Declared claims", "Conditions")


def to_card(subject: Subject) -> bytes:
    """Treatment, verdict, the metrics with their intervals, slices, claims, signature; no texts."""
    comparison = subject.kind == "comparison"
    view = view_comparison(subject.report) if comparison else view_evaluation(subject.report)
    kept = [block for block in view if _is_kept(block)]
    title = f"Tool calls: {_title(subject.report, comparison)}"
    while True:
        text = to_markdown(tuple(kept), title=title, level=2).encode("utf-8")
        if len(text) <= LIMIT or not any(isinstance(block, Table) for block in kept[1:]):
            return text
        kept = _without_largest(kept)


def _title(report: Mapping[str, Any], comparison: bool) -> str:
    if not comparison:
        return str(report["name"])
    return f"{report['baseline']['arm']} against {report['candidate']['arm']}"


def _is_kept(block: Block) -> bool:
    return isinstance(block, Line) or block.title.startswith(_KEPT)


def _without_largest(blocks: list[Block]) -> list[Block]:
    """The same without its longest table, and a line that says so."""
    tables = [block for block in blocks if isinstance(block, Table)]
    largest = max(tables, key=lambda table: len(table.rows))
    told = Line(f"{largest.title}: {len(largest.rows)} rows, left out for their size", tone="quiet")
    return [told if block is largest else block for block in blocks]


RENDERER: Final = Renderer(".card.md", to_card)
