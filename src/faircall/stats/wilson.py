"""Wilson's score interval for one rate (Wilson 1927)."""

from __future__ import annotations

import math

from faircall.stats.intervals import Interval, undefined
from faircall.stats.quantiles import normal_quantile, upper_probability


def wilson_interval(successes: float, n: float, *, level: float = 0.95, method: str = "wilson") -> Interval:
    """The interval for a rate of `successes` in `n`; both may be fractional (divided by a design effect).

    >>> interval = wilson_interval(705, 1000)
    >>> round(interval.lower, 12), round(interval.upper, 12)
    (0.675993439578, 0.732437589443)
    """
    if n <= 0:
        return undefined(method, level, reason="no_rows")
    lower, upper = wilson_bounds(successes / n, n=n, z=normal_quantile(upper_probability(level)))
    return Interval(method, level, lower, upper)


def wilson_bounds(rate: float, *, n: float, z: float) -> tuple[float, float]:
    """Both bounds for a `rate` seen in `n` trials, `z` standard errors away; exactly 0 or 1 at the edges.

    >>> wilson_bounds(0.0, n=10, z=0.0)
    (0.0, 0.0)
    """
    centre = rate + z * z / (2.0 * n)
    spread = z * math.sqrt(rate * (1.0 - rate) / n + z * z / (4.0 * n * n))
    scale = 1.0 + z * z / n
    lower = 0.0 if rate <= 0.0 else (centre - spread) / scale
    upper = 1.0 if rate >= 1.0 else (centre + spread) / scale
    return max(lower, 0.0), min(upper, 1.0)
