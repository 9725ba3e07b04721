"""`faircall plan`: how many examples a question needs, before they are generated."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from faircall.cli import options
from faircall.cli.console import JsonFlag, new_app, print_json, print_view
from faircall.errors import UsageError
from faircall.records import BINARY_METRIC_NAMES
from faircall.stats import planning

app = new_app(help="Say how many examples a comparison needs, or what a given number can show.")

Files = Annotated[
    list[str] | None,
    typer.Argument(metavar="BASELINE CANDIDATE", help="Two stored results that show how often arms differ."),
]
Metric = Annotated[str, typer.Option(help="The binary metric on which the two results differ.")]
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
    files: Files = None,
    discordance: Discordance = None,
    difference: Difference = None,
    margin: Margin = None,
    examples: Examples = None,
    power: Power = 0.8,
    level: Level = 0.95,
    metric: Metric = "full_call_exact_match",
    vary: options.Vary = None,
    as_json: JsonFlag = False,
) -> None:
    """Say how many examples a comparison needs, or what a given number can show."""
    if (discordance is None) == (not files):
        hint = "--discordance 0.1, or two files of outputs that show it"
        raise UsageError("how often do the arms differ? Exactly one answer is needed", hint=hint)
    found: dict[str, Any] = {"discordance": discordance}
    if files:
        found = _observe(files, metric, vary or [])
    examples = examples or found.get("examples")
    answer = _answer(
        found["discordance"],
        difference=difference,
        margin=margin,
        examples=examples,
        power=power,
        level=level,
    )
    source = f"observed in {metric}" if files else "assumed"
    plan = found | {"discordance_source": source, "power": power, "level": level} | answer
    if as_json:
        print_json(plan)
        return
    from faircall.reporting.plan_view import view_plan

    print_view(view_plan(plan))


def _observe(files: list[str], metric: str, vary: list[str]) -> dict[str, Any]:
    """The share of examples on which two stored results differ, and how many examples there are."""
    if len(files) != 2:
        raise UsageError(f"{len(files)} files", hint="give two: a baseline and a candidate")
    if metric not in BINARY_METRIC_NAMES:
        raise UsageError(f"{metric!r} is no binary metric", hint=f"one of {', '.join(BINARY_METRIC_NAMES)}")
    from faircall.cli.arms import load_arms
    from faircall.comparing.comparability import check
    from faircall.comparing.flips import find_flips

    first, second = (side.arm for side in load_arms(*files))
    check(first, second, vary)
    flipped = sum(1 for _ in find_flips(first.scores, second.scores, metric=metric))
    count = len(first.scores.ids)
    return {"discordance": flipped / count, "examples": count}


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
