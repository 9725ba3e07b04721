"""Which class was predicted for which."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final, TypeAlias

import numpy as np

from faircall.metrics.aggregator_metrics.base_aggregator_metric import IntervalAggregator, IntervalOptions
from faircall.metrics.aggregator_metrics.class_pairs import NO_CLASS, ClassPairs, pair_classes
from faircall.metrics.base_metric_metadata import BaseMetricMetadata
from faircall.metrics.columns import ResultColumns
from faircall.metrics.intervals import Clusters, interval_of_rate
from faircall.metrics.unit_metrics.unit_metric_result import UnitMetricResult

if TYPE_CHECKING:
    from numpy.typing import NDArray

    IntArray: TypeAlias = NDArray[np.int64]

MAX_CLASSES: Final = 2_000
"""A larger matrix would be no table: the values are texts rather than classes."""


class ConfusionMatrixMetricConfig(IntervalOptions):
    """Options of the confusion matrix; without keys, classes are what the unit metric compared."""

    golden_key: str | None = None
    predicted_key: str | None = None


class ConfusionMatrixMetric(IntervalAggregator):
    """Counts by golden class (row) and predicted class (column); missing values are counted beside it.

    >>> from faircall.metrics.unit_metrics.exact_match import ExactMatchMetric
    >>> results = ExactMatchMetric().evaluate(["a", "b", "b"], ["a", "a", "b"])
    >>> ConfusionMatrixMetric().calculate(results)["matrix"]
    [[1, 0], [1, 1]]
    """

    options_model = ConfusionMatrixMetricConfig
    metadata: ClassVar[BaseMetricMetadata | None] = BaseMetricMetadata(
        "confusion_matrix",
        description="Counts by golden class (row) and predicted class (column).",
        range=(0.0, None),
        metric_type="aggregator",
    )

    golden_key: str | None
    predicted_key: str | None

    def calculate(self, results: Sequence[UnitMetricResult]) -> dict[str, Any]:
        """`labels`, `matrix`, and per class the results whose other value is missing.

        With a level, `row_intervals` holds Wilson's interval of each cell's share of its row.

        Raises:
            ValueError: more than `MAX_CLASSES` classes.
        """
        columns = ResultColumns.of(results)
        pairs = pair_classes(columns, golden_key=self.golden_key, predicted_key=self.predicted_key)
        if len(pairs.names) > MAX_CLASSES:
            raise ValueError(f"{len(pairs.names)} classes make no confusion matrix (at most {MAX_CLASSES})")
        calculated = {
            "labels": pairs.names,
            "matrix": _matrix(pairs).tolist(),
            "missing_predictions": pairs.tally(pairs.golden[pairs.predicted == NO_CLASS]).tolist(),
            "missing_golden": pairs.tally(pairs.predicted[pairs.golden == NO_CLASS]).tolist(),
        }
        if (level := self.wanted_level()) is not None:
            calculated["row_intervals"] = _row_intervals(pairs, self.clusters(columns), level)
        return calculated


def _matrix(pairs: ClassPairs) -> IntArray:
    size = len(pairs.names)
    both = (pairs.golden != NO_CLASS) & (pairs.predicted != NO_CLASS)
    cells = np.bincount(pairs.golden[both] * size + pairs.predicted[both], minlength=size * size)
    return cells.reshape(size, size).astype(np.int64)


def _row_intervals(pairs: ClassPairs, clusters: Clusters, level: float) -> list[list[dict[str, Any]]]:
    classes = range(len(pairs.names))
    return [
        [
            interval_of_rate(pairs.predicted == column, pairs.golden == row, clusters=clusters, level=level)
            for column in classes
        ]
        for row in classes
    ]
