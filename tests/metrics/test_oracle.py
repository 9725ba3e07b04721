"""Aggregators against scikit-learn, on generated data; fast columns against plain rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import confusion_matrix, precision_recall_fscore_support

from faircall.metrics.aggregator_metrics.accuracy import AccuracyMetric
from faircall.metrics.aggregator_metrics.classification_report import ClassificationReportMetric
from faircall.metrics.aggregator_metrics.confusion_matrix import ConfusionMatrixMetric
from faircall.metrics.aggregator_metrics.f1_score import F1ScoreMetric
from faircall.metrics.aggregator_metrics.precision import PrecisionMetric
from faircall.metrics.aggregator_metrics.recall import RecallMetric
from faircall.metrics.unit_metrics.exact_match import ExactMatchMetric
from faircall.metrics.unit_metrics.unit_metric_result import UnitMetricResult

CLASS = st.sampled_from(["a", "b", "c", "d"])
PAIRS = st.lists(st.tuples(CLASS, CLASS), min_size=1, max_size=40)


def judge(pairs: list[tuple[Any, Any]]) -> list[UnitMetricResult]:
    golden, predicted = ([{"y": pair[side]} for pair in pairs] for side in (0, 1))
    return ExactMatchMetric(key="y", case_sensitive=True).evaluate(golden, predicted)


@settings(max_examples=60, deadline=None)
@given(PAIRS)
def test_report_agrees_with_scikit_learn(pairs: list[tuple[str, str]]) -> None:
    golden, predicted = zip(*pairs, strict=True)
    labels = sorted({*golden, *predicted})
    report = ClassificationReportMetric().calculate(judge(pairs))
    assert list(report["per_class"]) == labels
    scores = precision_recall_fscore_support(golden, predicted, labels=labels, zero_division=0.0)
    for column, name in enumerate(["precision", "recall", "f1", "support"]):
        found = [report["per_class"][label][name] for label in labels]
        assert found == pytest.approx(scores[column].tolist(), abs=1e-12)
    for average in ("macro", "micro", "weighted"):
        wanted = precision_recall_fscore_support(
            golden, predicted, labels=labels, average=average, zero_division=0.0
        )[:3]
        found = [report[average][name] for name in ("precision", "recall", "f1")]
        assert found == pytest.approx(wanted, abs=1e-12)


@pytest.mark.filterwarnings("ignore:A single label was found")
@settings(max_examples=60, deadline=None)
@given(PAIRS)
def test_matrix_agrees_with_scikit_learn(pairs: list[tuple[str, str]]) -> None:
    golden, predicted = zip(*pairs, strict=True)
    found = ConfusionMatrixMetric().calculate(judge(pairs))
    assert found["matrix"] == confusion_matrix(golden, predicted, labels=found["labels"]).tolist()
    assert np.sum(found["matrix"]) == len(pairs)


@settings(max_examples=60, deadline=None)
@given(PAIRS, CLASS)
def test_binary_metrics_agree_with_scikit_learn(pairs: list[tuple[str, str]], positive: str) -> None:
    golden, predicted = zip(*pairs, strict=True)
    results = judge(pairs)
    wanted = precision_recall_fscore_support(
        [value == positive for value in golden],
        [value == positive for value in predicted],
        average="binary",
        zero_division=0.0,
    )[:3]
    found = [
        PrecisionMetric("y", positive).calculate(results)["precision"],
        RecallMetric("y", positive).calculate(results)["recall"],
        F1ScoreMetric("y", "y", positive).calculate(results)["f1_score"],
    ]
    assert found == pytest.approx(wanted, abs=1e-12)


ANY_VALUE = st.one_of(
    st.sampled_from(["click", "Click ", "", "1", "true", "null", "1.0"]),
    st.sampled_from([1, 0, True, False, 1.0, -0.0, 0.0, None, float("nan"), 10**30]),
    st.sampled_from([[1], [True], {"b": 1, "a": [2]}, {"a": [2], "b": 1}, ("x",)]),
)
ROW = st.one_of(
    ANY_VALUE,
    ANY_VALUE.map(lambda value: {"tool": value}),
    ANY_VALUE.map(lambda value: {"other": value}),
)
TEXT_ROW = st.sampled_from(["click", "Click", " click", "type", "x  y", "X y"]).map(
    lambda text: {"tool": text}
)
ROWS = st.one_of(
    st.lists(st.tuples(ROW, ROW), max_size=12), st.lists(st.tuples(TEXT_ROW, TEXT_ROW), max_size=12)
)
POSITIVE = ANY_VALUE.filter(lambda value: value is not None)


@settings(max_examples=150, deadline=None)
@given(ROWS, POSITIVE, st.sampled_from([None, "tool"]), st.booleans(), st.booleans())
def test_columns_and_rows_give_the_same(
    pairs: list[tuple[Any, Any]], positive: Any, key: str | None, case: bool, space: bool
) -> None:
    """The results of a unit metric, aggregated untouched or as a plain list of objects."""
    metric = ExactMatchMetric(case_sensitive=case, normalize_whitespace=space, key=key)
    golden, predicted = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    rows = [UnitMetricResult(**one.to_dict()) for one in metric.evaluate(golden, predicted)]
    for aggregator in (
        AccuracyMetric(),
        PrecisionMetric("tool", positive),
        RecallMetric("tool", positive),
        F1ScoreMetric("tool", "tool", positive),
        ClassificationReportMetric(level=0.9),
        ConfusionMatrixMetric(),
        ClassificationReportMetric(golden_key="tool", predicted_key="other"),
    ):
        assert aggregator.calculate(metric.evaluate(golden, predicted)) == aggregator.calculate(rows)


@settings(max_examples=100, deadline=None)
@given(ROWS, st.sampled_from([None, "tool"]), st.booleans(), st.booleans())
def test_exact_match_is_equality_of_normalised_texts(
    pairs: list[tuple[Any, Any]], key: str | None, case: bool, space: bool
) -> None:
    metric = ExactMatchMetric(case, space, key)
    results = metric.evaluate([pair[0] for pair in pairs], [pair[1] for pair in pairs])
    for result, (golden, predicted) in zip(results, pairs, strict=True):
        texts = result.metadata["golden_text"], result.metadata["predicted_text"]
        assert result.correct == (texts[0] == texts[1])
        assert result.golden is golden
        assert result.predicted is predicted
