"""The base classes of aggregator metrics."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final, TypeAlias

import numpy as np
from pydantic import Field

from faircall.metrics.base_metric import BaseMetric, MetricOptions
from faircall.metrics.columns import ResultColumns
from faircall.metrics.intervals import interval_of_rate
from faircall.metrics.unit_metrics.unit_metric_result import UnitMetricResult
from faircall.metrics.values import class_names

if TYPE_CHECKING:
    from numpy.typing import NDArray

    BoolArray: TypeAlias = NDArray[np.bool_]

DEFAULT_LEVEL: Final = 0.95


class IntervalOptions(MetricOptions):
    """The options of every aggregate that can carry an interval; given by name only.

    Naming a level or a cluster key asks for the interval.
    """

    keyword_only: ClassVar[frozenset[str]] = frozenset({"level", "cluster_key"})

    level: float | None = Field(None, gt=0.0, lt=1.0, description="add an interval at this level, say 0.95")
    cluster_key: str | None = Field(
        None, min_length=1, description="results whose metadata agree under this key are not independent"
    )


class BaseAggregatorMetric(BaseMetric, ABC):
    """A metric over many results. A subclass implements `calculate`."""

    metric_type: ClassVar[str] = "aggregator"

    @abstractmethod
    def calculate(self, results: Sequence[UnitMetricResult]) -> dict[str, Any]:
        """Values by name. No result at all is legal and gives no error and no NaN."""


class IntervalAggregator(BaseAggregatorMetric):
    """An aggregator with the options `level` and `cluster_key`."""

    level: float | None
    cluster_key: str | None

    def wanted_level(self) -> float | None:
        """The level of the interval, None when none was asked for."""
        return self.level or (DEFAULT_LEVEL if self.cluster_key else None)

    def clusters(self, columns: ResultColumns) -> list[str] | None:
        """The cluster of each result, None when results count as independent.

        Raises:
            ValueError: a result without the cluster key in its metadata.
        """
        if self.cluster_key is None:
            return None
        labels = columns.metadata_labels(self.cluster_key)
        names = class_names(labels.values)
        return [names[code] for code in labels.codes.tolist()]


class RateMetric(IntervalAggregator):
    """A share: the results that are successes among those that count as trials.

    A subclass says which with `trials` and `value_name`; successes are the correct ones among the trials.
    """

    value_name: ClassVar[str]

    @abstractmethod
    def trials(self, columns: ResultColumns) -> BoolArray:
        """Which results count; shape (results,)."""

    def calculate(self, results: Sequence[UnitMetricResult]) -> dict[str, Any]:
        """`{value_name: share}`, 0.0 without trials; `interval` beside it when a level was asked for."""
        columns = ResultColumns.of(results)
        trials = self.trials(columns)
        calculated: dict[str, Any] = {self.value_name: share_correct(columns, trials)}
        if (level := self.wanted_level()) is not None:
            calculated["interval"] = interval_of_rate(
                columns.correct, trials, clusters=self.clusters(columns), level=level
            )
        return calculated


def share_correct(columns: ResultColumns, trials: BoolArray) -> float:
    """Correct results among `trials`, 0.0 when there are none."""
    total = int(np.count_nonzero(trials))
    return int(np.count_nonzero(columns.correct & trials)) / total if total else 0.0
