"""A text that a pattern describes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, ClassVar, Final, Literal

from pydantic import Field, field_validator

from faircall.metrics.base_metric import MetricOptions
from faircall.metrics.base_metric_metadata import BaseMetricMetadata
from faircall.metrics.unit_metrics.base_unit_metric import PairwiseUnitMetric
from faircall.metrics.values import text_of
from faircall.scoring.backtracking import is_search_bounded

_PROBE_CHARS: Final = 64
_PROBE_LOG_STEPS: Final = 24.0  # ten repeats side by side stay below it, a repeat in a repeat does not


class RegularExpressionMetricConfig(MetricOptions):
    """Options of the regular expression."""

    pattern: str | None = Field(
        None, description="one pattern for all; without it, golden values are patterns"
    )
    mode: Literal["whole", "anywhere"] = Field(
        "whole", description="what must match: the whole text, or a part"
    )
    case_sensitive: bool = Field(True, description="tell upper from lower case")
    key: str | None = Field(None, min_length=1, description="compare what objects hold under this key")

    @field_validator("pattern")
    @classmethod
    def _must_compile(cls, pattern: str | None) -> str | None:
        if pattern is not None:
            compile_pattern(pattern, case_sensitive=True)
        return pattern


class RegularExpressionMetric(PairwiseUnitMetric):
    """The predicted text matches the pattern, in Python's syntax.

    Python's matcher takes exponential time on some patterns, as `(a+)+$`; those are refused. Several
    repeats side by side still take long on long texts.

    >>> RegularExpressionMetric().judge(r"[A-Z]{3}-[0-9]+", "ABC-12")
    (True, {})
    """

    options_model = RegularExpressionMetricConfig
    metadata: ClassVar[BaseMetricMetadata | None] = BaseMetricMetadata(
        "regular_expression", description="The predicted text matches the pattern.", metric_type="unit"
    )

    pattern: str | None
    mode: str
    case_sensitive: bool

    def judge(self, golden: Any, predicted: Any) -> tuple[bool, Mapping[str, Any]]:
        """Match the text of the predicted value."""
        pattern = golden if self.pattern is None else self.pattern
        if not isinstance(pattern, str):
            raise ValueError(f"not a pattern: {pattern!r}")
        compiled = compile_pattern(pattern, case_sensitive=self.case_sensitive)
        match = compiled.fullmatch if self.mode == "whole" else compiled.search
        return match(text_of(predicted)) is not None, {}


def compile_pattern(pattern: str, *, case_sensitive: bool) -> re.Pattern[str]:
    """The compiled pattern (Python keeps recent ones).

    Raises:
        ValueError: it is not a regular expression; or may take exponential time; the message
            holds the pattern and the fault.
    """
    try:
        compiled = re.compile(pattern, 0 if case_sensitive else re.IGNORECASE)
        bounded = is_search_bounded(pattern, _PROBE_CHARS, _PROBE_LOG_STEPS)
    except re.error as error:
        raise ValueError(f"not a regular expression: {pattern!r} ({error})") from error
    if not bounded:
        raise ValueError(f"the pattern may take exponential time: {pattern!r}")
    return compiled
