"""`faircall plan`: how many examples a question needs, before they are generated."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from faircall.cli.console import JsonFlag, new_app, print_json, print_view
from faircall.errors import UsageError
from faircall.stats import planning

app = new_app(help="Say how many examples a comparison needs, or what a given number can show.")

Discordance = Annotated[
    float | None, typer.Option("--discordance", "--psi", help="Share of examples on which the arms differ.")
]
Difference = Annotated[float | None, typer.Option(help="The difference to find; 0.03 is three points.")]
Margin = Annotated[float | None, typer.Option(help='The margin of a "not worse by" claim.')]
Examples = Annotated[int | None, typer.Option(min=1, help="How many examples there are.")]
Power = Annotated[float, typer.Option(help="The chance to find what is there.")]
Level = Annotated[float, typer.Option(help="The confidence level.")]


@app.command(epilog="Example: faircall plan --discordance 0.10 --difference 0.03 --margin 0.02")
def plan(
    discordance: Discordance = None,
    difference: Difference = None,
    margin: Margin = None,
    examples: Examples = None,
    power: Power = 0.8,
    level: Level = 0.95,
    as_json: JsonFlag = False,
) -> None:
    """Say how many examples a comparison needs, or what a given number can show."""
    if discordance is None:
        hint = "--discordance 0.1, or two files of outputs that show it"
        raise UsageError("how often do the arms differ?", hint=hint)
    found = {"discordance": discordance, "discordance_source": "assumed"}
    answer = _answer(
        discordance, difference=difference, margin=margin, examples=examples, power=power, level=level
    )
    plan = found | {"power": power, "level": level} | answer
    if as_json:
        print_json(plan)
        return
    from faircall.reporting.plan_view import view_plan

    print_view(view_plan(plan))


def _answer(
    discordance: float,
    *,
    difference: float | None,
    margin: float | None,
    examples: int | None,
    power: float,
    level: float,
) -> dict[str, Any]:
    alpha = 1.0 - level
    answer: dict[str, Any] = {}
    if difference is not None:
        size = planning.sample_size(discordance=discordance, difference=difference, alpha=alpha, power=power)
        answer |= {"difference": difference, "examples_for_difference": size}
    if margin is not None:
        size = planning.non_inferiority_size(
            discordance=discordance, margin=margin, alpha=alpha / 2, power=power
        )
        answer |= {"margin": margin, "examples_for_margin": size}
    if examples is not None:
        found = planning.detectable_difference(n=examples, discordance=discordance, alpha=alpha, power=power)
        answer |= {"examples": examples, "detectable_difference": found}
    if not answer:
        raise UsageError("nothing to plan", hint="give --difference, --margin or --examples")
    return answer
