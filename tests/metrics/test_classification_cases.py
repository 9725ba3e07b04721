"""Classification cases from the field, each with its source."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from faircall.metrics.aggregator_metrics.accuracy import AccuracyMetric
from faircall.metrics.aggregator_metrics.classification_report import ClassificationReportMetric
from faircall.metrics.aggregator_metrics.confusion_matrix import ConfusionMatrixMetric
from faircall.metrics.unit_metrics.unit_metric_registry import UnitMetricRegistry

CASES = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "cases/metrics/classification.jsonl").read_text().splitlines()
]


@pytest.mark.parametrize("kept", ["columns", "rows"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_case(case: dict[str, Any], kept: str) -> None:
    unit = UnitMetricRegistry.get_metric(case.get("unit", "exact_match"), key="label", **case["options"])
    results = unit.evaluate(case["golden"], case["predicted"])
    results = list(results) if kept == "rows" else results
    report = ClassificationReportMetric(**case.get("report", {})).calculate(results)
    assert report["accuracy"] == AccuracyMetric().calculate(results)["accuracy"] == case["accuracy"]
    assert report["per_class"].keys() == case["per_class"].keys()
    for label, expected in case["per_class"].items():
        found = {name: report["per_class"][label][name] for name in expected}
        assert found == pytest.approx(expected, abs=1e-12)
    if "macro" in case:
        assert report["macro"] == pytest.approx(case["macro"], abs=1e-12)
    if "missing_predictions" in case:
        assert report["missing_predictions"] == case["missing_predictions"]


def test_the_case_that_ignores_no_case() -> None:
    case = next(case for case in CASES if "accuracy_case_sensitive" in case)
    unit = UnitMetricRegistry.get_metric("exact_match", key="label", case_sensitive=True)
    results = unit.evaluate(case["golden"], case["predicted"])
    assert AccuracyMetric().calculate(results)["accuracy"] == case["accuracy_case_sensitive"]
    assert ClassificationReportMetric().calculate(results)["per_class"].keys() == {
        "Yes", "yes", "YES", "No", "no",
    }  # fmt: skip


def test_a_missing_prediction_stays_in_the_matrix() -> None:
    unit = UnitMetricRegistry.get_metric("exact_match", key="label")
    results = unit.evaluate([{"label": "a"}, {"label": "b"}], [{"label": "a"}, {}])
    assert ConfusionMatrixMetric().calculate(results) == {
        "labels": ["a", "b"],
        "matrix": [[1, 0], [0, 0]],
        "missing_predictions": [0, 1],
        "missing_golden": [0, 0],
    }


def test_lengths_that_differ_are_both_named() -> None:
    for name in UnitMetricRegistry.list_metrics():
        with pytest.raises(ValueError, match="golden has 2 values and predicted has 1 value"):
            UnitMetricRegistry.get_metric(name).evaluate([1, 2], [1])
