"""`faircall diff`: the examples that flipped between two arms."""

from __future__ import annotations

from enum import StrEnum
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any

import typer

from faircall.cli import options
from faircall.cli.arms import declare, load_arms
from faircall.cli.console import JsonFlag, new_app, print_json, print_view
from faircall.errors import UsageError
from faircall.records import BINARY_METRIC_NAMES, PARSER_VERSION

if TYPE_CHECKING:
    from faircall.api.stored import StoredResult
    from faircall.comparing.flips import Flip

app = new_app(help="Show the examples that only one of two arms gets right.")


class Direction(StrEnum):
    """Which flips to show."""

    GAINED = "gained"
    LOST = "lost"


Only = Annotated[Direction | None, typer.Option(help="Only what the candidate gained, or only what it lost.")]
Limit = Annotated[int, typer.Option(min=0, help="How many examples to show; 0 shows all.")]
Metric = Annotated[str, typer.Option(help="The binary metric that decides what is right.")]


@app.command(epilog="Example: faircall diff base.jsonl adapter.jsonl --only lost")
def diff(
    baseline: options.Baseline,
    candidate: options.Candidate,
    only: Only = None,
    limit: Limit = 20,
    metric: Metric = "full_call_exact_match",
    vary: options.Vary = None,
    label: options.Labels = None,
    gold: options.Gold = None,
    maps: options.Maps = None,
    reader: options.Reader = PARSER_VERSION,
    protocol: options.Protocol = options.DEFAULT_PROTOCOL,
    as_json: JsonFlag = False,
) -> None:
    """Show the examples that only one of two arms gets right."""
    if metric not in BINARY_METRIC_NAMES:
        raise UsageError(f"{metric!r} is no binary metric", hint=f"one of {', '.join(BINARY_METRIC_NAMES)}")
    labels = options.read_labels(label)
    declaration = declare(gold=gold, maps=maps, reader=reader, protocol=protocol)
    arms = load_arms(baseline, candidate, declared=declaration, labels=labels)
    report = _report(*arms, metric=metric, only=only, limit=limit, vary=tuple(vary or ()))
    if as_json:
        print_json(report)
        return
    from faircall.reporting.flips_view import view_flips

    print_view(view_flips(report))


def _report(
    baseline: StoredResult,
    candidate: StoredResult,
    *,
    metric: str,
    only: Direction | None,
    limit: int,
    vary: tuple[str, ...],
) -> dict[str, Any]:
    from faircall.comparing.comparability import check
    from faircall.comparing.flips import find_flips

    check(baseline.arm, candidate.arm, vary)
    flips = list(find_flips(baseline.arm.scores, candidate.arm.scores, metric=metric))
    chosen = (flip for flip in flips if only is None or flip.direction == only)
    return {
        "schema_version": "faircall.diff.v1",
        "metric": metric,
        "baseline": baseline.arm.name,
        "candidate": candidate.arm.name,
        "gained": sum(flip.direction == "gained" for flip in flips),
        "lost": sum(flip.direction == "lost" for flip in flips),
        "flips": [_tell(flip, baseline, candidate) for flip in islice(chosen, limit or None)],
    }


def _tell(flip: Flip, baseline: StoredResult, candidate: StoredResult) -> dict[str, Any]:
    return {
        "id": flip.example_id,
        "direction": flip.direction,
        "cause": flip.cause,
        "language": baseline.arm.scores.labels[flip.baseline_row],
        "gold": baseline.gold[flip.baseline_row].to_dict(),
        "baseline": baseline.raw_texts[flip.baseline_row],
        "candidate": candidate.raw_texts[flip.candidate_row],
    }
