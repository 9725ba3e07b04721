"""Sums of components: a metric over all rows, or over some."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from faircall.records import METRIC_NAMES, MetricValue, Scores

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


def rows_by_label(scores: Scores) -> dict[str, IntArray]:
    """Row indices of each slice label, in order of first appearance; rows without a label are in no slice."""
    found: dict[str, list[int]] = {}
    for index, label in enumerate(scores.labels):
        if label is not None:
            found.setdefault(label, []).append(index)
    return {label: np.array(indices, dtype=np.int64) for label, indices in found.items()}
