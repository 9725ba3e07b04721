"""A point inside a box."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, ClassVar, Literal, TypeAlias

from pydantic import Field

from faircall.metrics.base_metric import MetricOptions
from faircall.metrics.base_metric_metadata import BaseMetricMetadata
from faircall.metrics.unit_metrics.base_unit_metric import PairwiseUnitMetric
from faircall.metrics.unit_metrics.numbers import read_number
from faircall.metrics.values import value_under

Box: TypeAlias = tuple[Decimal, Decimal, Decimal, Decimal]
Point: TypeAlias = tuple[Decimal, Decimal]


class PointInBoxMetricConfig(MetricOptions):
    """Options of point inside box."""

    golden_key: str | None = Field(None, min_length=1, description="the golden field that holds the box")
    predicted_key: str | None = Field(None, min_length=1, description="the predicted field with the point")
    box_format: Literal["corners", "size"] = Field(
        "corners", description="four numbers mean left, top, right, bottom; or left, top, width, height"
    )


class PointInBoxMetric(PairwiseUnitMetric):
    """The predicted point lies in the golden box; its edges belong to the box.

    A box is four numbers, or an object with `left, top, right, bottom` or `x, y, width, height`; a point is
    two numbers or an object with `x` and `y`. Corners may come in any order. What is no point is wrong.

    >>> metric = PointInBoxMetric()
    >>> metric.judge([0, 0, 10, 20], {"x": 10, "y": 5}), metric.judge([0, 0, 10, 20], [11, 5])
    ((True, {}), (False, {}))
    """

    options_model = PointInBoxMetricConfig
    metadata: ClassVar[BaseMetricMetadata | None] = BaseMetricMetadata(
        "point_in_box", description="The predicted point lies in the golden box.", metric_type="unit"
    )

    golden_key: str | None
    predicted_key: str | None
    box_format: str

    def judge(self, golden: Any, predicted: Any) -> tuple[bool, Mapping[str, Any]]:
        """Read the box and the point, and look whether one holds the other."""
        box = read_box(value_under(golden, self.golden_key), box_format=self.box_format)
        point = read_point(value_under(predicted, self.predicted_key))
        if point is None:
            return False, {"reason": "not_a_point"}
        left, top, right, bottom = box
        return left <= point[0] <= right and top <= point[1] <= bottom, {}


def read_box(value: Any, *, box_format: str) -> Box:
    """Left, top, right and bottom of a box.

    Raises:
        ValueError: it is no box of numbers.

    >>> [int(edge) for edge in read_box({"x": 1, "y": 2, "width": 3, "height": 4}, box_format="corners")]
    [1, 2, 4, 6]
    """
    if isinstance(value, Mapping):
        named = "corners" if {"left", "top", "right", "bottom"} <= value.keys() else "size"
        names = ("left", "top", "right", "bottom") if named == "corners" else ("x", "y", "width", "height")
        return read_box([value.get(name) for name in names], box_format=named)
    numbers = _read_numbers(value, count=4)
    if numbers is None:
        raise ValueError(f"not a box of four numbers: {value!r}")
    x, y, third, fourth = numbers
    right, bottom = (third, fourth) if box_format == "corners" else (x + third, y + fourth)
    return min(x, right), min(y, bottom), max(x, right), max(y, bottom)


def read_point(value: Any) -> Point | None:
    """The two numbers of a point, None when it is none.

    >>> read_point([1, "x"]) is None
    True
    """
    numbers = _read_numbers(
        [value.get("x"), value.get("y")] if isinstance(value, Mapping) else value, count=2
    )
    return (numbers[0], numbers[1]) if numbers else None


def _read_numbers(value: Any, *, count: int) -> list[Decimal] | None:
    if not isinstance(value, (list, tuple)) or len(value) != count:
        return None
    numbers = [number for item in value if (number := read_number(item)) is not None and number.is_finite()]
    return numbers if len(numbers) == count else None
