"""Accuracy: the share of correct results."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, TypeAlias

import numpy as np

from faircall.metrics.aggregator_metrics.base_aggregator_metric import IntervalOptions, RateMetric
from faircall.metrics.base_metric_metadata import BaseMetricMetadata
from faircall.metrics.columns import ResultColumns

if TYPE_CHECKING:
    from numpy.typing import NDArray

    BoolArray: TypeAlias = NDArray[np.bool_]


class AccuracyMetricConfig(IntervalOptions):
    """Options of accuracy: only those of its interval."""


class AccuracyMetric(RateMetric):
    """Correct results divided by all results.

    >>> from faircall.metrics.unit_metrics.unit_metric_result import UnitMetricResult
    >>> AccuracyMetric().calculate([UnitMetricResult(True, "a", "a"), UnitMetricResult(False, "a", "b")])
    {'accuracy': 0.5}
    """

    options_model = AccuracyMetricConfig
    metadata: ClassVar[BaseMetricMetadata | None] = BaseMetricMetadata(
        "accuracy", description="Correct results divided by all results.", metric_type="aggregator"
    )
    value_name = "accuracy"

    def trials(self, columns: ResultColumns) -> BoolArray:
        """Every result."""
        return np.ones(len(columns), np.bool_)
