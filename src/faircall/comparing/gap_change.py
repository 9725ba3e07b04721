"""Did training close the gap: the candidate's language gap minus the baseline's, root by root."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from faircall.comparing.deltas import Resampling
from faircall.comparing.gaps import Gap
from faircall.records import METRIC_NAMES
from faircall.stats.evidence import decide_mean
from faircall.stats.linearised import influence, pooled_ratio

if TYPE_CHECKING:
    from faircall.records import IntArray
    from faircall.stats.arrays import FloatArray

LIMIT: Final = 2.0  # a gap lies in [-1, 1], a difference of two in [-2, 2]


def difference_of_gaps(baseline: Gap, candidate: Gap, how: Resampling) -> dict[str, Any]:
    """The change of every metric's gap, with t over roots, guarded under minimum evidence."""
    gaps = [_sum_by_root(gap) for gap in (baseline, candidate)]
    return {
        "metrics": {
            metric: _change(gaps[0][:, place], gaps[1][:, place], how)
            for place, metric in enumerate(METRIC_NAMES)
        }
    }


def _sum_by_root(gap: Gap) -> IntArray:
    """Components of reference and target per root, shape (roots, metrics, 2 sides, 2)."""
    sides = (gap.cohort.first.components, gap.cohort.second.components)
    return gap.cohort.roots.sum(np.stack(sides, axis=2))


def _change(baseline: IntArray, candidate: IntArray, how: Resampling) -> dict[str, Any]:
    """One metric; arguments of shape (roots, 2 sides, 2)."""
    values = root_differences(baseline, candidate)
    moved = (candidate[:, 1] - candidate[:, 0]) - (baseline[:, 1] - baseline[:, 0])
    discordant = int(np.sum(np.any(moved != 0, axis=1)))
    plain, guard = decide_mean(values, discordant=discordant, limit=LIMIT, level=how.level)
    report: dict[str, Any] = {
        "delta": plain.centre if len(values) else None,
        "interval": plain.interval(how.level).to_dict(),
    }
    if guard is not None:
        report["guarded"] = guard.interval(how.level).to_dict()
    return {**report, "discordant_roots": discordant}


def root_differences(baseline: IntArray, candidate: IntArray) -> FloatArray:
    """What each root says about the change of the gap; their mean is the change.

    For a rate with one pair per root it is that root's own difference; for a pooled ratio it is the change
    plus the root's influence on it.

    Args:
        baseline: numerator and denominator of reference and target, shape (roots, 2, 2).
        candidate: the same.

    >>> right = np.array([[[1, 1], [0, 1]], [[1, 1], [1, 1]]])
    >>> root_differences(right, right[::-1]).tolist()
    [1.0, -1.0]
    """
    centre = _gap(candidate) - _gap(baseline)
    values: FloatArray = centre + _influence(candidate) - _influence(baseline)
    return values


def _gap(sides: IntArray) -> float:
    return pooled_ratio(*sides[:, 1].T) - pooled_ratio(*sides[:, 0].T)


def _influence(sides: IntArray) -> FloatArray:
    values: FloatArray = influence(*sides[:, 1].T) - influence(*sides[:, 0].T)
    return values
