"""Recall: how many of the actual positives were found."""

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


class RecallMetricConfig(IntervalOptions):
    """Options of recall."""

    golden_key: Key
    positive_class: PositiveClass


class RecallMetric(RateMetric):
    """TP / (TP + FN): of the actual positives, those whose result is correct.

    >>> from faircall.metrics.unit_metrics.unit_metric_result import UnitMetricResult
    >>> results = [UnitMetricResult(True, {"event": 0}, {}), UnitMetricResult(False, {"event": 0}, {})]
    >>> RecallMetric("event", 0).calculate(results)
    {'recall': 0.5}
    """

    options_model = RecallMetricConfig
    metadata: ClassVar[BaseMetricMetadata | None] = BaseMetricMetadata(
        "recall", description="Of the actual positives, the share that is correct.", metric_type="aggregator"
    )
    value_name = "recall"

    golden_key: str
    positive_class: Any

    def trials(self, columns: ResultColumns) -> BoolArray:
        """The results whose golden value is the positive class."""
        return columns.labels("golden", self.golden_key).mask(self.positive_class)
