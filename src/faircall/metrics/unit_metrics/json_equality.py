"""Equality of JSON values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from faircall.canonical import canonical_json
from faircall.metrics.base_metric_metadata import BaseMetricMetadata
from faircall.metrics.unit_metrics.base_unit_metric import KeyOptions, PairwiseUnitMetric
from faircall.strict_json import JsonFault, decode


class JsonEqualityMetricConfig(KeyOptions):
    """Options of JSON equality."""


class JsonEqualityMetric(PairwiseUnitMetric):
    """Predicted and golden value are the same JSON value; texts are read as JSON first.

    Equal means equal canonical JSON: key order does not matter, list order does, `1` and `1.0` differ.
    A predicted text that is not JSON is wrong and its metadata says why.

    >>> metric = JsonEqualityMetric()
    >>> metric.judge('{"a": 1, "b": 2}', '{"b": 2, "a": 1}'), metric.judge("[1]", "[1,]")
    ((True, {}), (False, {'reason': 'bad_json'}))
    """

    options_model = JsonEqualityMetricConfig
    metadata: ClassVar[BaseMetricMetadata | None] = BaseMetricMetadata(
        "json_equality",
        display_name="JSON equality",
        description="Predicted and golden value are the same JSON value.",
        metric_type="unit",
    )

    def judge(self, golden: Any, predicted: Any) -> tuple[bool, Mapping[str, Any]]:
        """Compare two values, or two texts of JSON."""
        try:
            wanted = canonical_json(_read(golden))
        except (TypeError, ValueError) as error:
            raise ValueError(f"not a JSON value: {golden!r}") from error
        try:
            return canonical_json(_read(predicted)) == wanted, {}
        except JsonFault as fault:
            return False, {"reason": fault.reason}
        except (TypeError, ValueError):
            return False, {"reason": "not_json"}


def _read(value: Any) -> Any:
    return decode(value) if isinstance(value, str) else value
