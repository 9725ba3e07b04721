"""The interval beside one arm's metric.

Binary metrics have Wilson's interval, at effective counts where roots repeat. A pooled ratio (argument F1)
has Wilson's interval at its linearised effective size R (1 - R) / se^2, with the t quantile of G - 1 roots
in place of z: it stays inside [0, 1] and never has zero width, as R -+ t se would at 0 and 1. Where the
standard error vanishes the effective size is the number of roots.
"""

from __future__ import annotations

import numpy as np

from faircall.stats.arrays import IntArray
from faircall.stats.cluster import Roots, design_effect, separate_roots
from faircall.stats.intervals import Interval, undefined
from faircall.stats.linearised import pooled_ratio, ratio_error
from faircall.stats.quantiles import t_quantile, upper_probability
from faircall.stats.wilson import wilson_bounds, wilson_interval


def metric_interval(
    numerators: IntArray, denominators: IntArray, roots: Roots | None = None, *, level: float = 0.95
) -> Interval:
    """The interval of sum N / sum D over rows: a rate when every denominator is 1, a pooled ratio otherwise.

    Args:
        numerators: component numerators per row, shape (rows,).
        denominators: component denominators per row.
        roots: the root of each row (`cluster.number_roots`); None for independent rows.
        level: two-sided confidence level.

    >>> metric_interval(np.array([1, 1, 0, 1]), np.array([1, 1, 1, 1])).method
    'wilson'
    >>> metric_interval(np.array([4, 0, 2]), np.array([4, 2, 3])).method
    'wilson_linearised'
    """
    known = separate_roots(len(numerators)) if roots is None else roots
    if np.all(denominators == 1):
        return rate_interval(numerators, known, level=level)
    return ratio_interval(numerators, denominators, known, level=level)


def rate_interval(successes: IntArray, roots: Roots, *, level: float = 0.95) -> Interval:
    """Wilson's interval for 0 and 1 per row; n and successes divided by the rate's own design effect."""
    if not roots.repeated:
        return wilson_interval(int(np.sum(successes)), len(successes), level=level)
    effect = design_effect(successes, roots)
    right, n = int(np.sum(successes)) / effect, len(successes) / effect
    return wilson_interval(right, n, level=level, method="wilson_design_effect")


def ratio_interval(
    numerators: IntArray, denominators: IntArray, roots: Roots, *, level: float = 0.95
) -> Interval:
    """Wilson's interval at the linearised effective size of a pooled ratio over roots."""
    method = "wilson_linearised"
    if roots.count < 2:
        return undefined(method, level, reason="fewer_than_two_roots" if roots.count else "no_rows")
    by_root, pairs = roots.sum(numerators), roots.sum(denominators)
    ratio, error = pooled_ratio(by_root, pairs), ratio_error(by_root, pairs)
    size = ratio * (1.0 - ratio) / error**2 if error > 1e-9 and 0.0 < ratio < 1.0 else float(roots.count)
    quantile = t_quantile(upper_probability(level), roots.count - 1)
    return Interval(method, level, *wilson_bounds(ratio, n=size, z=quantile))
