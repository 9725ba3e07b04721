"""Aggregator metrics by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from faircall.metrics.metric_registry import MetricClass, MetricRegistry
from faircall.registry import Registry

_HOME = "faircall.metrics.aggregator_metrics"


class AggregatorMetricRegistry(MetricRegistry):
    """Every aggregator: built in, registered, or from the entry point group `faircall.aggregator_metrics`."""

    _method = "calculate"
    _registry: ClassVar[Registry[type[Any]]] = Registry(
        "aggregator metric",
        builtin={
            "accuracy": f"{_HOME}.accuracy:AccuracyMetric",
            "classification_report": f"{_HOME}.classification_report:ClassificationReportMetric",
            "confusion_matrix": f"{_HOME}.confusion_matrix:ConfusionMatrixMetric",
            "f1_score": f"{_HOME}.f1_score:F1ScoreMetric",
            "pass_at_k": f"{_HOME}.pass_at_k:PassAtKMetric",
            "pass_hat_k": f"{_HOME}.pass_hat_k:PassHatKMetric",
            "precision": f"{_HOME}.precision:PrecisionMetric",
            "recall": f"{_HOME}.recall:RecallMetric",
            "step_efficiency": f"{_HOME}.step_efficiency:StepEfficiencyMetric",
        },
        entry_points="faircall.aggregator_metrics",
    )


def aggregator_metric(name: str) -> Callable[[MetricClass], MetricClass]:
    """Class decorator: register an aggregator metric under `name`."""
    return AggregatorMetricRegistry.decorator(name)
