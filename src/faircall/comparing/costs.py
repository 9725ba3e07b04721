"""What two arms cost, set against each other: descriptive, and only where their times may be compared."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from faircall.comparing.pairing import pair_arms
from faircall.records import HEADLINE, METRIC_NAMES, Arm
from faircall.stats.log_ratio import estimate_log_ratio, guard_log_ratio

if TYPE_CHECKING:
    from faircall.records import IntArray

MINIMUM_ROOTS: Final = 10  # below, an interval over roots is said to rest on insufficient evidence
_MUST_EQUAL: Final = ("allocation", "decoding", "contract")


def compare_costs(baseline: Arm, candidate: Arm, *, level: float) -> dict[str, Any]:
    """The `inference_efficiency` of a comparison report.

    Returns:
        What each arm cost (None where that was not measured); whether the times are `cross_comparable`, and
        the `reasons` where they are not; and `ratios`, candidate over baseline, None where they are not.
    """
    names = ["baseline", "candidate"] if baseline.name == candidate.name else [baseline.name, candidate.name]
    arms = dict(zip(names, (baseline, candidate), strict=True))
    reasons = efficiency_differences({name: arm.inference_efficiency for name, arm in arms.items()})
    return {
        "baseline": baseline.inference_efficiency,
        "candidate": candidate.inference_efficiency,
        "cross_comparable": not reasons,
        "reasons": reasons,
        "ratios": None if reasons else cost_ratios(baseline, candidate, level=level),
    }


def efficiency_differences(arms: Mapping[str, Mapping[str, Any] | None]) -> list[str]:
    """Why times of these arms may not stand side by side; empty when they may.

    >>> one = {"allocation": {"threads": 1}, "decoding": 0, "contract": 0, "cross_comparable": True}
    >>> efficiency_differences({"a": one, "b": {**one, "allocation": {"threads": 2}}})
    ['the arms differ in allocation']
    >>> efficiency_differences({"a": one, "b": None})
    ['b: its times were not measured']
    """
    missing = [f"{name}: its times were not measured" for name, row in arms.items() if not row]
    if missing:
        return missing
    rows = [row for row in arms.values() if row]
    differing = [name for name in _MUST_EQUAL if any(row[name] != rows[0][name] for row in rows)]
    return [f"the arms differ in {name}" for name in differing] + [
        f"{name}: {row['cross_comparable_reason']}"
        for name, row in arms.items()
        if row and not row["cross_comparable"]
    ]


def cost_ratios(baseline: Arm, candidate: Arm, *, level: float) -> dict[str, Any] | None:
    """Seconds per example and per full match, candidate over baseline; None where rows have no times.

    Pairs are those of the cohort that both arms share, and all spread is over its roots.
    """
    if baseline.durations_ns is None or candidate.durations_ns is None:
        return None
    cohort = pair_arms(baseline.scores, candidate.scores)
    columns = ((cohort.first, baseline.durations_ns), (cohort.second, candidate.durations_ns))
    sides = [
        np.stack(
            [
                np.array(durations, dtype=np.int64)[column.rows],
                np.ones(len(cohort), dtype=np.int64),
                column.components[:, METRIC_NAMES.index(HEADLINE), 0],
            ],
            axis=1,
        )
        for column, durations in columns
    ]
    first, second = (cohort.roots.sum(side) for side in sides)
    return {
        "seconds_per_example": _per_example(first[:, [0, 1]], second[:, [0, 1]], level=level),
        "seconds_per_full_match": _per_match(first[:, [0, 2]], second[:, [0, 2]], level=level),
    }


def _per_example(baseline: IntArray, candidate: IntArray, *, level: float) -> dict[str, Any]:
    if not _all_above_zero(baseline[:, 0], candidate[:, 0]):
        return {"value": None, "reason": "no time was measured"}
    estimate = estimate_log_ratio(baseline, candidate)
    return {
        "value": estimate.ratio,
        "interval": estimate.interval(level).to_dict(),
        "evidence": _tell_evidence(len(baseline), matched=None),
    }


def _per_match(baseline: IntArray, candidate: IntArray, *, level: float) -> dict[str, Any]:
    counted = {"baseline": baseline[:, 1], "candidate": candidate[:, 1]}
    without = [name for name, matches in counted.items() if not _all_above_zero(matches)]
    if without:
        return {"value": None, "reason": f"no example was a full match in the {' or the '.join(without)}"}
    ratio = _per_example(baseline, candidate, level=level)
    if ratio["value"] is None:
        return ratio
    guard = guard_log_ratio(estimate_log_ratio(baseline, candidate), baseline, candidate)
    if guard is not None:
        ratio["guarded"] = guard.interval(level).to_dict()
    matched = min(int(np.count_nonzero(matches)) for matches in counted.values())
    return {**ratio, "evidence": _tell_evidence(len(baseline), matched=matched)}


def _all_above_zero(*columns: IntArray) -> bool:
    return all(int(column.sum()) > 0 for column in columns)


def _tell_evidence(roots: int, *, matched: int | None) -> str:
    """Whether an interval rests on enough roots; `matched` are those with a full match."""
    if roots < MINIMUM_ROOTS:
        return "insufficient: fewer than ten roots"
    if matched is not None and matched < MINIMUM_ROOTS:
        return "insufficient: fewer than ten roots with a full match in an arm"
    return "ok"
