"""The amount of a scroll."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from pydantic import Field

from faircall.metrics.base_metric import MetricOptions
from faircall.metrics.base_metric_metadata import BaseMetricMetadata
from faircall.metrics.unit_metrics.base_unit_metric import PairwiseUnitMetric
from faircall.metrics.unit_metrics.numeric_tolerance import judge_numbers


class ScrollAmountMetricConfig(MetricOptions):
    """Options of scroll amount; the wider of the two tolerances counts."""

    tolerance: float = Field(0.0, ge=0.0, allow_inf_nan=False, description="largest difference")
    relative: float = Field(
        0.0, ge=0.0, allow_inf_nan=False, description="largest share of the golden amount"
    )
    key: str | None = Field(None, min_length=1, description="compare what objects hold under this key")


class ScrollAmountMetric(PairwiseUnitMetric):
    """The predicted scroll is as far as the golden one, within a tolerance; the sign belongs to the amount.

    >>> ScrollAmountMetric(5).judge(100, 96)
    (True, {'difference': 4.0})
    """

    options_model = ScrollAmountMetricConfig
    metadata: ClassVar[BaseMetricMetadata | None] = BaseMetricMetadata(
        "scroll_amount", description="The predicted scroll is as far as the golden one.", metric_type="unit"
    )

    tolerance: float
    relative: float

    def judge(self, golden: Any, predicted: Any) -> tuple[bool, Mapping[str, Any]]:
        """Compare two amounts."""
        return judge_numbers(
            golden, predicted, absolute=self.tolerance, relative=self.relative, noun="an amount"
        )
