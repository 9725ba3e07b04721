"""The base classes of unit metrics."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from pydantic import Field

from faircall.metrics.base_metric import BaseMetric, MetricOptions
from faircall.metrics.unit_metrics.unit_metric_result import UnitMetricResult
from faircall.metrics.values import MISSING, value_under


class KeyOptions(MetricOptions):
    """The option of every metric that can read its values out of objects."""

    key: str | None = Field(None, min_length=1, description="compare what objects hold under this key")


class BaseUnitMetric(BaseMetric, ABC):
    """A metric with a verdict per prediction. A subclass implements `evaluate`."""

    metric_type: ClassVar[str] = "unit"

    @abstractmethod
    def evaluate(self, golden: Sequence[Any], predicted: Sequence[Any]) -> list[UnitMetricResult]:
        """Judge `predicted[i]` against `golden[i]`: one result per pair, in order.

        Raises:
            ValueError: the two differ in length.
        """


class PairwiseUnitMetric(BaseUnitMetric):
    """A unit metric that looks at one pair at a time. A subclass implements `judge`.

    With an option called `key`, `judge` receives what the objects hold under it. A pair that lacks a value is
    wrong, and its metadata says on which side; `judge` is not asked.
    """

    key: str | None = None

    @abstractmethod
    def judge(self, golden: Any, predicted: Any) -> tuple[bool, Mapping[str, Any]]:
        """The verdict on one pair, and what to note in its metadata.

        Raises:
            ValueError: the golden value is not one that this metric can use.
        """

    def evaluate(self, golden: Sequence[Any], predicted: Sequence[Any]) -> list[UnitMetricResult]:
        """Judge every pair. Raises `ValueError` for lengths that differ and `UnusableGolden`."""
        check_lengths(golden, predicted)
        return [
            self._result(position, golden=left, predicted=right)
            for position, (left, right) in enumerate(zip(golden, predicted, strict=True))
        ]

    def _result(self, position: int, *, golden: Any, predicted: Any) -> UnitMetricResult:
        values = (value_under(golden, self.key), value_under(predicted, self.key))
        if missing := missing_sides(*values):
            return UnitMetricResult(False, golden, predicted, {"missing": missing})
        try:
            correct, metadata = self.judge(*values)
        except ValueError as error:
            raise UnusableGolden(position, str(error)) from error
        return UnitMetricResult(correct, golden, predicted, dict(metadata))


class UnusableGolden(ValueError):
    """A golden value that the metric cannot use: its position, counted from 0, and why."""

    def __init__(self, position: int, reason: str) -> None:
        super().__init__(f"golden value {position}: {reason}")
        self.position = position
        self.reason = reason


def missing_sides(golden: Any, predicted: Any) -> list[str]:
    """Which of the two values are `MISSING`.

    >>> missing_sides("a", MISSING)
    ['predicted']
    """
    return [side for side, value in (("golden", golden), ("predicted", predicted)) if value is MISSING]


def check_lengths(golden: Sequence[Any], predicted: Sequence[Any]) -> None:
    """Refuse columns that cannot be paired by position.

    >>> check_lengths(["a"], [])
    Traceback (most recent call last):
        ...
    ValueError: golden has 1 value and predicted has 0 values; they are paired by position
    """
    if len(golden) != len(predicted):
        sizes = [f"{len(side)} value{'' if len(side) == 1 else 's'}" for side in (golden, predicted)]
        raise ValueError(f"golden has {sizes[0]} and predicted has {sizes[1]}; they are paired by position")
