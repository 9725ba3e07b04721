"""Tool calls: the five call metrics as one verdict per pair."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Final

from pydantic import Field

from faircall.metrics.base_metric import MetricOptions
from faircall.metrics.base_metric_metadata import BaseMetricMetadata
from faircall.metrics.unit_metrics.base_unit_metric import BaseUnitMetric, UnusableGolden, check_lengths
from faircall.metrics.unit_metrics.unit_metric_result import UnitMetricResult
from faircall.metrics.values import MISSING, value_under
from faircall.parsing.tool_call import parse_tool_call, read_shape
from faircall.records import METRIC_NAMES, Example, Parsed, ToolCall
from faircall.scoring.call_metrics import components
from faircall.scoring.causes import cause_of_miss
from faircall.scoring.match import match_call

_FULL: Final = METRIC_NAMES.index("full_call_exact_match")


class ToolCallMetricConfig(MetricOptions):
    """Options of the tool call metric."""

    golden_key: str | None = Field(None, min_length=1, description="the golden field that holds the call")
    predicted_key: str | None = Field(None, min_length=1, description="the predicted field with the output")


class ToolCallMetric(BaseUnitMetric):
    """The predicted call is the golden call in full: parsed, named and with arguments exactly right.

    A golden value is `{name, arguments}` (or a text of it); a prediction is a model's raw text, read by the
    conservative parser, or `{name, arguments}`. Metadata holds the parse status and reason, the cause of a
    miss, and each call metric's `[numerator, denominator]`, whose sums are the pooled metrics.

    >>> call = {"name": "book", "arguments": {"city": "Graz"}}
    >>> result, = ToolCallMetric().evaluate([call], ['Sure: {"name": "book", "arguments": {"city": "Linz"}}'])
    >>> result.correct, result.metadata["cause"], result.metadata["components"]["argument_f1"]
    (False, 'wrong_value', [0, 2])
    """

    options_model = ToolCallMetricConfig
    metadata: ClassVar[BaseMetricMetadata | None] = BaseMetricMetadata(
        "tool_call", description="The predicted call is the golden call in full.", metric_type="unit"
    )

    golden_key: str | None
    predicted_key: str | None

    def evaluate(self, golden: Sequence[Any], predicted: Sequence[Any]) -> list[UnitMetricResult]:
        """Parse and match every pair.

        Raises:
            ValueError: the two differ in length, or a golden value is not a call (named by its position).
        """
        check_lengths(golden, predicted)
        golds = [
            read_golden_call(value_under(row, self.golden_key), position=position)
            for position, row in enumerate(golden)
        ]
        parsed = [read_predicted_call(value_under(row, self.predicted_key)) for row in predicted]
        table = components(match_call(gold, found.call) for gold, found in zip(golds, parsed, strict=True))
        return [
            UnitMetricResult(bool(row[_FULL][0]), left, right, _metadata(gold, found, row))
            for left, right, gold, found, row in zip(
                golden, predicted, golds, parsed, table.tolist(), strict=True
            )
        ]


def read_golden_call(value: Any, *, position: int) -> ToolCall:
    """The golden call of row `position`.

    Raises:
        ValueError: it is not one well-formed call.
    """
    found = read_predicted_call(value)
    if found.call is None:
        raise UnusableGolden(position, f"not a tool call: {found.status} ({found.reason})")
    return found.call


def read_predicted_call(value: Any) -> Parsed:
    """What the parser finds in a text, or the shape check in a value; nothing at all reads as empty text.

    >>> read_predicted_call({"name": "f", "arguments": {}}).status, read_predicted_call(None).status
    ('ok', 'no_json')
    """
    if isinstance(value, ToolCall):
        return read_shape(value.to_dict())
    if isinstance(value, str):
        return parse_tool_call(value)
    return parse_tool_call("") if value is None or value is MISSING else read_shape(value)


def _metadata(gold: ToolCall, found: Parsed, row: list[list[int]]) -> dict[str, Any]:
    right = bool(row[_FULL][0])
    return {
        "status": found.status,
        "reason": found.reason,
        "cause": None if right else cause_of_miss(Example("", gold=gold), found),
        "components": dict(zip(METRIC_NAMES, row, strict=True)),
    }
