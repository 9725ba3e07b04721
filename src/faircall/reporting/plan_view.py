"""What `faircall plan` shows: how many examples a question needs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from faircall.reporting import numbers
from faircall.reporting.blocks import Block, Line, Table, View


def view_plan(plan: Mapping[str, Any]) -> View:
    """The blocks of a plan."""
    return tuple(_blocks(plan))


def _blocks(plan: Mapping[str, Any]) -> Iterator[Block]:
    discordance = f"{numbers.rate(plan['discordance'])} of the examples ({plan['discordance_source']})"
    yield Line(f"The arms differ on {discordance}")
    assumptions = f"power {numbers.level(plan['power'])}, level {numbers.level(plan['level'])}"
    yield Table(
        "Plan",
        ("question", "answer"),
        tuple(_rows(plan)),
        note=f"binary metrics, matched examples; {assumptions}",
    )


def _rows(plan: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    if "examples_for_difference" in plan:
        question = f"examples to find a difference of {numbers.points(plan['difference'])} points"
        yield question, str(plan["examples_for_difference"])
    if "examples_for_margin" in plan:
        question = f'examples to show "not worse by {numbers.points(plan["margin"])[1:]} points"'
        yield question, str(plan["examples_for_margin"])
    if "detectable_difference" in plan:
        found = plan["detectable_difference"]
        answer = "none: too few examples" if found is None else f"{numbers.points(found)[1:]} points"
        yield f"smallest difference that {plan['examples']} examples find", answer
