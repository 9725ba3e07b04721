"""Aggregators beyond the seed, intervals, and the registry of aggregators."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from faircall.errors import ConfigError
from faircall.metrics.aggregator_metrics.accuracy import AccuracyMetric
from faircall.metrics.aggregator_metrics.aggregator_metric_registry import (
    AggregatorMetricRegistry,
    aggregator_metric,
)
from faircall.metrics.aggregator_metrics.confusion_matrix import MAX_CLASSES, ConfusionMatrixMetric
from faircall.metrics.aggregator_metrics.pass_at_k import PassAtKMetric
from faircall.metrics.aggregator_metrics.pass_hat_k import PassHatKMetric
from faircall.metrics.aggregator_metrics.precision import PrecisionMetric
from faircall.metrics.aggregator_metrics.step_efficiency import StepEfficiencyMetric
from faircall.metrics.unit_metrics.exact_match import ExactMatchMetric
from faircall.metrics.unit_metrics.unit_metric_result import UnitMetricResult
from faircall.stats.wilson import wilson_interval
from metrics.labelled import labelled

SEED_METRICS = ["accuracy", "f1_score", "precision", "recall"]
REQUIRED: dict[str, dict[str, Any]] = {
    "precision": {"predicted_key": "y", "positive_class": "a"},
    "recall": {"golden_key": "y", "positive_class": "a"},
    "f1_score": {"predicted_key": "y", "golden_key": "y", "positive_class": "a"},
    "pass_at_k": {"k": 2, "item_key": "item"},
    "pass_hat_k": {"k": 2, "item_key": "item"},
    "step_efficiency": {"golden_key": "steps", "predicted_key": "steps"},
}


def samples(*verdicts: tuple[str, bool]) -> list[UnitMetricResult]:
    return [UnitMetricResult(right, None, None, {"item": item}) for item, right in verdicts]


# --- Registry


def test_listing_is_sorted_and_holds_the_seed() -> None:
    names = AggregatorMetricRegistry.list_metrics()
    assert names == sorted(names)
    assert set(SEED_METRICS) <= set(names)


@pytest.mark.parametrize("name", AggregatorMetricRegistry.list_metrics())
def test_every_metric_lives_alone_and_describes_itself(name: str) -> None:
    metric_class = AggregatorMetricRegistry.get_metric_class(name)
    assert metric_class.__module__ == f"faircall.metrics.aggregator_metrics.{name}"
    assert metric_class.describe().name == name
    assert metric_class.options_model.__module__ == metric_class.__module__


@pytest.mark.parametrize("name", AggregatorMetricRegistry.list_metrics())
def test_nothing_gives_zero_or_nothing_but_no_nan(name: str) -> None:
    metric = AggregatorMetricRegistry.get_metric(name, **REQUIRED.get(name, {}), level=0.95)
    calculated = metric.calculate([])
    first = next(iter(calculated.values()))
    assert first in (0.0, [])
    assert "nan" not in repr(calculated)


def test_information_names_class_module_and_options() -> None:
    information = AggregatorMetricRegistry.get_metrics_info()
    assert list(information) == AggregatorMetricRegistry.list_metrics()
    precision = information["precision"]
    assert precision["class"] == "PrecisionMetric"
    assert precision["module"] == "faircall.metrics.aggregator_metrics.precision"
    assert precision["metadata"]["range"] == (0.0, 1.0)
    assert precision["options"]["required"] == ["predicted_key", "positive_class"]


def test_registering_finding_and_forgetting() -> None:
    class Longest:
        def calculate(self, results: Sequence[UnitMetricResult]) -> dict[str, Any]:
            return {"longest": max((len(one.predicted) for one in results), default=0)}

    try:
        assert aggregator_metric("longest")(Longest) is Longest
        assert AggregatorMetricRegistry.has_metric("longest")
        assert AggregatorMetricRegistry.get_metric_class("longest") is Longest
        found = AggregatorMetricRegistry.get_metric("longest").calculate([UnitMetricResult(True, "", "abc")])
        assert found == {"longest": 3}
        assert AggregatorMetricRegistry.unregister("longest") is True
        assert AggregatorMetricRegistry.unregister("longest") is False
        AggregatorMetricRegistry.clear()
        assert AggregatorMetricRegistry.list_metrics() == []
    finally:
        AggregatorMetricRegistry.restore()
    assert "accuracy" in AggregatorMetricRegistry.list_metrics()


def test_unknown_and_unfit_metrics_are_refused() -> None:
    with pytest.raises(ConfigError, match="unknown aggregator metric 'presicion'; did you mean 'precision'"):
        AggregatorMetricRegistry.get_metric("presicion")
    with pytest.raises(ConfigError, match="must be a class with a method calculate"):
        AggregatorMetricRegistry.register("nothing", dict)
    with pytest.raises(ConfigError, match="must be a class with a method calculate"):
        AggregatorMetricRegistry.register("made", AccuracyMetric())  # type: ignore[arg-type]


def test_positional_only_reaches_own_options() -> None:
    with pytest.raises(TypeError, match="takes at most 0 values"):
        AccuracyMetric(0.95)
    with pytest.raises(ValidationError, match="less than 1"):
        AccuracyMetric(level=95)
    with pytest.raises(ValidationError, match="Extra inputs"):
        PrecisionMetric("tool", "click", golden_key="event")


# --- pass@k and pass^k


@settings(max_examples=50, deadline=None)
@given(st.integers(1, 8), st.integers(0, 8), st.integers(1, 8))
def test_pass_at_k_and_pass_hat_k_count_subsets(n: int, c: int, k: int) -> None:
    c = min(c, n)
    at, hat = PassAtKMetric(k=k, item_key="i"), PassHatKMetric(k=k, item_key="i")
    if n < k:
        assert at.estimate(n, c) is None
        assert hat.estimate(n, c) is None
        return
    subsets = list(combinations([True] * c + [False] * (n - c), k))
    assert at.estimate(n, c) == pytest.approx(float(Fraction(sum(map(any, subsets)), len(subsets))))
    assert hat.estimate(n, c) == pytest.approx(float(Fraction(sum(map(all, subsets)), len(subsets))))


def test_pass_at_k_by_item() -> None:
    results = samples(("x", True), ("y", False), ("x", False), ("y", False), ("z", True))
    assert PassAtKMetric(k=2, item_key="item").calculate(results) == {
        "pass@2": 0.5,
        "items": 3,
        "undefined_items": 1,
        "per_item": {
            "x": {"n": 2, "c": 1, "value": 1.0},
            "y": {"n": 2, "c": 0, "value": 0.0},
            "z": {"n": 1, "c": 1, "value": None},
        },
    }


def test_pass_at_k_is_undefined_when_no_item_has_enough_samples() -> None:
    calculated = PassAtKMetric(k=3, item_key="item", level=0.95).calculate(samples(("x", False)))
    assert calculated["pass@3"] is None
    assert calculated["reason"] == "no item has 3 samples"
    assert calculated["interval"]["reason"] == "no_rows"


def test_pass_hat_k_names_its_estimator() -> None:
    results = samples(("x", True), ("x", True), ("x", False), ("x", True))
    unbiased = PassHatKMetric(k=2, item_key="item").calculate(results)
    assert (unbiased["pass^2"], unbiased["estimator"]) == (0.5, "combinations")
    plug_in = PassHatKMetric(k=2, item_key="item", estimator="plug_in").calculate(results)
    assert (plug_in["pass^2"], plug_in["estimator"]) == (0.5625, "plug_in")


def test_pass_at_k_survives_many_samples() -> None:
    value = PassAtKMetric(k=500, item_key="i").estimate(5_000, 3)
    assert value == pytest.approx(1 - math.prod((4_500 - i) / (5_000 - i) for i in range(3)), abs=1e-12)


@pytest.mark.parametrize("options", [{"k": 0}, {"k": 1.5}, {"k": True}, {"k": 1, "item_key": ""}])
def test_refused_options_of_pass_at_k(options: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        PassAtKMetric(**{"item_key": "item", **options})


def test_an_item_key_that_is_missing_names_the_result() -> None:
    results = [*samples(("x", True)), UnitMetricResult(True, None, None)]
    with pytest.raises(ValueError, match="result 1 has no 'item' in its metadata"):
        PassAtKMetric(k=1, item_key="item").calculate(results)


# --- Step efficiency


def test_step_efficiency() -> None:
    rows = [(True, 2, 4), (True, 3, 2), (False, 1, 1), (True, 0, 0), (True, 2, None)]
    results = [UnitMetricResult(right, {"steps": g}, {"steps": t}) for right, g, t in rows]
    assert StepEfficiencyMetric("steps", "steps").calculate(results) == {
        "step_efficiency": (0.5 + 1 + 0 + 1 + 0) / 5,
        "missing_predictions": 1,
    }
    with pytest.raises(ValueError, match="golden value 0: no count of steps: -1"):
        StepEfficiencyMetric("steps", "steps").calculate(
            [UnitMetricResult(True, {"steps": -1}, {"steps": 1})]
        )


# --- Confusion matrix


def test_too_many_classes_make_no_matrix() -> None:
    texts = [str(number) for number in range(MAX_CLASSES + 1)]
    with pytest.raises(ValueError, match=f"{MAX_CLASSES + 1} classes"):
        ConfusionMatrixMetric().calculate(ExactMatchMetric().evaluate(texts, texts))


def test_row_intervals_are_wilsons() -> None:
    calculated = ConfusionMatrixMetric(level=0.9).calculate(labelled([("a", "a"), ("a", "b"), ("a", "a")]))
    assert calculated["row_intervals"][0][0] == wilson_interval(2, 3, level=0.9).to_dict()
    assert calculated["row_intervals"][1][0]["reason"] == "no_rows"
