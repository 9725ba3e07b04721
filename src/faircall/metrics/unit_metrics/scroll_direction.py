"""The direction of a scroll."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final

from faircall.metrics.base_metric_metadata import BaseMetricMetadata
from faircall.metrics.unit_metrics.base_unit_metric import KeyOptions, PairwiseUnitMetric

DIRECTIONS: Final = ("up", "down", "left", "right")


class ScrollDirectionMetricConfig(KeyOptions):
    """Options of scroll direction."""


class ScrollDirectionMetric(PairwiseUnitMetric):
    """The predicted scroll goes the way of the golden one: up, down, left or right, in any case.

    >>> ScrollDirectionMetric().judge("down", "DOWN "), ScrollDirectionMetric().judge("down", "sideways")
    ((True, {}), (False, {'reason': 'not_a_direction'}))
    """

    options_model = ScrollDirectionMetricConfig
    metadata: ClassVar[BaseMetricMetadata | None] = BaseMetricMetadata(
        "scroll_direction", description="The predicted scroll goes the golden way.", metric_type="unit"
    )

    def judge(self, golden: Any, predicted: Any) -> tuple[bool, Mapping[str, Any]]:
        """Compare two directions."""
        wanted, found = read_direction(golden), read_direction(predicted)
        if wanted is None:
            raise ValueError(f"not a direction ({', '.join(DIRECTIONS)}): {golden!r}")
        return (False, {"reason": "not_a_direction"}) if found is None else (found == wanted, {})


def read_direction(value: Any) -> str | None:
    """The direction that a text names, None when it names none.

    >>> read_direction(" Up")
    'up'
    """
    word = value.strip().lower() if isinstance(value, str) else None
    return word if word in DIRECTIONS else None
