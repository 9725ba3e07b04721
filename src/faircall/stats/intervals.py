"""What an interval is, in memory and in JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval; bounds are None exactly when `reason` says why there are none.

    >>> Interval("tango", 0.95, None, None, reason="no_rows").to_dict()
    {'method': 'tango', 'level': 0.95, 'lower': None, 'upper': None, 'reason': 'no_rows'}
    """

    method: str
    level: float
    lower: float | None
    upper: float | None
    reason: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """`{method, level, lower, upper}`, and the reason when there are no bounds."""
        bounds = {"method": self.method, "level": self.level, "lower": self.lower, "upper": self.upper}
        return bounds if self.reason is None else {**bounds, "reason": self.reason}


def undefined(method: str, level: float, *, reason: str) -> Interval:
    """An interval that could not be computed, with the reason."""
    return Interval(method, level, None, None, reason)


def deciding_interval(block: Mapping[str, Any]) -> Mapping[str, Any]:
    """The interval that decides on a reported difference: the guarded one where there is one.

    >>> deciding_interval({"interval": {"method": "linearised_t"}, "guarded": {"method": "guarded"}})
    {'method': 'guarded'}
    """
    chosen: Mapping[str, Any] = block.get("guarded") or block["interval"]
    return chosen
