"""Linearised (delta-method) intervals for differences of pooled ratios over independent roots.

A pooled ratio R = sum N_g / sum D_g has the influence values (N_g - R D_g) / mean(D); a sum or difference
of such ratios has the sum or difference of them. Their spread over roots gives the standard error, with t(G
- 1).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from faircall.stats.arrays import FloatArray, IntArray, sum_of_squares
from faircall.stats.intervals import Interval, undefined
from faircall.stats.quantiles import normal_quantile, normal_tail, t_quantile, t_tail, upper_probability

Column: TypeAlias = IntArray | FloatArray


@dataclass(frozen=True, slots=True)
class LinearisedEstimate:
    """A centre with a standard error over roots; it decides by t, or by z when `degrees` is None.

    Attributes:
        limit: the largest absolute value that the quantity can take; bounds are clipped there.
    """

    centre: float
    standard_error: float
    degrees: int | None
    method: str = "linearised_t"
    limit: float = 1.0

    def interval(self, level: float) -> Interval:
        """centre -+ quantile x standard error, clipped; undefined with fewer than two roots."""
        if self.degrees is not None and self.degrees < 1:
            return undefined(self.method, level, reason="fewer_than_two_roots")
        probability = upper_probability(level)
        quantile = (
            normal_quantile(probability) if self.degrees is None else t_quantile(probability, self.degrees)
        )
        half = quantile * self.standard_error
        lower, upper = max(self.centre - half, -self.limit), min(self.centre + half, self.limit)
        return Interval(self.method, level, lower, upper)

    def p_above(self, bound: float) -> float:
        """One-sided p of "the true value is not above `bound`"."""
        return self._tail(self.centre - bound)

    def p_below(self, bound: float) -> float:
        """One-sided p of "the true value is not below `bound`"."""
        return self._tail(bound - self.centre)

    def _tail(self, distance: float) -> float:
        if self.degrees is not None and self.degrees < 1:
            return 1.0
        if not self.standard_error:
            return 0.5 if not distance else float(distance < 0)
        statistic = distance / self.standard_error
        return normal_tail(statistic) if self.degrees is None else t_tail(statistic, self.degrees)


def pooled_ratio(numerators: Column, denominators: Column) -> float:
    """sum N / sum D (sums of whole numbers are exact); 0 when there is nothing to divide by."""
    total = float(np.sum(denominators))
    return float(np.sum(numerators)) / total if total else 0.0


def influence(numerators: Column, denominators: Column) -> FloatArray:
    """(N_g - R D_g) / mean(D) per root: how much each root moves the pooled ratio. Zeros when sum D is 0.

    >>> influence(np.array([2, 0]), np.array([2, 2])).tolist()
    [0.5, -0.5]
    """
    total = float(np.sum(denominators))
    if not total:
        return np.zeros(len(denominators))
    ratio = pooled_ratio(numerators, denominators)
    deviations = np.asarray(numerators, dtype=np.float64) - ratio * np.asarray(denominators, dtype=np.float64)
    return deviations * (len(denominators) / total)


def standard_error(values: FloatArray) -> float:
    """sqrt(sum of squares / (G (G - 1))) of influence values; 0 with fewer than two roots."""
    count = len(values)
    return math.sqrt(float(np.sum(values * values)) / (count * (count - 1))) if count > 1 else 0.0


def ratio_error(numerators: IntArray, denominators: IntArray) -> float:
    """`standard_error(influence(...))` of whole numbers: their sums are exact, in any order of the roots.

    >>> ratio_error(np.array([2, 0]), np.array([2, 2]))
    0.5
    """
    count, total = len(denominators), int(np.sum(denominators))
    if count < 2 or not total:
        return 0.0
    squares = sum_of_squares(numerators, denominators, ratio=(int(np.sum(numerators)), total))
    return math.sqrt(count * squares / (total**4 * (count - 1)))


def estimate_ratio_difference(baseline: Column, candidate: Column) -> LinearisedEstimate:
    """Candidate ratio minus baseline ratio.

    Args:
        baseline: numerator and denominator per root, shape (roots, 2).
        candidate: the same for the candidate.
    """
    values = influence(*candidate.T) - influence(*baseline.T)
    delta = pooled_ratio(*candidate.T) - pooled_ratio(*baseline.T)
    return LinearisedEstimate(delta, standard_error(values), len(values) - 1)


def estimate_mean(values: FloatArray, *, limit: float) -> LinearisedEstimate:
    """The mean of one value per root, with t(G - 1).

    >>> estimate_mean(np.array([0.0, 1.0]), limit=2.0).interval(0.95).upper
    2.0
    """
    centre = float(np.mean(values)) if len(values) else 0.0
    return LinearisedEstimate(centre, standard_error(values - centre), len(values) - 1, limit=limit)
