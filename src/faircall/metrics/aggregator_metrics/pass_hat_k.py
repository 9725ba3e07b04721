"""pass^k: the chance that all of k attempts are right."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from typing import Any, ClassVar, Literal

from pydantic import Field

from faircall.metrics.aggregator_metrics.item_success import ItemMetric, ItemOptions
from faircall.metrics.base_metric_metadata import BaseMetricMetadata
from faircall.metrics.unit_metrics.unit_metric_result import UnitMetricResult


class PassHatKMetricConfig(ItemOptions):
    """Options of pass^k."""

    estimator: Literal["combinations", "plug_in"] = Field(
        "combinations", description="C(c,k)/C(n,k), without bias; or (c/n)^k, biased upwards, for any n"
    )


class PassHatKMetric(ItemMetric):
    """C(c, k) / C(n, k) per item (Yao et al. 2024), then the mean over items; the estimator is named.

    >>> PassHatKMetric(k=2, item_key="task").estimate(4, 3)
    0.5
    >>> PassHatKMetric(k=2, item_key="task", estimator="plug_in").estimate(4, 3)
    0.5625
    """

    options_model = PassHatKMetricConfig
    metadata: ClassVar[BaseMetricMetadata | None] = BaseMetricMetadata(
        "pass_hat_k",
        display_name="pass^k",
        description="The chance that all of k attempts are right, averaged over items.",
        metric_type="aggregator",
    )

    estimator: str

    @property
    def value_name(self) -> str:
        """`pass^` and k."""
        return f"pass^{self.k}"

    def estimate(self, n: int, c: int) -> float | None:
        """The estimate from `c` successes in `n` samples; without bias it needs n of at least k."""
        if self.estimator == "plug_in":
            return float((c / n) ** self.k)
        return comb(c, self.k) / comb(n, self.k) if n >= self.k else None

    def calculate(self, results: Sequence[UnitMetricResult]) -> dict[str, Any]:
        """As every item metric, with the `estimator`."""
        return {**super().calculate(results), "estimator": self.estimator}
