"""The difference of two columns in every metric, with all that is reported beside it."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from faircall.comparing.pairing import Cohort
from faircall.errors import UsageError
from faircall.records import BINARY_METRIC_NAMES, METRIC_NAMES, MetricValue
from faircall.stats.bootstrap import order_ranks, percentile_bounds, resample_totals, stream_name
from faircall.stats.cluster import estimate_paired_difference
from faircall.stats.evidence import MINIMUM_DISCORDANT_ROOTS, Guard, decide_ratio_difference
from faircall.stats.intervals import Interval
from faircall.stats.linearised import LinearisedEstimate
from faircall.stats.mcnemar import mcnemar_exact, mcnemar_mid_p
from faircall.stats.rates import metric_interval
from faircall.stats.sign_flip import sign_flip_p, swap_contrast
from faircall.stats.tango import ScoreEstimate

if TYPE_CHECKING:
    from faircall.records import IntArray
    from faircall.stats.arrays import FloatArray

Estimate: TypeAlias = ScoreEstimate | LinearisedEstimate | Guard


@dataclass(frozen=True, slots=True)
class Resampling:
    """How sure, how often, from which seed: `resamples` must give exact order statistics at `level`."""

    level: float = 0.95
    resamples: int = 9_999
    seed: int = 42

    def __post_init__(self) -> None:
        _require_number("level", self.level, kind=Real)
        _require_number("resamples", self.resamples, kind=Integral)
        _require_number("seed", self.seed, kind=Integral)
        # numpy's whole numbers are welcome, and no JSON writer knows them.
        object.__setattr__(self, "resamples", int(self.resamples))
        object.__setattr__(self, "seed", int(self.seed))
        order_ranks(self.resamples, self.level)


def _require_number(name: str, value: Any, *, kind: type) -> None:
    if not isinstance(value, kind) or isinstance(value, bool) or value != value:
        what = "a whole number" if kind is Integral else "a number"
        raise UsageError(f"{name} is {value!r}, not {what}", hint="level 0.95, resamples 9999 and seed 42 do")


@dataclass(frozen=True, slots=True)
class Delta:
    """One metric's difference, and the estimate that decides on it.

    Attributes:
        estimate: Tango's or the linearised one.
        guard: takes its place under minimum evidence (F1 only).
        report: the DELTA of a comparison report.
    """

    metric: str
    level: float
    estimate: Estimate
    guard: Guard | None
    report: dict[str, Any]

    @property
    def deciding(self) -> Estimate:
        """The estimate that claims and plots use."""
        return self.guard or self.estimate


def compare_cohort(cohort: Cohort, how: Resampling, *, scope: str) -> dict[str, Delta]:
    """Every metric's delta, second minus first.

    Args:
        cohort: the paired rows.
        how: level, resamples and seed.
        scope: names the random streams; the same for every pair of arms over the same examples.
    """
    components = np.stack([cohort.first.components, cohort.second.components], axis=2)
    by_root = cohort.roots.sum(components)
    totals = _resample(by_root, how, scope=scope)
    return {
        metric: _compare_metric(_Strip(metric, cohort, by_root[:, place], totals[:, place]), how, scope=scope)
        for place, metric in enumerate(METRIC_NAMES)
    }


@dataclass(frozen=True, slots=True, eq=False)
class _Strip:
    """One metric of a cohort: sums per root and per resample, shape (roots or B, 2 sides, 2)."""

    metric: str
    cohort: Cohort
    by_root: IntArray
    totals: IntArray

    @property
    def binary(self) -> bool:
        return self.metric in BINARY_METRIC_NAMES

    @property
    def discordant_roots(self) -> int:
        return int(np.sum(np.any(self.by_root[:, 0] != self.by_root[:, 1], axis=1)))

    def side(self, place: int) -> IntArray:
        """Components per row of the first (0) or second (1) side, shape (rows, 2)."""
        column = (self.cohort.first, self.cohort.second)[place]
        return column.components[:, METRIC_NAMES.index(self.metric)]


def _resample(by_root: IntArray, how: Resampling, *, scope: str) -> IntArray:
    roots, metrics = by_root.shape[:2]
    flat = by_root.reshape(roots, metrics, 4)
    totals = resample_totals(flat, resamples=how.resamples, seed=how.seed, scope=scope)
    return totals.reshape(how.resamples, metrics, 2, 2)


def _compare_metric(strip: _Strip, how: Resampling, *, scope: str) -> Delta:
    first, second = strip.side(0), strip.side(1)
    estimate, guard = _estimate(strip, how.level)
    report: dict[str, Any] = {
        name: _value_with_interval(side, strip.cohort, level=how.level)
        for name, side in zip(strip.cohort.names, (first, second), strict=True)
    }
    report["delta"] = _point(strip)
    if strip.binary:
        report["table"] = _pair_table(first[:, 0], second[:, 0], names=strip.cohort.names)
        report["decomposition"] = _decompose(first[:, 0], second[:, 0], strip.cohort)
    report["interval"] = estimate.interval(how.level).to_dict()
    if guard is not None:
        report["guarded"] = guard.interval(how.level).to_dict()
    report["bootstrap"] = _bootstrap(strip, how)
    report["tests"] = _test(strip, how, scope=scope)
    report["discordant_roots"] = strip.discordant_roots
    return Delta(strip.metric, how.level, estimate, guard, report)


def _point(strip: _Strip) -> float | None:
    """Second value minus first, from whole sums; None where a side has nothing to divide by."""
    (first, below), (second, under) = ((int(n), int(d)) for n, d in strip.by_root.sum(axis=0))
    if not below or not under:
        return None
    return (second - first) / below if below == under else second / under - first / below


def _value_with_interval(side: IntArray, cohort: Cohort, *, level: float) -> dict[str, Any]:
    numerators, denominators = side.T
    value = MetricValue(int(numerators.sum()), int(denominators.sum()))
    interval = metric_interval(numerators, denominators, cohort.roots, level=level)
    return {**value.to_dict(), "interval": interval.to_dict()}


def _pair_table(first: IntArray, second: IntArray, *, names: tuple[str, str]) -> dict[str, int]:
    both, right_first, right_second = int(first @ second), int(first.sum()), int(second.sum())
    return {
        "both": both,
        f"{names[0]}_only": right_first - both,
        f"{names[1]}_only": right_second - both,
        "neither": len(first) - right_first - right_second + both,
    }


def _decompose(first: IntArray, second: IntArray, cohort: Cohort) -> dict[str, int]:
    """Discordant pairs by whether the wrong side had parsed; they add up to the delta's numerator."""
    gained, lost = second > first, first > second
    first_parsed, second_parsed = cohort.first.parsed == 1, cohort.second.parsed == 1
    return {
        "gained_by_parsing": int(np.sum(gained & ~first_parsed)),
        "gained_by_content": int(np.sum(gained & first_parsed)),
        "lost_by_parsing": int(np.sum(lost & ~second_parsed)),
        "lost_by_content": int(np.sum(lost & second_parsed)),
    }


def _estimate(strip: _Strip, level: float) -> tuple[Estimate, Guard | None]:
    if strip.binary:
        roots = strip.cohort.roots
        return estimate_paired_difference(strip.side(0)[:, 0], strip.side(1)[:, 0], roots), None
    first, second = strip.by_root[:, 0], strip.by_root[:, 1]
    return decide_ratio_difference(
        first, second, gold_pairs=lambda: strip.cohort.first.gold_pairs / len(first), level=level
    )


def _bootstrap(strip: _Strip, how: Resampling) -> dict[str, Any]:
    """The seed's percentile interval, over roots; in a resample, ratios of whole sums."""
    enough = strip.discordant_roots >= MINIMUM_DISCORDANT_ROOTS
    method = "percentile_bootstrap"
    if len(strip.by_root) and _point(strip) is not None:
        interval = Interval(method, how.level, *percentile_bounds(_resampled(strip), level=how.level))
    else:
        interval = Interval(method, how.level, None, None, reason="no_rows")
    return {
        **interval.to_dict(),
        "resamples": how.resamples,
        "seed": how.seed,
        "rng": stream_name(len(strip.by_root)),
        "status": "ok" if enough else "insufficient_discordance",
    }


def _resampled(strip: _Strip) -> FloatArray:
    numerators, denominators = strip.totals[:, :, 0], np.maximum(strip.totals[:, :, 1], 1)
    if strip.binary:
        shared: FloatArray = (numerators[:, 1] - numerators[:, 0]) / denominators[:, 0]
        return shared
    ratios = numerators / denominators
    difference: FloatArray = ratios[:, 1] - ratios[:, 0]
    return difference


def _test(strip: _Strip, how: Resampling, *, scope: str) -> dict[str, float]:
    """McNemar where rows are independent; the sign-flip over roots where they are not, and for F1."""
    if strip.binary and not strip.cohort.roots.repeated:
        table = _pair_table(strip.side(0)[:, 0], strip.side(1)[:, 0], names=("b", "c"))
        cells = table["b_only"], table["c_only"]
        return {"mcnemar_exact_p": mcnemar_exact(*cells), "mcnemar_mid_p": mcnemar_mid_p(*cells)}
    values = swap_contrast(strip.by_root[:, 0], strip.by_root[:, 1])
    return {"sign_flip_p": sign_flip_p(values, seed=how.seed, scope=f"{scope}|{strip.metric}")}
