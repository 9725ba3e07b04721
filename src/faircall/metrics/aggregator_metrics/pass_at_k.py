"""pass@k: the chance that at least one of k attempts is right."""

from __future__ import annotations

from math import comb
from typing import ClassVar

from faircall.metrics.aggregator_metrics.item_success import ItemMetric, ItemOptions
from faircall.metrics.base_metric_metadata import BaseMetricMetadata


class PassAtKMetricConfig(ItemOptions):
    """Options of pass@k."""


class PassAtKMetric(ItemMetric):
    """1 - C(n - c, k) / C(n, k) per item, without bias (Chen et al. 2021), then the mean over items.

    Undefined, not 0, for an item with fewer than k samples.

    >>> metric = PassAtKMetric(k=2, item_key="task")
    >>> metric.estimate(4, 1), metric.estimate(1, 0)
    (0.5, None)
    """

    options_model = PassAtKMetricConfig
    metadata: ClassVar[BaseMetricMetadata | None] = BaseMetricMetadata(
        "pass_at_k",
        display_name="pass@k",
        description="The chance that at least one of k attempts is right, without bias, averaged over items.",
        metric_type="aggregator",
    )

    @property
    def value_name(self) -> str:
        """`pass@` and k."""
        return f"pass@{self.k}"

    def estimate(self, n: int, c: int) -> float | None:
        """The unbiased estimate from `c` successes in `n` samples; exact until the last division."""
        if n < self.k:
            return None
        subsets = comb(n, self.k)
        return (subsets - comb(n - c, self.k)) / subsets
