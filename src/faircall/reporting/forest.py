"""Where the parts of an interval plot lie: one scale for all rows, in per cent of the width."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

_STEPS: Final = (0.01, 0.02, 0.05, 0.1, 0.2, 0.25, 0.5, 1.0)
_MARGIN: Final = 3.0  # per cent of the width left empty on either side, so that end points are not cut
_MOST_TICKS: Final = 7


@dataclass(frozen=True, slots=True)
class Scale:
    """A linear scale of differences (shares, not points) with the ticks that are drawn on it."""

    lower: float
    upper: float
    ticks: tuple[float, ...]

    def place(self, value: float) -> str:
        """Where a value lies, as an SVG length.

        >>> Scale(-1.0, 1.0, ()).place(0.0)
        '50.00%'
        """
        share = (min(max(value, self.lower), self.upper) - self.lower) / (self.upper - self.lower)
        return f"{_MARGIN + share * (100 - 2 * _MARGIN):.2f}%"

    def width(self, lower: float, upper: float) -> str:
        """How wide a stretch is, as an SVG length."""
        return f"{float(self.place(upper)[:-1]) - float(self.place(lower)[:-1]):.2f}%"


RATES: Final = Scale(0.0, 1.0, (0.0, 0.25, 0.5, 0.75, 1.0))


def scale_for(intervals: Iterable[Any]) -> Scale:
    """A scale that holds zero and every interval (`lower`, `upper`; None is passed over).

    >>> scale_for([{"lower": 0.12, "upper": 0.33}])
    Scale(lower=0.0, upper=0.4, ticks=(0.0, 0.1, 0.2, 0.3, 0.4))
    """
    bounds = [0.0]
    for interval in intervals:
        bounds += [b for b in (interval["lower"], interval["upper"]) if b is not None]
    low, high = min(bounds), max(bounds)
    if low == high:
        low, high = -0.05, 0.05
    step = next((step for step in _STEPS if len(_ticks(low, high, step)) <= _MOST_TICKS), 1.0)
    ticks = _ticks(low, high, step)
    return Scale(ticks[0], ticks[-1], tuple(ticks))


def _ticks(low: float, high: float, step: float) -> Sequence[float]:
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(place * step, 6) for place in range(first, last + 1)]


def tick_label(value: float, *, signed: bool = True) -> str:
    """A tick in points (signed) or per cent.

    >>> tick_label(0.5), tick_label(-0.25), tick_label(0.0), tick_label(0.5, signed=False)
    ('+50', '-25', '0', '50%')
    """
    text = f"{100 * value:+.3g}" if signed and value else f"{100 * value:.3g}"
    return text if signed else f"{text}%"
