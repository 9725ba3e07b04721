"""Every example and table row of the metrics seed, after its prefix became `faircall.metrics`."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel, Field, ValidationError, field_validator

from faircall.metrics.aggregator_metrics.accuracy import AccuracyMetric
from faircall.metrics.aggregator_metrics.aggregator_metric_registry import AggregatorMetricRegistry
from faircall.metrics.aggregator_metrics.base_aggregator_metric import BaseAggregatorMetric
from faircall.metrics.aggregator_metrics.f1_score import F1ScoreMetric
from faircall.metrics.aggregator_metrics.precision import PrecisionMetric
from faircall.metrics.aggregator_metrics.recall import RecallMetric
from faircall.metrics.base_metric_metadata import BaseMetricMetadata
from faircall.metrics.unit_metrics.exact_match import ExactMatchMetric
from faircall.metrics.unit_metrics.unit_metric_result import UnitMetricResult

CONSTRUCTORS = {
    "precision": (PrecisionMetric, {"predicted_key": "tool", "positive_class": "click"}),
    "recall": (RecallMetric, {"golden_key": "event", "positive_class": "click"}),
    "f1_score": (
        F1ScoreMetric,
        {"predicted_key": "tool", "golden_key": "event", "positive_class": "click"},
    ),
}


def result(correct: bool, event: str, tool: str) -> UnitMetricResult:
    return UnitMetricResult(correct=correct, golden={"event": event}, predicted={"tool": tool})


@pytest.fixture
def confusion() -> list[UnitMetricResult]:
    """The seed's matrix: 3 TP, 2 FN, 1 FP, 4 TN."""
    cells = [(3, "click", "click"), (2, "click", "type"), (1, "type", "click"), (4, "type", "type")]
    return [result(event == tool, event, tool) for count, event, tool in cells for _ in range(count)]


def test_unit_metrics_example() -> None:
    metric = ExactMatchMetric(case_sensitive=False, normalize_whitespace=True, key="text")
    golden, predicted = (
        [{"text": "Hello World"}, {"text": "Foo"}],
        [{"text": "hello  world"}, {"text": "bar"}],
    )
    results = metric.evaluate(golden=golden, predicted=predicted)
    assert isinstance(results, list)
    assert all(isinstance(one, UnitMetricResult) for one in results)
    assert [one.correct for one in results] == [True, False]
    assert [one.golden for one in results] == golden
    assert [one.predicted for one in results] == predicted
    assert results[0].metadata["golden_text"] == results[0].metadata["predicted_text"] == "hello world"


def test_complete_example() -> None:
    validator = ExactMatchMetric(key="tool")
    unit_results = validator.evaluate(
        golden=[{"tool": "click"}, {"tool": "type"}, {"tool": "click"}],
        predicted=[{"tool": "click"}, {"tool": "scroll"}, {"tool": "type"}],
    )
    assert AccuracyMetric().calculate(unit_results) == {"accuracy": 1 / 3}  # the seed prints it as 0.33
    precision = PrecisionMetric(predicted_key="tool", positive_class="click")
    assert precision.calculate(unit_results) == {"precision": 1.0}


def test_creating_a_result() -> None:
    made = UnitMetricResult(
        correct=True, golden={"event": "click"}, predicted={"tool": "click"}, metadata={"step_id": 1}
    )
    assert made.to_dict() == {
        "correct": True,
        "golden": {"event": "click"},
        "predicted": {"tool": "click"},
        "metadata": {"step_id": 1},
    }
    assert UnitMetricResult.from_dict(made.to_dict()) == made


@pytest.mark.parametrize("field", ["correct", "golden", "predicted"])
def test_three_fields_of_a_result_are_required(field: str) -> None:
    fields = {"correct": True, "golden": 1, "predicted": 1}
    del fields[field]
    with pytest.raises(TypeError, match=field):
        UnitMetricResult(**fields)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=f"no '{field}'"):
        UnitMetricResult.from_dict(fields)


@pytest.mark.parametrize("correct", ["false", 1, None])
def test_a_stored_verdict_is_true_or_false(correct: object) -> None:
    with pytest.raises(ValueError, match="not true or false"):
        UnitMetricResult.from_dict({"correct": correct, "golden": 1, "predicted": 1})


def test_metadata_of_a_result_is_optional_and_not_shared() -> None:
    first, second = UnitMetricResult(True, 1, 1), UnitMetricResult(True, 1, 1)
    first.metadata["seen"] = 1
    assert second.metadata == {}


def test_registry_example(confusion: list[UnitMetricResult]) -> None:
    assert {"accuracy", "f1_score", "precision", "recall"} <= set(AggregatorMetricRegistry.list_metrics())
    metric = AggregatorMetricRegistry.get_metric("precision", predicted_key="tool", positive_class="click")
    assert metric.calculate(confusion) == {"precision": 0.75}


def test_config_dict_example(confusion: list[UnitMetricResult]) -> None:
    config = {"predicted_key": "tool", "positive_class": "click"}
    assert PrecisionMetric(**config).calculate(confusion) == {"precision": 0.75}


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        (AccuracyMetric(), {"accuracy": 7 / 10}),  # correct / total
        (
            PrecisionMetric(predicted_key="tool", positive_class="click"),
            {"precision": 3 / 4},
        ),
        (RecallMetric(golden_key="event", positive_class="click"), {"recall": 3 / 5}),  # TP / (TP + FN)
        (
            F1ScoreMetric(predicted_key="tool", golden_key="event", positive_class="click"),
            {"f1_score": 2 * (0.75 * 0.6) / (0.75 + 0.6)},
        ),
    ],
)
def test_formula_table(
    metric: BaseAggregatorMetric, expected: dict[str, float], confusion: list[UnitMetricResult]
) -> None:
    assert metric.calculate(confusion) == pytest.approx(expected, abs=1e-15)
    assert list(metric.calculate(confusion)) == list(expected)


@pytest.mark.parametrize("name", CONSTRUCTORS)
def test_valid_initialisation(name: str) -> None:
    metric_class, options = CONSTRUCTORS[name]
    metric = metric_class(**options)
    assert {key: getattr(metric, key) for key in options} == options
    assert metric.config == options


@pytest.mark.parametrize("name", CONSTRUCTORS)
def test_missing_parameters(name: str) -> None:
    metric_class, options = CONSTRUCTORS[name]
    for given in [{}, *({key: value} for key, value in options.items())]:
        with pytest.raises(ValidationError, match="Field required") as caught:
            metric_class(**given)
        assert {error["loc"][0] for error in caught.value.errors()} == options.keys() - given.keys()


@pytest.mark.parametrize("name", CONSTRUCTORS)
def test_empty_keys(name: str) -> None:
    metric_class, options = CONSTRUCTORS[name]
    for key in options.keys() - {"positive_class"}:
        with pytest.raises(ValidationError, match="String should have at least 1 character"):
            metric_class(**{**options, key: ""})


@pytest.mark.parametrize("name", CONSTRUCTORS)
def test_positive_class_none(name: str) -> None:
    metric_class, options = CONSTRUCTORS[name]
    with pytest.raises(ValidationError, match="positive_class is required"):
        metric_class(**{**options, "positive_class": None})


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        (AccuracyMetric(), {"accuracy": 0.0}),
        (PrecisionMetric("tool", "click"), {"precision": 0.0}),
        (RecallMetric("event", "click"), {"recall": 0.0}),
        (F1ScoreMetric("tool", "event", "click"), {"f1_score": 0.0}),
    ],
)
def test_empty_results(metric: BaseAggregatorMetric, expected: dict[str, float]) -> None:
    assert metric.calculate([]) == expected


def test_no_positive_predictions() -> None:
    assert PrecisionMetric("tool", "click").calculate([result(True, "type", "type")]) == {"precision": 0.0}


def test_no_actual_positives() -> None:
    assert RecallMetric("event", "click").calculate([result(True, "type", "type")]) == {"recall": 0.0}


def test_a_key_that_is_not_in_the_data_gives_zero(confusion: list[UnitMetricResult]) -> None:
    assert PrecisionMetric("tol", "click").calculate(confusion) == {"precision": 0.0}
    assert RecallMetric("evnt", "click").calculate(confusion) == {"recall": 0.0}
    assert F1ScoreMetric("tol", "evnt", "click").calculate(confusion) == {"f1_score": 0.0}


def test_a_class_that_is_not_in_the_data_gives_zero(confusion: list[UnitMetricResult]) -> None:
    assert PrecisionMetric("tool", "Click").calculate(confusion) == {"precision": 0.0}


@pytest.mark.parametrize("positive", [False, 0, "", 0.0, [], {}])
def test_falsy_positive_classes_are_legal(positive: Any) -> None:
    results = [UnitMetricResult(True, {"event": positive}, {"tool": positive})]
    assert F1ScoreMetric("tool", "event", positive).calculate(results) == {"f1_score": 1.0}


def test_positive_class_is_compared_by_type_and_value() -> None:
    values = [True, 1, "1", 1.0]
    results = [UnitMetricResult(True, {}, {"tool": value}) for value in values]
    for position, positive in enumerate(values):
        wrong = [
            UnitMetricResult(row != position, one.golden, one.predicted) for row, one in enumerate(results)
        ]
        # Exactly one prediction is of this class: flipping its verdict moves precision from 1 to 0.
        assert PrecisionMetric("tool", positive).calculate(results) == {"precision": 1.0}
        assert PrecisionMetric("tool", positive).calculate(wrong) == {"precision": 0.0}


@pytest.mark.parametrize("key", ["tool", "action", "class", "label", "a b", "é", "0"])
def test_keys_can_be_any_text(key: str) -> None:
    results = [UnitMetricResult(True, {}, {key: "x"})]
    assert PrecisionMetric(predicted_key=key, positive_class="x").calculate(results) == {"precision": 1.0}


def test_true_positive_needs_a_correct_result() -> None:
    """The verdict is the unit metric's: a positive prediction whose result is wrong is a false positive."""
    results = [result(False, "click", "click"), result(True, "click", "click")]
    assert PrecisionMetric("tool", "click").calculate(results) == {"precision": 0.5}
    assert RecallMetric("event", "click").calculate(results) == {"recall": 0.5}


# --- Writing a metric in the seed's manner


class ShareMetricConfig(BaseModel):
    """Options in the metric's own module."""

    predicted_key: str = Field(..., min_length=1)
    positive_class: Any = Field(...)

    @field_validator("positive_class")
    @classmethod
    def not_none(cls, value: Any) -> Any:
        if value is None:
            raise ValueError("positive_class is required, and None is not a class")
        return value


class ShareMetric(BaseAggregatorMetric):
    """A subclass with a constructor of its own."""

    def __init__(self, **config: Any) -> None:
        super().__init__(**config)
        self.validate_config()
        self.described = self.get_metadata()

    def validate_config(self) -> None:
        options = ShareMetricConfig(**self.config)
        self.predicted_key, self.positive_class = options.predicted_key, options.positive_class

    def get_metadata(self) -> BaseMetricMetadata:
        return BaseMetricMetadata(
            name="share",
            display_name="Share",
            description="Share of predictions that are positive",
            range=(0.0, 1.0),
            higher_is_better=True,
            metric_type="industry",
        )

    def calculate(self, results: Any) -> dict[str, Any]:
        hits = sum(one.predicted.get(self.predicted_key) == self.positive_class for one in results)
        return {"share": hits / len(results) if results else 0.0}


class WithoutConstructor(ShareMetric):
    """`validate_config` runs although nobody calls it."""

    __init__ = BaseAggregatorMetric.__init__  # type: ignore[assignment]


class Plain(BaseAggregatorMetric):
    """Only `calculate`."""

    def calculate(self, results: Any) -> dict[str, Any]:
        return {"count": len(results)}


@pytest.mark.parametrize("metric_class", [ShareMetric, WithoutConstructor])
def test_subclass_in_the_manner_of_the_seed(
    metric_class: type[ShareMetric], confusion: list[UnitMetricResult]
) -> None:
    metric = metric_class(predicted_key="tool", positive_class="click")
    assert metric.calculate(confusion) == {"share": 0.4}
    assert metric.get_metadata().metric_type == "industry"
    with pytest.raises(ValidationError, match="Field required"):
        metric_class(predicted_key="tool")
    with pytest.raises(ValidationError, match="positive_class is required"):
        metric_class(predicted_key="tool", positive_class=None)


def test_plain_subclass(confusion: list[UnitMetricResult]) -> None:
    metric = Plain(anything="goes")
    assert metric.calculate(confusion) == {"count": 10}
    assert metric.config == {"anything": "goes"}
    assert metric.get_metadata() == BaseMetricMetadata(
        "plain", description="Only `calculate`.", metric_type="aggregator"
    )
