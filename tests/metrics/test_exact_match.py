"""Exact match: what counts as the same text, and that its result behaves as a list."""

from __future__ import annotations

import copy
import json
import pickle
from collections import defaultdict
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from faircall.metrics.aggregator_metrics.accuracy import AccuracyMetric
from faircall.metrics.aggregator_metrics.classification_report import ClassificationReportMetric
from faircall.metrics.aggregator_metrics.f1_score import F1ScoreMetric
from faircall.metrics.aggregator_metrics.precision import PrecisionMetric
from faircall.metrics.unit_metrics.exact_match import ExactMatchMetric
from faircall.metrics.unit_metrics.unit_metric_result import UnitMetricResult
from faircall.metrics.unit_metrics.unit_results import UnitResults


@pytest.mark.parametrize(
    ("golden", "predicted", "same"),
    [
        ("Hello World", " hello\t world\n", True),
        ("straße", "STRASSE", True),
        (42, "42", True),
        (True, "true", True),
        (1, 1.0, False),  # their texts are "1" and "1.0"
        (1, True, False),
        (None, "null", True),
        ({"a": 1, "b": [2]}, {"b": [2], "a": 1}, True),
        ({"a": 1}, '{"a":1}', True),
        ([1, 2], [2, 1], False),
        ("", "  ", True),
        ("a b", "ab", False),
    ],
)
def test_same_text(golden: Any, predicted: Any, same: bool) -> None:
    assert [one.correct for one in ExactMatchMetric().evaluate([golden], [predicted])] == [same]


def test_options_change_what_is_the_same() -> None:
    golden, predicted = ["A b", "a b", "a  b"], ["a b", "a b", "a b"]

    def verdicts(**options: Any) -> list[bool]:
        return [one.correct for one in ExactMatchMetric(**options).evaluate(golden, predicted)]

    assert verdicts() == [True, True, True]
    assert verdicts(case_sensitive=True) == [False, True, True]
    assert verdicts(normalize_whitespace=False) == [True, True, False]
    assert verdicts(case_sensitive=True, normalize_whitespace=False) == [False, True, False]


def test_a_missing_key_reads_as_empty_and_is_marked() -> None:
    rows = ExactMatchMetric(key="tool").evaluate(
        [{"tool": "click"}, {"tool": ""}, {}, {"tool": None}], [{}, {"other": 1}, None, {"tool": None}]
    )
    assert [one.correct for one in rows] == [False, True, True, True]
    assert [one.metadata.get("missing") for one in rows] == [
        ["predicted"], ["predicted"], ["golden", "predicted"], None,
    ]  # fmt: skip
    assert rows[0].metadata["predicted_text"] == ""


def test_without_objects_a_key_changes_nothing() -> None:
    rows = ExactMatchMetric(key="tool").evaluate(["click", [1]], [{"tool": "click"}, "[1]"])
    assert [one.correct for one in rows] == [True, True]


@pytest.mark.parametrize("options", [{"key": ""}, {"case": True}, {"case_sensitive": "maybe"}])
def test_refused_options(options: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        ExactMatchMetric(**options)


def test_positional_options_are_checked() -> None:
    assert ExactMatchMetric(True, False, "k").config == {
        "case_sensitive": True, "normalize_whitespace": False, "key": "k",
    }  # fmt: skip
    with pytest.raises(TypeError, match="at most 5 values, got 6"):
        ExactMatchMetric(True, False, "k", "g", "p", 1)
    with pytest.raises(TypeError, match="case_sensitive both by position and by name"):
        ExactMatchMetric(True, case_sensitive=True)


@pytest.mark.parametrize("sizes", [(2, 1), (0, 3)])
def test_lengths_that_differ(sizes: tuple[int, int]) -> None:
    with pytest.raises(
        ValueError, match=f"golden has {sizes[0]} values? and predicted has {sizes[1]} values?"
    ):
        ExactMatchMetric().evaluate(["x"] * sizes[0], ["x"] * sizes[1])


def test_texts_that_hold_the_joining_character_are_compared_one_by_one() -> None:
    golden, predicted = ["a\0b", "\0  x", "c", "d  e"], ["A\0B", "\0 X", "c\0", "D e"]
    rows = ExactMatchMetric().evaluate(golden, predicted)
    assert [one.correct for one in rows] == [True, True, False, True]
    assert len(rows[2].metadata["predicted_text"]) == 2


@given(st.lists(st.text(alphabet="aAß \t\u2003\0İx", max_size=5), max_size=6), st.booleans(), st.booleans())
def test_normalising_together_is_normalising_alone(texts: list[str], case: bool, space: bool) -> None:
    metric = ExactMatchMetric(case, space)
    assert metric.normalise(texts) == [metric.normalise([text])[0] for text in texts]


def test_numpy_values_are_the_values_that_they_stand_for() -> None:
    rows = ExactMatchMetric().evaluate(np.array(["a", "b"]), np.array(["A", "c"]))
    assert [one.correct for one in rows] == [True, False]
    assert [one.correct for one in ExactMatchMetric().evaluate([np.int64(3)], ["3"])] == [True]


def test_a_mapping_with_defaults_is_asked_as_it_is() -> None:
    rows = ExactMatchMetric(key="tool").evaluate([defaultdict(lambda: "x")], [{"tool": "x"}])
    assert rows[0].correct


@pytest.mark.parametrize("kept", ["columns", "rows"])
def test_the_two_sides_may_have_keys_of_their_own(kept: str) -> None:
    """The golden event beside the predicted tool, as the seed's aggregator examples have them."""
    rows = ExactMatchMetric(golden_key="event", predicted_key="tool").evaluate(
        [{"event": "Click"}, {"event": "type"}], [{"tool": "click"}, {"tool": "click"}]
    )
    rows = list(rows) if kept == "rows" else rows
    assert F1ScoreMetric("tool", "event", "type").calculate(rows) == {"f1_score": 0.0}
    assert PrecisionMetric("tool", "click").calculate(rows) == {"precision": 0.5}
    for keys in ({}, {"golden_key": "event", "predicted_key": "tool"}):
        report = ClassificationReportMetric(**keys).calculate(rows)
        assert report["per_class"].keys() == {"click", "type"}
        assert report["per_class"]["click"]["tp"] == 1


# --- The result is a list


def evaluate() -> list[UnitMetricResult]:
    return ExactMatchMetric().evaluate(["a", "b", "c"], ["a", "x", "c"])


def plain() -> list[UnitMetricResult]:
    return [
        UnitMetricResult(
            right, golden, predicted, {"golden_text": golden, "predicted_text": predicted, "key": None}
        )
        for right, golden, predicted in [(True, "a", "a"), (False, "b", "x"), (True, "c", "c")]
    ]


READS = {
    "len": len,
    "bool": bool,
    "list": list,
    "tuple": tuple,
    "star": lambda rows: [*rows],
    "index": lambda rows: rows[1],
    "negative": lambda rows: rows[-1],
    "slice": lambda rows: rows[1:],
    "reversed": lambda rows: list(reversed(rows)),
    "equal": lambda rows: (rows == plain(), plain() == rows, rows != plain()),
    "in": lambda rows: (plain()[1] in rows, "z" in rows),
    "plus": lambda rows: rows + plain(),
    "plus from the left": lambda rows: plain() + rows,
    "times": lambda rows: (rows * 2, 2 * rows),
    "repr": repr,
    "copy": lambda rows: (rows.copy(), copy.copy(rows), copy.deepcopy(rows)),
    "pickle": lambda rows: pickle.loads(pickle.dumps(rows)),
    "index of": lambda rows: rows.index(plain()[2]),
    "count": lambda rows: rows.count(plain()[0]),
    "sorted": lambda rows: sorted(rows, key=lambda one: one.predicted),
    "json": lambda rows: json.dumps([one.to_dict() for one in rows]),
    "json of the list": lambda rows: json.dumps(rows, default=lambda one: one.to_dict()),
    "extend another": lambda rows: [other := [1], other.extend(rows), other][2],
    "slice of another": lambda rows: [other := [1, 2], other.__setitem__(slice(0, 1), rows), other][2],
    "zip": lambda rows: list(zip(rows, rows, strict=True)),
    "array": lambda rows: np.array(rows, dtype=object).tolist(),
}
WRITES = {
    "append": lambda rows: rows.append(1),
    "extend": lambda rows: rows.extend([1, 2]),
    "insert": lambda rows: rows.insert(1, 5),
    "pop": lambda rows: rows.pop(),
    "remove": lambda rows: rows.remove(plain()[1]),
    "clear": lambda rows: rows.clear(),
    "reverse": lambda rows: rows.reverse(),
    "sort": lambda rows: rows.sort(key=lambda one: one.predicted),
    "set": lambda rows: rows.__setitem__(0, 7),
    "set slice": lambda rows: rows.__setitem__(slice(0, 2), [8]),
    "delete": lambda rows: rows.__delitem__(0),
    "add in place": lambda rows: rows.__iadd__([3]),
    "multiply in place": lambda rows: rows.__imul__(2),
}


@pytest.mark.parametrize("name", READS)
def test_reads_as_a_list(name: str) -> None:
    rows = evaluate()
    assert isinstance(rows, UnitResults)
    assert READS[name](rows) == READS[name](plain())


@pytest.mark.parametrize("name", WRITES)
def test_changes_as_a_list(name: str) -> None:
    rows, expected = evaluate(), plain()
    WRITES[name](rows)
    WRITES[name](expected)
    assert list(rows) == expected


def test_a_changed_verdict_is_seen_by_aggregators() -> None:
    rows = evaluate()
    assert AccuracyMetric().calculate(rows) == {"accuracy": 2 / 3}
    rows[1].correct = True
    assert AccuracyMetric().calculate(rows) == {"accuracy": 1.0}
    rows.pop()
    rows[0].correct = False
    assert AccuracyMetric().calculate(rows) == {"accuracy": 0.5}


def test_aggregators_build_no_rows() -> None:
    rows = evaluate()
    AccuracyMetric().calculate(rows)
    assert rows.columns is not None  # type: ignore[attr-defined]
    assert rows[0].correct
    assert rows.columns is None  # type: ignore[attr-defined]


def test_the_callers_lists_may_change_afterwards() -> None:
    golden, predicted = ["a", "b"], ["a", "c"]
    rows = ExactMatchMetric().evaluate(golden, predicted)
    golden.clear()
    predicted[0] = "z"
    assert [(one.golden, one.predicted) for one in rows] == [("a", "a"), ("b", "c")]


def test_what_is_no_result_is_refused() -> None:
    with pytest.raises(TypeError, match="UnitMetricResult"):
        AccuracyMetric().calculate([{"correct": True}])  # type: ignore[list-item]
