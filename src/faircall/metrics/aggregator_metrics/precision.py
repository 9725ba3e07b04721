"""Precision: how often a positive prediction is right."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np

from faircall.metrics.aggregator_metrics.base_aggregator_metric import IntervalOptions, RateMetric
from faircall.metrics.aggregator_metrics.positive_class import Key, PositiveClass
from faircall.metrics.base_metric_metadata import BaseMetricMetadata
from faircall.metrics.columns import ResultColumns

if TYPE_CHECKING:
    from numpy.typing import NDArray

    BoolArray: TypeAlias = NDArray[np.bool_]


class PrecisionMetricConfig(IntervalOptions):
    """Options of precision."""

    predicted_key: Key
    positive_class: PositiveClass


class PrecisionMetric(RateMetric):
    """TP / (TP + FP): of the positive predictions, those whose result is correct.

    >>> from faircall.metrics.unit_metrics.unit_metric_result import UnitMetricResult
    >>> results = [
    ...     UnitMetricResult(True, {"event": "click"}, {"tool": "click"}),
    ...     UnitMetricResult(False, {"event": "click"}, {"tool": "type"}),
    ... ]
    >>> PrecisionMetric("tool", "click").calculate(results)
    {'precision': 1.0}
    """

    options_model = PrecisionMetricConfig
    metadata: ClassVar[BaseMetricMetadata | None] = BaseMetricMetadata(
        "precision",
        description="Of the positive predictions, the share that is correct.",
        metric_type="aggregator",
    )
    value_name = "precision"

    predicted_key: str
    positive_class: Any

    def trials(self, columns: ResultColumns) -> BoolArray:
        """The results whose prediction is the positive class."""
        return columns.labels("predicted", self.predicted_key).mask(self.positive_class)
