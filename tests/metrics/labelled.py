"""Results of exact match over classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from faircall.metrics.unit_metrics.exact_match import ExactMatchMetric
from faircall.metrics.unit_metrics.unit_metric_result import UnitMetricResult


def labelled(pairs: Sequence[tuple[str, str]], **metadata: Sequence[Any]) -> list[UnitMetricResult]:
    golden, predicted = ([{"y": pair[side]} for pair in pairs] for side in (0, 1))
    results = ExactMatchMetric(key="y").evaluate(golden, predicted)
    for name, values in metadata.items():
        for result, value in zip(results, values, strict=True):
            result.metadata[name] = value
    return results
