"""Tango's score interval for the difference of two paired rates.

T. Tango, "Equivalence test and confidence interval for the difference in proportions for the paired-sample
design", Statistics in Medicine 17 (1998). No random numbers, never of zero width, and valid when the arms
agree almost everywhere.

Cells of the pair table: `b` baseline only, `c` candidate only, `n` all pairs; delta = (c - b) / n. The
three may be fractional: clustered data come in divided by their design effect.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from faircall.stats.intervals import Interval, undefined
from faircall.stats.quantiles import normal_quantile, normal_tail, upper_probability


def tango_z(b: float, c: float, *, n: float, trial: float) -> float:
    """The score statistic for the hypothesis that the true delta is `trial`; falls as `trial` rises.

    At 0 it is McNemar's.

    >>> tango_z(6, 16, n=161, trial=0.0) == (16 - 6) / math.sqrt(16 + 6)
    True
    """
    linear = trial * (2.0 * n + b - c) - (b + c)
    constant = -b * trial * (1.0 - trial)
    root = math.sqrt(max(linear * linear - 8.0 * n * constant, 0.0))
    baseline_only = max((root - linear) / (4.0 * n), 0.0, -trial)
    variance = n * (2.0 * baseline_only + trial * (1.0 - trial))
    surplus = c - b - n * trial
    if variance > 0.0:
        return surplus / math.sqrt(variance)
    return math.copysign(math.inf, surplus) if surplus else 0.0


def tango_interval(b: float, c: float, *, n: float, level: float = 0.95, method: str = "tango") -> Interval:
    """The interval of all trial deltas that the score statistic does not reject at `level`.

    >>> interval = tango_interval(6, 16, n=161)
    >>> round(interval.lower, 6), round(interval.upper, 6)
    (0.005433, 0.124023)
    >>> round(tango_interval(0, 0, n=100).upper, 9)
    0.036993498
    """
    if n <= 0:
        return undefined(method, level, reason="no_rows")
    z, delta = normal_quantile(upper_probability(level)), (c - b) / n
    lower = _crossing(b, c, n=n, bracket=(-1.0, delta), target=z)
    upper = _crossing(b, c, n=n, bracket=(delta, 1.0), target=-z)
    return Interval(method, level, lower, upper)


def _crossing(b: float, c: float, *, n: float, bracket: tuple[float, float], target: float) -> float:
    """The trial delta in `bracket` where the statistic passes `target`, by bisection."""
    low, high = bracket
    while low < (middle := (low + high) / 2.0) < high and high - low > 1e-15:
        if tango_z(b, c, n=n, trial=middle) > target:
            low = middle
        else:
            high = middle
    return low if target > 0 else high


@dataclass(frozen=True, slots=True)
class ScoreEstimate:
    """A paired difference of rates that decides by Tango's statistic: interval and p-values alike."""

    b: float
    c: float
    n: float
    method: str = "tango"

    def interval(self, level: float) -> Interval:
        """Tango's interval at `level`."""
        return tango_interval(self.b, self.c, n=self.n, level=level, method=self.method)

    def p_above(self, bound: float) -> float:
        """One-sided p of "the true delta is not above `bound`"."""
        return normal_tail(tango_z(self.b, self.c, n=self.n, trial=bound))

    def p_below(self, bound: float) -> float:
        """One-sided p of "the true delta is not below `bound`"."""
        return normal_tail(-tango_z(self.b, self.c, n=self.n, trial=bound))
