"""Numbers that are close enough."""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import Decimal, localcontext
from typing import Any, ClassVar

from pydantic import Field

from faircall.metrics.base_metric import MetricOptions
from faircall.metrics.base_metric_metadata import BaseMetricMetadata
from faircall.metrics.unit_metrics.base_unit_metric import PairwiseUnitMetric
from faircall.metrics.unit_metrics.numbers import MAX_DIGITS, read_number


class NumericToleranceMetricConfig(MetricOptions):
    """Options of numeric tolerance; the wider of the two tolerances counts."""

    absolute: float = Field(0.0, ge=0.0, allow_inf_nan=False, description="largest difference")
    relative: float = Field(0.0, ge=0.0, allow_inf_nan=False, description="largest share of |golden|")
    key: str | None = Field(None, min_length=1, description="compare what objects hold under this key")


class NumericToleranceMetric(PairwiseUnitMetric):
    """|predicted - golden| <= max(absolute, relative x |golden|), in decimal arithmetic.

    Decimal, so that 0.3 is within 0.1 of 0.2. Texts that write a number count as it; booleans and NaN are no
    numbers. The metadata holds the difference.

    >>> NumericToleranceMetric(absolute=0.1).judge(0.2, "0.3")
    (True, {'difference': 0.1})
    """

    options_model = NumericToleranceMetricConfig
    metadata: ClassVar[BaseMetricMetadata | None] = BaseMetricMetadata(
        "numeric_tolerance",
        description="The predicted number is close enough to the golden one.",
        metric_type="unit",
    )

    absolute: float
    relative: float

    def judge(self, golden: Any, predicted: Any) -> tuple[bool, Mapping[str, Any]]:
        """Compare two numbers."""
        return judge_numbers(golden, predicted, absolute=self.absolute, relative=self.relative)


def judge_numbers(
    golden: Any, predicted: Any, *, absolute: float, relative: float, noun: str = "a number"
) -> tuple[bool, Mapping[str, Any]]:
    """Whether `predicted` is a number close enough to `golden`, which must be one (`noun` in the error).

    Raises:
        ValueError: `golden` is no number.
    """
    wanted, found = read_number(golden), read_number(predicted)
    if wanted is None:
        raise ValueError(f"not {noun}: {golden!r}")
    if found is None:
        return False, {"reason": "not_a_number"}
    return is_close(found, wanted, absolute=absolute, relative=relative)


def is_close(
    found: Decimal, wanted: Decimal, *, absolute: float, relative: float
) -> tuple[bool, dict[str, float]]:
    """Whether two numbers are within the wider tolerance, and their difference.

    An infinity is close to itself only.

    >>> is_close(Decimal("Infinity"), Decimal(1), absolute=1.0, relative=1.0)
    (False, {})
    """
    if not (found.is_finite() and wanted.is_finite()):
        return found == wanted, {}
    with localcontext() as context:
        context.prec = 2 * MAX_DIGITS
        difference = abs(found - wanted)
        allowed = max(Decimal(repr(absolute)), Decimal(repr(relative)) * abs(wanted))
        shown = float(difference)
        return difference <= allowed, {"difference": shown} if math.isfinite(shown) else {}
