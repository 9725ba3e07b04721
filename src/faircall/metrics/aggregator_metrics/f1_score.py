"""F1: the harmonic mean of precision and recall."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np

from faircall.metrics.aggregator_metrics.base_aggregator_metric import (
    IntervalAggregator,
    IntervalOptions,
    share_correct,
)
from faircall.metrics.aggregator_metrics.positive_class import Key, PositiveClass
from faircall.metrics.base_metric_metadata import BaseMetricMetadata
from faircall.metrics.columns import ResultColumns
from faircall.metrics.intervals import interval_of_value, pulls_of_ratio
from faircall.metrics.unit_metrics.unit_metric_result import UnitMetricResult

if TYPE_CHECKING:
    from numpy.typing import NDArray

    BoolArray: TypeAlias = NDArray[np.bool_]
    FloatArray: TypeAlias = NDArray[np.float64]


class F1ScoreMetricConfig(IntervalOptions):
    """Options of F1."""

    predicted_key: Key
    golden_key: Key
    positive_class: PositiveClass


class F1ScoreMetric(IntervalAggregator):
    """2 P R / (P + R), with precision and recall as `PrecisionMetric` and `RecallMetric` have them.

    >>> from faircall.metrics.unit_metrics.unit_metric_result import UnitMetricResult
    >>> results = [
    ...     UnitMetricResult(True, {"event": "click"}, {"tool": "click"}),
    ...     UnitMetricResult(False, {"event": "click"}, {"tool": "type"}),
    ... ]
    >>> F1ScoreMetric("tool", "event", "click").calculate(results)
    {'f1_score': 0.6666666666666666}
    """

    options_model = F1ScoreMetricConfig
    metadata: ClassVar[BaseMetricMetadata | None] = BaseMetricMetadata(
        "f1_score",
        display_name="F1 score",
        description="The harmonic mean of precision and recall.",
        metric_type="aggregator",
    )

    predicted_key: str
    golden_key: str
    positive_class: Any

    def calculate(self, results: Sequence[UnitMetricResult]) -> dict[str, Any]:
        """`{"f1_score": value}`, 0.0 without positives; `interval` beside it when a level was asked for."""
        columns = ResultColumns.of(results)
        predicted = columns.labels("predicted", self.predicted_key).mask(self.positive_class)
        golden = columns.labels("golden", self.golden_key).mask(self.positive_class)
        precision, recall = share_correct(columns, predicted), share_correct(columns, golden)
        value = harmonic_mean(precision, recall)
        calculated: dict[str, Any] = {"f1_score": value}
        if (level := self.wanted_level()) is not None:
            calculated["interval"] = interval_of_value(
                value,
                pulls=_pulls(columns.correct, predicted=predicted, golden=golden),
                relevant=predicted | golden,
                clusters=self.clusters(columns),
                level=level,
            )
        return calculated


def harmonic_mean(precision: float, recall: float) -> float:
    """2 P R / (P + R); 0.0 when both are 0.

    >>> harmonic_mean(0.0, 0.0), harmonic_mean(1.0, 0.5)
    (0.0, 0.6666666666666666)
    """
    total = precision + recall
    return 2 * precision * recall / total if total else 0.0


def _pulls(correct: BoolArray, *, predicted: BoolArray, golden: BoolArray) -> FloatArray:
    """F1 moves with P by 2 R^2 / (P + R)^2 and with R by 2 P^2 / (P + R)^2."""
    sides = [(correct & side).astype(np.float64) for side in (predicted, golden)]
    totals = [int(np.count_nonzero(side)) for side in (predicted, golden)]
    precision, recall = (
        float(np.sum(hits)) / total if total else 0.0 for hits, total in zip(sides, totals, strict=True)
    )
    if not precision + recall:
        return np.zeros(len(correct))
    by_precision = pulls_of_ratio(sides[0], predicted.astype(np.float64))
    by_recall = pulls_of_ratio(sides[1], golden.astype(np.float64))
    scale = 2.0 / (precision + recall) ** 2
    pulls: FloatArray = scale * (recall**2 * by_precision + precision**2 * by_recall)
    return pulls
