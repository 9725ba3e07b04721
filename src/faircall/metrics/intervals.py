"""The interval beside an aggregate.

A rate has Wilson's interval; where results share a cluster, at counts divided by its design effect. Any other
aggregate in [0, 1] (F1, a mean over items or classes) has Wilson's interval at its linearised effective
size V (1 - V) / se^2 with the t quantile of clusters - 1, as `stats.rates` has it for pooled ratios. It stays
inside [0, 1] and never has zero width.

The *pull* of a row is how far it moves the aggregate: the gradient of the value at the totals times the row's
own contribution. Pulls add up to 0 over rows, and add over sums of aggregates.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from faircall.stats.cluster import Roots, number_roots, separate_roots
from faircall.stats.intervals import Interval, undefined
from faircall.stats.linearised import standard_error
from faircall.stats.quantiles import t_quantile, upper_probability
from faircall.stats.rates import rate_interval
from faircall.stats.wilson import wilson_bounds

if TYPE_CHECKING:
    from numpy.typing import NDArray

    BoolArray: TypeAlias = NDArray[np.bool_]
    FloatArray: TypeAlias = NDArray[np.float64]

Clusters: TypeAlias = Sequence[str] | None

_NO_SPREAD = 1e-9


def interval_of_rate(
    successes: BoolArray, trials: BoolArray, *, clusters: Clusters = None, level: float
) -> dict[str, Any]:
    """Wilson's interval of the share of `trials` rows that are also `successes` rows.

    Args:
        successes: shape (rows,). trials: the rows that count at all, shape (rows,).
        clusters: the cluster name of each row; None when rows are independent.
        level: two-sided confidence level.

    >>> rows = np.array([True, True, False, True])
    >>> interval_of_rate(rows, np.array([True, True, True, False]), level=0.95)["method"]
    'wilson'
    """
    right = successes[trials].astype(np.int64)
    return rate_interval(right, _roots(clusters, trials), level=level).to_dict()


def interval_of_value(
    value: float, *, pulls: FloatArray, relevant: BoolArray, clusters: Clusters = None, level: float
) -> dict[str, Any]:
    """Wilson's interval at the linearised effective size of an aggregate in [0, 1].

    Args:
        value: the aggregate.
        pulls: shape (rows,), adding up to 0.
        relevant: the rows that can move the aggregate, shape (rows,).
        clusters: the cluster name of each row; None when rows are independent.
        level: two-sided confidence level.
    """
    roots = _roots(clusters, relevant)
    return _linearised(value, _sums(pulls[relevant], roots), level=level).to_dict()


def pulls_of_ratio(numerators: FloatArray, denominators: FloatArray) -> FloatArray:
    """The pulls of sum N / sum D: (N_i - R D_i) / sum D; zeros when there is nothing to divide by.

    >>> pulls_of_ratio(np.array([1.0, 0.0]), np.array([1.0, 1.0])).tolist()
    [0.25, -0.25]
    """
    total = float(np.sum(denominators))
    if not total:
        return np.zeros(len(denominators))
    ratio = float(np.sum(numerators)) / total
    pulls: FloatArray = (numerators - ratio * denominators) / total
    return pulls


def _linearised(value: float, by_cluster: FloatArray, *, level: float) -> Interval:
    method, count = "wilson_linearised", len(by_cluster)
    if count < 2:
        return undefined(method, level, reason="fewer_than_two_clusters" if count else "no_rows")
    error = standard_error(by_cluster * count)
    spread = error > _NO_SPREAD and 0.0 < value < 1.0
    size = value * (1.0 - value) / error**2 if spread else float(count)
    bounds = wilson_bounds(value, n=size, z=t_quantile(upper_probability(level), count - 1))
    return Interval(method, level, *bounds)


def _roots(clusters: Clusters, rows: BoolArray) -> Roots:
    if clusters is None:
        return separate_roots(int(np.count_nonzero(rows)))
    return number_roots([clusters[row] for row in np.flatnonzero(rows).tolist()])


def _sums(values: FloatArray, roots: Roots) -> FloatArray:
    return np.bincount(roots.of_row, weights=values, minlength=roots.count).astype(np.float64)
