"""Aggregators beyond the seed, intervals, and the registry of aggregators."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
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
from faircall.metrics.aggregator_metrics.classification_report import ClassificationReportMetric
from faircall.metrics.aggregator_metrics.confusion_matrix import MAX_CLASSES, ConfusionMatrixMetric
from faircall.metrics.aggregator_metrics.f1_score import F1ScoreMetric
from faircall.metrics.aggregator_metrics.pass_at_k import PassAtKMetric
from faircall.metrics.aggregator_metrics.pass_hat_k import PassHatKMetric
from faircall.metrics.aggregator_metrics.precision import PrecisionMetric
from faircall.metrics.aggregator_metrics.step_efficiency import StepEfficiencyMetric
from faircall.metrics.unit_metrics.exact_match import ExactMatchMetric
from faircall.metrics.unit_metrics.unit_metric_result import UnitMetricResult
from faircall.stats.wilson import wilson_interval

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


def labelled(pairs: Sequence[tuple[str, str]], **metadata: Sequence[Any]) -> list[UnitMetricResult]:
    golden, predicted = ([{"y": pair[side]} for pair in pairs] for side in (0, 1))
    results = ExactMatchMetric(key="y").evaluate(golden, predicted)
    for name, values in metadata.items():
        for result, value in zip(results, values, strict=True):
            result.metadata[name] = value
    return results


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


# --- Intervals

TEN = [("a", "a")] * 4 + [("a", "b")] * 2 + [("b", "a")] * 1 + [("b", "b")] * 3


def test_intervals_of_rates_are_wilsons() -> None:
    results = labelled(TEN)
    assert AccuracyMetric(level=0.95).calculate(results)["interval"] == wilson_interval(7, 10).to_dict()
    precision = PrecisionMetric("y", "a", level=0.9).calculate(results)
    assert precision == {"precision": 0.8, "interval": wilson_interval(4, 5, level=0.9).to_dict()}
    assert PrecisionMetric("y", "zzz", level=0.9).calculate(results)["interval"]["reason"] == "no_rows"


def test_repeating_every_result_in_its_cluster_changes_no_interval() -> None:
    """Law of statistics.md: with results repeated under their cluster, intervals stay."""
    names = [str(number // 2) for number in range(10)]
    metrics = (
        AccuracyMetric(cluster_key="c"),
        PrecisionMetric("y", "a", cluster_key="c"),
        F1ScoreMetric("y", "y", "a", cluster_key="c"),
    )
    for metric in metrics:
        once = metric.calculate(labelled(TEN, c=names))["interval"]
        twice = metric.calculate(labelled(TEN * 2, c=names * 2))["interval"]
        assert [twice[side] for side in ("lower", "upper")] == pytest.approx(
            [once[side] for side in ("lower", "upper")], abs=1e-12
        )
        assert once["level"] == 0.95


def test_a_cluster_key_widens_what_repeats() -> None:
    names = [str(number % 5) for number in range(10)]
    alone = AccuracyMetric(level=0.95).calculate(labelled(TEN * 4, c=names * 4))["interval"]
    grouped = AccuracyMetric(cluster_key="c").calculate(labelled(TEN * 4, c=names * 4))["interval"]
    assert grouped["method"] == "wilson_design_effect"
    assert grouped["upper"] - grouped["lower"] > alone["upper"] - alone["lower"]


def test_a_missing_cluster_is_an_error() -> None:
    with pytest.raises(ValueError, match="no 'c' in its metadata"):
        AccuracyMetric(cluster_key="c").calculate(labelled(TEN))


def jackknife_error(metric: Any, results: list[UnitMetricResult], pick: Any) -> float:
    """An independent standard error: leave one result out."""
    count = len(results)
    values = [pick(metric.calculate(results[:i] + results[i + 1 :])) for i in range(count)]
    return math.sqrt((count - 1) / count * sum((value - np.mean(values)) ** 2 for value in values))


def effective_error(interval: dict[str, Any], value: float, count: int) -> float:
    """The standard error that Wilson's interval at an effective size stands for."""
    from faircall.stats.quantiles import t_quantile

    t = t_quantile(0.975, count - 1)
    width = interval["upper"] - interval["lower"]
    low, high = 1e-9, 1e9
    for _ in range(200):
        size = math.sqrt(low * high)
        spread = (
            2 * t * math.sqrt(value * (1 - value) / size + t * t / (4 * size * size)) / (1 + t * t / size)
        )
        low, high = (size, high) if spread > width else (low, size)
    return math.sqrt(value * (1 - value) / low)


@pytest.mark.parametrize("average", ["f1", "macro", "micro", "weighted", "class"])
def test_linearised_intervals_agree_with_the_jackknife(average: str) -> None:
    draw = np.random.default_rng(3)
    golden = draw.choice(["a", "b", "c"], 300, p=[0.5, 0.3, 0.2])
    predicted = np.where(draw.random(300) < 0.7, golden, draw.choice(["a", "b", "c"], 300))
    results = labelled(list(zip(golden.tolist(), predicted.tolist(), strict=True)))
    if average == "f1":
        metric: Any = F1ScoreMetric("y", "y", "a", level=0.95)
        calculated = metric.calculate(results)
        value, interval, plain = calculated["f1_score"], calculated["interval"], F1ScoreMetric("y", "y", "a")
        relevant = sum("a" in (one.golden["y"], one.predicted["y"]) for one in results)
        error = jackknife_error(plain, results, lambda found: found["f1_score"])
    else:
        report = ClassificationReportMetric(level=0.95).calculate(results)
        block = report["per_class"]["b"] if average == "class" else report[average]
        value, interval = block["f1"], block["intervals"]["f1"]
        relevant = 300
        if average == "class":
            relevant = sum("b" in (one.golden["y"], one.predicted["y"]) for one in results)

        def pick(found: dict[str, Any]) -> float:
            return float((found["per_class"]["b"] if average == "class" else found[average])["f1"])

        error = jackknife_error(ClassificationReportMetric(), results, pick)
    assert effective_error(interval, value, relevant) == pytest.approx(error, rel=0.03)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), min_size=2, max_size=15))
def test_every_interval_holds_its_value_and_stays_inside(pairs: list[tuple[str, str]]) -> None:
    report = ClassificationReportMetric(level=0.9).calculate(labelled(pairs))
    blocks = [*report["per_class"].values(), report["macro"], report["micro"], report["weighted"]]
    for block in blocks:
        for name, interval in block["intervals"].items():
            if interval["lower"] is None:
                assert interval["reason"] in ("no_rows", "fewer_than_two_clusters")
                continue
            assert -1e-12 <= interval["lower"] <= block[name] + 1e-12
            assert block[name] - 1e-12 <= interval["upper"] <= 1 + 1e-12
            assert interval["upper"] > interval["lower"]
