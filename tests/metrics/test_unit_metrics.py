"""The unit metrics beyond exact match: what each accepts, refuses and notes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from faircall.metrics.unit_metrics.base_unit_metric import UnusableGolden
from faircall.metrics.unit_metrics.tool_call import ToolCallMetric
from faircall.metrics.unit_metrics.unit_metric_registry import UnitMetricRegistry, unit_metric
from faircall.records import ToolCall

CASES = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "cases/metrics/unit_metrics.jsonl").read_text().splitlines()
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_case(case: dict[str, Any]) -> None:
    metric = UnitMetricRegistry.get_metric(case["metric"], **case.get("options", {}))
    (result,) = metric.evaluate([case["golden"]], [case["predicted"]])
    assert result.correct is case["correct"]
    expected = case.get("metadata", {})
    assert {name: result.metadata.get(name) for name in expected} == expected


@pytest.mark.parametrize(
    ("name", "golden", "reason"),
    [
        ("numeric_tolerance", True, "not a number: True"),
        ("scroll_amount", "far", "not an amount: 'far'"),
        ("scroll_direction", "in", "not a direction"),
        ("point_in_box", [1, 2, 3], r"not a box of four numbers: \[1, 2, 3\]"),
        ("set_equality", "ab", "not a list: 'ab'"),
        ("regular_expression", "(", "not a regular expression"),
        ("regular_expression", 3, "not a pattern: 3"),
        ("json_equality", "{", "not a JSON value"),
        ("tool_call", "no call here", r"not a tool call: no_json \(no_bracket\)"),
    ],
)
def test_unusable_golden_values_are_the_callers_fault(name: str, golden: Any, reason: str) -> None:
    metric = UnitMetricRegistry.get_metric(name)
    usable = {
        "numeric_tolerance": 1, "scroll_amount": 1, "scroll_direction": "up", "point_in_box": [0, 0, 1, 1],
        "set_equality": [], "regular_expression": "a", "json_equality": 1,
        "tool_call": {"name": "f", "arguments": {}},
    }[name]  # fmt: skip
    with pytest.raises(UnusableGolden, match=f"golden value 1: {reason}") as caught:
        metric.evaluate([usable, golden], ["x", "x"])
    assert caught.value.position == 1


@pytest.mark.parametrize("name", UnitMetricRegistry.list_metrics())
def test_every_metric_lives_alone_and_describes_itself(name: str) -> None:
    metric_class = UnitMetricRegistry.get_metric_class(name)
    assert metric_class.__module__.startswith("faircall.metrics.unit_metrics.")
    described = metric_class.describe()
    assert (described.name, described.metric_type) == (name, "unit")
    assert described.description.endswith(".")
    assert metric_class.options_model.__module__ == metric_class.__module__


@pytest.mark.parametrize(
    "name", [name for name in UnitMetricRegistry.list_metrics() if name not in ("exact_match", "tool_call")]
)
def test_a_missing_value_is_wrong_and_marked(name: str) -> None:
    metric = UnitMetricRegistry.get_metric(name)
    if "key" not in metric.config and "key" in metric.options_model.model_fields:
        metric = UnitMetricRegistry.get_metric(name, key="v")
        (result,) = metric.evaluate([{"v": 1}], [{}])
        assert (result.correct, result.metadata) == (False, {"missing": ["predicted"]})


def test_tool_call_components_add_up_to_the_pooled_metrics() -> None:
    """Source: the worked example of the tool-call seed: F1 10/14, names 2/4, arguments 2/4, full 1/4."""

    def weather(city: str, units: str = "celsius", name: str = "get_weather") -> dict[str, Any]:
        return {"name": name, "arguments": {"city": city, "units": units}}

    golden = [weather("Paris"), weather("Paris"), weather("Oslo"), json.dumps(weather("Rome"))]
    predicted = [
        json.dumps(weather("Paris")),
        weather("Paris", "kelvin"),
        ToolCall("fetch_weather", {"city": "Oslo", "units": "celsius"}),
        "The weather in Rome is sunny.",
    ]
    results = ToolCallMetric().evaluate(golden, predicted)
    sums: dict[str, list[int]] = {}
    for result in results:
        for name, pair in result.metadata["components"].items():
            sums[name] = [total + part for total, part in zip(sums.get(name, [0, 0]), pair, strict=True)]
    assert sums == {
        "valid_json_rate": [3, 4],
        "function_name_accuracy": [2, 4],
        "argument_exact_match": [2, 4],
        "argument_f1": [10, 14],
        "full_call_exact_match": [1, 4],
    }
    assert [one.metadata["cause"] for one in results] == [
        None, "wrong_value", "wrong_tool", "no_json:no_bracket",
    ]  # fmt: skip


def test_the_decorator_registers_and_returns_the_class() -> None:
    class Always:
        """Not even a subclass."""

        def evaluate(self, golden: list[Any], predicted: list[Any]) -> list[Any]:
            return []

    try:
        assert unit_metric("always")(Always) is Always
        assert UnitMetricRegistry.get_metric("always").evaluate([], []) == []
        assert UnitMetricRegistry.get_metrics_info()["always"]["metadata"] is None
    finally:
        UnitMetricRegistry.restore()
    assert not UnitMetricRegistry.has_metric("always")


def test_a_pattern_of_exponential_time_is_refused_and_an_ordinary_one_is_not():
    """Source: `(a+)+$` takes time that doubles with each character."""
    with pytest.raises(ValueError, match="exponential"):
        UnitMetricRegistry.get_metric("regular_expression").evaluate(["(a+)+$"], ["a" * 40 + "b"])
    pattern = r"\w+\s*=\s*\d+\s*(kg|lb)"
    (found,) = UnitMetricRegistry.get_metric("regular_expression", mode="anywhere").evaluate(
        [pattern], ["it is so: weight = 12 kg"]
    )
    assert found.correct
