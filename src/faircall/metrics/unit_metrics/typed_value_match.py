"""Equality of values under a declared type."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Final, Literal

from pydantic import Field

from faircall.metrics.base_metric import MetricOptions
from faircall.metrics.base_metric_metadata import BaseMetricMetadata
from faircall.metrics.unit_metrics.base_unit_metric import PairwiseUnitMetric
from faircall.metrics.unit_metrics.numbers import read_number
from faircall.metrics.values import same_class, text_of


class TypedValueMatchMetricConfig(MetricOptions):
    """Options of typed-value match."""

    value_type: Literal["any", "text", "number", "boolean"] = Field(
        "any", description="`any`: same type and value; otherwise both are read as this type first"
    )
    key: str | None = Field(None, min_length=1, description="compare what objects hold under this key")


class TypedValueMatchMetric(PairwiseUnitMetric):
    """The predicted value (say, what an agent typed into a field) is the golden one under its type.

    Without a `value_type`, type and value must agree: `1`, `1.0`, `true` and `"1"` are four values. As
    `number`, "1.50" is 1.5; as `boolean`, "True" is true; as `text`, 42 is "42" and only outer whitespace is
    ignored. A prediction that cannot be read as the type is wrong.

    >>> TypedValueMatchMetric().judge(1, "1")
    (False, {})
    >>> TypedValueMatchMetric("number").judge(1, "1.0")
    (True, {})
    """

    options_model = TypedValueMatchMetricConfig
    metadata: ClassVar[BaseMetricMetadata | None] = BaseMetricMetadata(
        "typed_value_match",
        display_name="Typed-value match",
        description="The predicted value is the golden one under its type.",
        metric_type="unit",
    )

    value_type: str

    def judge(self, golden: Any, predicted: Any) -> tuple[bool, Mapping[str, Any]]:
        """Compare under the declared type."""
        if self.value_type == "any":
            return same_class(golden, predicted), {}
        read = READERS[self.value_type]
        wanted, found = read(golden), read(predicted)
        if wanted is None:
            raise ValueError(f"not a {self.value_type}: {golden!r}")
        return (False, {"reason": f"not_a_{self.value_type}"}) if found is None else (found == wanted, {})


def read_boolean(value: Any) -> bool | None:
    """A boolean, or the text `true` or `false` in any case; else None.

    >>> read_boolean("True"), read_boolean(0)
    (True, None)
    """
    if isinstance(value, bool):
        return value
    return {"true": True, "false": False}.get(value.strip().lower()) if isinstance(value, str) else None


def _read_text(value: Any) -> str:
    return text_of(value).strip()


READERS: Final[dict[str, Callable[[Any], Any]]] = {
    "text": _read_text,
    "number": read_number,
    "boolean": read_boolean,
}
"""Type name -> how a value is read as it; None means that it cannot be."""
