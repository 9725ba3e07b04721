"""What pass@k and pass^k share: samples grouped by item, one value per item, and their mean."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from pydantic import Field

from faircall.metrics.aggregator_metrics.base_aggregator_metric import IntervalAggregator, IntervalOptions
from faircall.metrics.aggregator_metrics.positive_class import Key
from faircall.metrics.columns import ResultColumns
from faircall.metrics.intervals import interval_of_value
from faircall.metrics.unit_metrics.unit_metric_result import UnitMetricResult
from faircall.metrics.values import class_names

if TYPE_CHECKING:
    from numpy.typing import NDArray

    BoolArray: TypeAlias = NDArray[np.bool_]
    FloatArray: TypeAlias = NDArray[np.float64]


class ItemOptions(IntervalOptions):
    """Options of metrics over repeated samples."""

    k: int = Field(..., ge=1, strict=True, description="the number of attempts")
    item_key: Key = Field(..., description="the metadata key that says which item a result is a sample of")


@dataclass(frozen=True)
class Items:
    """Samples and successes per item, in order of first appearance.

    Attributes:
        names: one per item. samples, successes: n and c per item. first_rows: a result of each item.
    """

    names: list[str]
    samples: list[int]
    successes: list[int]
    first_rows: list[int]


class ItemMetric(IntervalAggregator):
    """The mean over items of a value made from n samples and c successes. A subclass implements `estimate`.

    An item without enough samples has no value: it is null in `per_item`, counted in `undefined_items`, and
    not part of the mean. When no item has one, the mean is null and `reason` says why.
    """

    k: int
    item_key: str

    @abstractmethod
    def estimate(self, n: int, c: int) -> float | None:
        """The value of an item with `c` successes in `n` samples, None when it is undefined."""

    @property
    @abstractmethod
    def value_name(self) -> str:
        """The name of the mean in the result."""

    def calculate(self, results: Sequence[UnitMetricResult]) -> dict[str, Any]:
        """The mean, the number of items and of undefined ones, and `per_item`: n, c and value of each.

        Raises:
            ValueError: a result without the item key (or the cluster key) in its metadata.
        """
        columns = ResultColumns.of(results)
        items = group_items(columns, self.item_key)
        values = [self.estimate(n, c) for n, c in zip(items.samples, items.successes, strict=True)]
        defined = [value for value in values if value is not None]
        calculated: dict[str, Any] = {
            self.value_name: float(np.mean(defined)) if defined else (None if values else 0.0),
            "items": len(values),
            "undefined_items": len(values) - len(defined),
            "per_item": _per_item(items, values),
        }
        if values and not defined:
            calculated["reason"] = f"no item has {self.k} samples"
        if (level := self.wanted_level()) is not None:
            calculated["interval"] = self._interval(columns, items, values=values, level=level)
        return calculated

    def _interval(
        self, columns: ResultColumns, items: Items, *, values: Sequence[float | None], level: float
    ) -> dict[str, Any]:
        clusters = self.clusters(columns)
        known = np.array([value is not None for value in values], dtype=np.bool_)
        numbers = np.array([value or 0.0 for value in values], dtype=np.float64)
        mean = float(np.mean(numbers[known])) if known.any() else 0.0
        return interval_of_value(
            mean,
            pulls=(numbers - mean) / max(int(np.count_nonzero(known)), 1),
            relevant=known,
            clusters=None if clusters is None else [clusters[row] for row in items.first_rows],
            level=level,
        )


def group_items(columns: ResultColumns, item_key: str) -> Items:
    """Count samples and successes of each item."""
    if not len(columns):
        return Items([], [], [], [])
    labels = columns.metadata_labels(item_key)
    size = len(labels.values)
    _, first_rows = np.unique(labels.codes, return_index=True)
    return Items(
        class_names(labels.values),
        np.bincount(labels.codes, minlength=size).tolist(),
        np.bincount(labels.codes[columns.correct], minlength=size).tolist(),
        first_rows.tolist(),
    )


def _per_item(items: Items, values: Sequence[float | None]) -> dict[str, dict[str, Any]]:
    return {
        name: {"n": n, "c": c, "value": value}
        for name, n, c, value in zip(items.names, items.samples, items.successes, values, strict=True)
    }
