"""The examples on which two arms differ: what the candidate gained and what it lost."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from faircall.records import METRIC_NAMES, Scores

Direction: TypeAlias = Literal["gained", "lost"]


@dataclass(frozen=True, slots=True)
class Flip:
    """One discordant example: its id, its row in each arm, and why the arm that misses it does."""

    example_id: str
    direction: Direction
    baseline_row: int
    candidate_row: int
    cause: str | None


def find_flips(baseline: Scores, candidate: Scores, *, metric: str) -> Iterator[Flip]:
    """The discordant examples of a binary metric, in the order of the baseline.

    Args:
        baseline: scored rows.
        candidate: scored rows of the same ids, in any order.
        metric: a name of `BINARY_METRIC_NAMES`.
    """
    column = METRIC_NAMES.index(metric)
    left, right = (scores.components[:, column, 0].tolist() for scores in (baseline, candidate))
    rows = {key: row for row, key in enumerate(candidate.ids)}
    for row, key in enumerate(baseline.ids):
        other = rows[key]
        if left[row] > right[other]:
            yield Flip(key, "lost", row, other, candidate.causes[other])
        elif left[row] < right[other]:
            yield Flip(key, "gained", row, other, baseline.causes[row])
