"""The ratio of two pooled ratios, candidate over baseline, with an interval on the logarithm's scale.

A pooled ratio is R = sum N / sum D over independent roots: seconds over full matches, for example. Root g has
the influence N_c,g / mean N_c - D_c,g / mean D_c - N_b,g / mean N_b + D_b,g / mean D_b on log R_c - log R_b;
the spread over roots gives the standard error, t(G - 1) the quantile, and the bounds are exponentiated.

Where fewer than ten roots differ in D, their spread says too little of how D could have differed: two roots
of average N, one with D only in the candidate and one with D only in the baseline, join the estimate of the
standard error. The wider of both decides, around the same centre.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from faircall.stats.arrays import FloatArray
from faircall.stats.evidence import MINIMUM_DISCORDANT_ROOTS
from faircall.stats.intervals import Interval, undefined
from faircall.stats.linearised import Column, LinearisedEstimate, standard_error

_METHOD: Final = "log_linearised_t"
_LARGEST_LOG: Final = 700.0  # e to this power, and to minus it, is still a double
_NO_SPREAD: Final = 1e-12


@dataclass(frozen=True, slots=True)
class LogRatio:
    """log R_c - log R_b with its standard error over roots."""

    centre: float
    standard_error: float
    degrees: int
    method: str = _METHOD

    @property
    def ratio(self) -> float:
        """R_c / R_b."""
        return math.exp(self.centre)

    def interval(self, level: float) -> Interval:
        """Of the ratio; undefined under two roots, where nothing varies, or beyond what floats hold."""
        if self.degrees < 1:
            return undefined(self.method, level, reason="fewer_than_two_roots")
        if self.standard_error < _NO_SPREAD:
            return undefined(self.method, level, reason="no_spread")
        estimate = LinearisedEstimate(self.centre, self.standard_error, self.degrees, limit=math.inf)
        bounds = estimate.interval(level)
        if max(abs(bound) for bound in (bounds.lower, bounds.upper) if bound is not None) > _LARGEST_LOG:
            return undefined(self.method, level, reason="out_of_range")
        lower, upper = (math.exp(bound) for bound in (bounds.lower, bounds.upper) if bound is not None)
        return Interval(self.method, level, lower, upper)


def estimate_log_ratio(baseline: Column, candidate: Column) -> LogRatio:
    """The candidate's pooled ratio over the baseline's; all four sums must be above 0.

    Args:
        baseline: numerator and denominator per root, shape (roots, 2).
        candidate: the same for the candidate.

    >>> round(estimate_log_ratio(np.array([[2, 1], [4, 1]]), np.array([[4, 1], [8, 1]])).ratio, 12)
    2.0
    """
    values = _influence(candidate) - _influence(baseline)
    centre = _log_of(candidate) - _log_of(baseline)
    return LogRatio(centre, standard_error(values), len(values) - 1)


def guard_log_ratio(plain: LogRatio, baseline: Column, candidate: Column) -> LogRatio | None:
    """What decides in place of `plain` where too few roots differ in D; None where enough do.

    Args:
        plain: the estimate of these two arms.
        baseline: numerator and denominator per root, shape (roots, 2).
        candidate: the same for the candidate.
    """
    if int(np.sum(baseline[:, 1] != candidate[:, 1])) >= MINIMUM_DISCORDANT_ROOTS:
        return None
    joined = _join(candidate, (1.0, 0.0)), _join(baseline, (0.0, 1.0))
    spread = standard_error(_influence(joined[0]) - _influence(joined[1]))
    return replace(plain, standard_error=max(plain.standard_error, spread), method=f"guarded_{_METHOD}")


def _log_of(side: Column) -> float:
    above, below = np.sum(side, axis=0).tolist()
    return math.log(above / below)


def _influence(side: Column) -> FloatArray:
    """Each root's influence on log(sum N / sum D)."""
    values: FloatArray = side / np.mean(side, axis=0)
    shared: FloatArray = values[:, 0] - values[:, 1]
    return shared


def _join(side: Column, denominators: tuple[float, float]) -> FloatArray:
    """The roots with two more of average numerator."""
    average = float(np.mean(side[:, 0]))
    return np.vstack([side, [(average, denominator) for denominator in denominators]])
