"""Sums of components: a metric over all rows, or over some, and its interval."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from faircall.records import METRIC_NAMES, MetricValue, Scores
from faircall.stats.cluster import Roots, number_roots
from faircall.stats.rates import metric_interval

if TYPE_CHECKING:
    from faircall.records import IntArray


def metric_values(scores: Scores, rows: IntArray | None = None) -> dict[str, MetricValue]:
    """Every metric over the rows with the given indices, or over all."""
    chosen = scores.components if rows is None else scores.components[rows]
    sums = chosen.sum(axis=0, dtype=np.int64)
    return {
        name: MetricValue(int(numerator), int(denominator))
        for name, (numerator, denominator) in zip(METRIC_NAMES, sums, strict=True)
    }


def metric_block(scores: Scores, rows: IntArray | None = None, *, level: float = 0.95) -> dict[str, Any]:
    """Every metric with its counts and its interval over roots, ready for JSON."""
    chosen = scores.components if rows is None else scores.components[rows]
    roots = number_roots(scores.roots if rows is None else [scores.roots[row] for row in rows])
    columns = ((chosen[:, place, 0], chosen[:, place, 1]) for place in range(len(METRIC_NAMES)))
    return describe_metrics(columns, roots, level=level)


def describe_metrics(
    columns: Iterable[tuple[IntArray, IntArray]], roots: Roots, *, level: float = 0.95
) -> dict[str, Any]:
    """`metric_block` from numerators and denominators per row, one pair of columns for each metric."""
    return {
        name: {
            **MetricValue(int(numerators.sum()), int(denominators.sum())).to_dict(),
            "interval": metric_interval(numerators, denominators, roots, level=level).to_dict(),
        }
        for name, (numerators, denominators) in zip(METRIC_NAMES, columns, strict=True)
    }


def rows_by_slice(scores: Scores) -> dict[str, IntArray]:
    """Row indices of every slice: the labels, then the declared slices, which may overlap."""
    return {**rows_by_label(scores), **scores.extra_slices}


def rows_by_label(scores: Scores) -> dict[str, IntArray]:
    """Row indices of each slice label, in order of first appearance; rows without a label are in no slice."""
    found: dict[str, list[int]] = {}
    for index, label in enumerate(scores.labels):
        if label is not None:
            found.setdefault(label, []).append(index)
    return {label: np.array(indices, dtype=np.int64) for label, indices in found.items()}
