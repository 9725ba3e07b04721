"""The pages of `faircall view` beside the reports: one run, and all runs of an artifact root.

Each has a part that changes while a run is in progress; the page fetches that part again by itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from faircall.reporting.figures import Figures
from faircall.reporting.page_templates import render_page

Json = Mapping[str, Any]


class Link(NamedTuple):
    """Where a page leads."""

    href: str
    text: str


def run_page(state: Json, *, links: Sequence[Link], up: str = "", part_only: bool = False) -> str:
    """The page of one run.

    Args:
        state: `run_id`, `in_progress`, `signature` and `arms` (see `pipeline.watch`).
        links: the reports that there are.
        up: where all runs are listed; "" when nowhere.
        part_only: whether only the changing part is asked for.
    """
    return render_page(
        "run_part.html.j2" if part_only else "live.html.j2",
        Figures(state),
        live=True,
        part="run_part.html.j2",
        title=state["run_id"],
        source="part",
        links=links,
        up=up,
    )


def runs_page(states: Sequence[Json], *, title: str, part_only: bool = False) -> str:
    """The page that lists runs, as they are given."""
    report = {"runs": list(states), "in_progress": any(state["in_progress"] for state in states)}
    return render_page(
        "runs_part.html.j2" if part_only else "live.html.j2",
        Figures(report),
        live=True,
        part="runs_part.html.j2",
        title=title,
        source="part",
        links=(),
        up="",
    )
