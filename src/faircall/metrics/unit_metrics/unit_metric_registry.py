"""Unit metrics by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from faircall.metrics.metric_registry import MetricClass, MetricRegistry
from faircall.registry import Registry

_HOME = "faircall.metrics.unit_metrics"


class UnitMetricRegistry(MetricRegistry):
    """Every unit metric: built in, registered, or from the entry point group `faircall.unit_metrics`."""

    _method = "evaluate"
    _registry: ClassVar[Registry[type[Any]]] = Registry(
        "unit metric",
        builtin={
            "exact_match": f"{_HOME}.exact_match:ExactMatchMetric",
            "json_equality": f"{_HOME}.json_equality:JsonEqualityMetric",
            "numeric_tolerance": f"{_HOME}.numeric_tolerance:NumericToleranceMetric",
            "point_in_box": f"{_HOME}.point_in_box:PointInBoxMetric",
            "regular_expression": f"{_HOME}.regular_expression:RegularExpressionMetric",
            "scroll_amount": f"{_HOME}.scroll_amount:ScrollAmountMetric",
            "scroll_direction": f"{_HOME}.scroll_direction:ScrollDirectionMetric",
            "set_equality": f"{_HOME}.set_equality:SetEqualityMetric",
            "tool_call": f"{_HOME}.tool_call:ToolCallMetric",
            "typed_value_match": f"{_HOME}.typed_value_match:TypedValueMatchMetric",
        },
        entry_points="faircall.unit_metrics",
    )


def unit_metric(name: str) -> Callable[[MetricClass], MetricClass]:
    """Class decorator: register a unit metric under `name`."""
    return UnitMetricRegistry.decorator(name)
