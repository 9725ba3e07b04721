"""Equality of sets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping
from typing import Any, ClassVar

from pydantic import Field

from faircall.metrics.base_metric import MetricOptions
from faircall.metrics.base_metric_metadata import BaseMetricMetadata
from faircall.metrics.unit_metrics.base_unit_metric import PairwiseUnitMetric
from faircall.metrics.values import identity


class SetEqualityMetricConfig(MetricOptions):
    """Options of set equality."""

    count_repeats: bool = Field(False, description="an element must occur as often on both sides")
    key: str | None = Field(None, min_length=1, description="compare what objects hold under this key")


class SetEqualityMetric(PairwiseUnitMetric):
    """Two lists hold the same elements, by type and value, in any order.

    The metadata counts the golden elements that are absent and the predicted ones that are extra.

    >>> SetEqualityMetric().judge([1, 2, 2], [2, 1]), SetEqualityMetric().judge([1], [True])
    ((True, {'absent': 0, 'extra': 0}), (False, {'absent': 1, 'extra': 1}))
    """

    options_model = SetEqualityMetricConfig
    metadata: ClassVar[BaseMetricMetadata | None] = BaseMetricMetadata(
        "set_equality", description="Two lists hold the same elements, in any order.", metric_type="unit"
    )

    count_repeats: bool

    def judge(self, golden: Any, predicted: Any) -> tuple[bool, Mapping[str, Any]]:
        """Compare two lists as sets, or as multisets."""
        wanted, found = self._count(golden), self._count(predicted)
        if wanted is None:
            raise ValueError(f"not a list: {golden!r}")
        if found is None:
            return False, {"reason": "not_a_list"}
        absent, extra = (wanted - found).total(), (found - wanted).total()
        return not absent and not extra, {"absent": absent, "extra": extra}

    def _count(self, value: Any) -> Counter[Hashable] | None:
        if not isinstance(value, (list, tuple, set, frozenset)):
            return None
        counted = Counter(map(identity, value))
        return counted if self.count_repeats else Counter(counted.keys())
