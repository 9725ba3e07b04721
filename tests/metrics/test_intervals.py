"""The intervals that aggregates carry: laws, Wilson, and the jackknife as oracle."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from faircall.metrics.aggregator_metrics.accuracy import AccuracyMetric
from faircall.metrics.aggregator_metrics.classification_report import ClassificationReportMetric
from faircall.metrics.aggregator_metrics.f1_score import F1ScoreMetric
from faircall.metrics.aggregator_metrics.precision import PrecisionMetric
from faircall.metrics.unit_metrics.unit_metric_result import UnitMetricResult
from faircall.stats.wilson import wilson_interval
from metrics.labelled import labelled

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
