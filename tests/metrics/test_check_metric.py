"""`check_metric` passes what is right and names what is not."""

from __future__ import annotations

from typing import Any

import pytest

from faircall.metrics.aggregator_metrics.aggregator_metric_registry import AggregatorMetricRegistry
from faircall.metrics.aggregator_metrics.base_aggregator_metric import BaseAggregatorMetric
from faircall.metrics.unit_metrics.base_unit_metric import BaseUnitMetric
from faircall.metrics.unit_metrics.unit_metric_registry import UnitMetricRegistry
from faircall.metrics.unit_metrics.unit_metric_result import UnitMetricResult
from faircall.testing import check_metric

CALL = {"name": "f", "arguments": {"x": 1}}
VALUES: dict[str, dict[str, Any]] = {
    "exact_match": {"options": {"key": "label"}},
    "typed_value_match": {"options": {"key": "label"}},
    "json_equality": {"golden": ['"a"', "1"], "predicted": ["1", "[1"]},
    "numeric_tolerance": {"golden": [1, 2], "predicted": [1, "x"]},
    "point_in_box": {"golden": [[0, 0, 1, 1]] * 2, "predicted": [[1, 1], "x"]},
    "regular_expression": {"golden": ["a", "b+"], "predicted": ["a", "c"]},
    "scroll_amount": {"golden": [1, 2], "predicted": [1, 3]},
    "scroll_direction": {"golden": ["up", "down"], "predicted": ["up", "up"]},
    "set_equality": {"golden": [[1], [2]], "predicted": [[1], []]},
    "tool_call": {"golden": [CALL, CALL], "predicted": [CALL, "none"]},
    "precision": {"options": {"predicted_key": "label", "positive_class": "a"}},
    "recall": {"options": {"golden_key": "label", "positive_class": "a"}},
    "f1_score": {"options": {"predicted_key": "label", "golden_key": "label", "positive_class": "a"}},
    "pass_at_k": {"options": {"k": 1, "item_key": "label"}},
    "pass_hat_k": {"options": {"k": 1, "item_key": "label"}},
    "step_efficiency": {
        "options": {"golden_key": "label", "predicted_key": "label"},
        "golden": [{"label": 2}],
        "predicted": [{"label": 3}],
    },
}


@pytest.mark.parametrize("registry", [UnitMetricRegistry, AggregatorMetricRegistry])
def test_every_metric_of_faircall_passes(registry: Any) -> None:
    for name in registry.list_metrics():
        check_metric(registry.get_metric_class(name), **VALUES.get(name, {}))


class Right(BaseUnitMetric):
    """Equality."""

    def evaluate(self, golden: Any, predicted: Any) -> list[UnitMetricResult]:
        pairs = zip(golden, predicted, strict=True)
        return [UnitMetricResult(left == right, left, right) for left, right in pairs]


class Truncates(Right):
    def evaluate(self, golden: Any, predicted: Any) -> list[UnitMetricResult]:
        size = min(len(golden), len(predicted))
        return super().evaluate(golden[:size], predicted[:size])


class Drops(Right):
    def evaluate(self, golden: Any, predicted: Any) -> list[UnitMetricResult]:
        return super().evaluate(golden, predicted)[:-1]


class NoList(Right):
    def evaluate(self, golden: Any, predicted: Any) -> Any:
        return tuple(super().evaluate(golden, predicted))


class Numbers(Right):
    def evaluate(self, golden: Any, predicted: Any) -> list[UnitMetricResult]:
        pairs = zip(golden, predicted, strict=True)
        return [UnitMetricResult(int(left == right), left, right) for left, right in pairs]  # type: ignore[arg-type]


class Sorts(Right):
    def evaluate(self, golden: Any, predicted: Any) -> list[UnitMetricResult]:
        golden.sort(key=str)
        return super().evaluate(golden, predicted)


class Positional(Right):
    def evaluate(self, golden: Any, predicted: Any) -> list[UnitMetricResult]:
        results = super().evaluate(golden, predicted)
        for position, result in enumerate(results):
            result.metadata["position"] = position
        return results


class Nameless(Right):
    def get_metadata(self) -> Any:
        return {"name": "nameless"}


class NaN(BaseAggregatorMetric):
    def calculate(self, results: Any) -> dict[str, Any]:
        return {"value": float("nan")}


class Divides(BaseAggregatorMetric):
    def calculate(self, results: Any) -> dict[str, Any]:
        return {"value": 1 / len(results) if results else float("inf")}


class Counts(BaseAggregatorMetric):
    calls = 0

    def calculate(self, results: Any) -> dict[str, Any]:
        self.calls += 1
        return {"value": self.calls}


class Writes(BaseAggregatorMetric):
    def calculate(self, results: Any) -> dict[str, Any]:
        for result in results:
            result.metadata["seen"] = True
        return {"value": 1}


class Neither:
    pass


@pytest.mark.parametrize(
    ("metric_class", "promise"),
    [
        (Truncates, "cannot be paired raise ValueError"),
        (Drops, "one result per pair"),
        (NoList, "gives a list"),
        (Numbers, "every verdict is a bool"),
        (Sorts, "leaves its input"),
        (Positional, "the order of pairs changes no verdict"),
        (Nameless, "gives BaseMetricMetadata"),
        (NaN, "without NaN"),
        (Divides, "no results give values, without NaN"),
        (Counts, "the same results give the same values"),
        (Writes, "leaves the results as they were"),
        (Neither, r"evaluate\(\) or calculate\(\)"),
    ],
)
def test_broken_promises_are_named(metric_class: type[Any], promise: str) -> None:
    with pytest.raises(AssertionError, match=promise):
        check_metric(metric_class)


def test_a_right_metric_passes() -> None:
    check_metric(Right)
