"""The only place that rounds: numbers of a report as the text that people read.

Rates are per cent and differences are points, one decimal each. A number that is not zero is never shown as
zero: it gets more decimals, or a bound ("<0.001"). Undefined is "undefined", never NaN and never a dash.
"""

from __future__ import annotations

import math
from typing import Final

UNDEFINED: Final = "undefined"
_DECIMALS: Final = (1, 2, 3)


def rate(value: float | None) -> str:
    """A share as per cent.

    >>> rate(38 / 60), rate(0), rate(0.0004), rate(None)
    ('63.3%', '0.0%', '0.04%', 'undefined')
    >>> rate(0.99996), rate(1.0)
    ('99.996%', '100.0%')
    """
    return UNDEFINED if value is None else f"{_decimal(100 * value, avoid=(0.0, 100.0))}%"


def points(value: float | None) -> str:
    """A difference of two rates in points, with its sign.

    >>> points(0.6333), points(-0.02), points(0.0), points(-0.0), points(0.0000001)
    ('+63.3', '-2.0', '0.0', '0.0', '+<0.001')
    """
    if value is None:
        return UNDEFINED
    sign = "+" if value > 0 else "-" if value < 0 else ""
    return sign + _decimal(abs(100 * value), avoid=(0.0,))


def interval(lower: float | None, upper: float | None) -> str:
    """An interval of a difference, in points.

    >>> interval(0.5044, 0.7438)
    '[+50.4, +74.4]'
    """
    if lower is None or upper is None:
        return UNDEFINED
    return f"[{points(lower)}, {points(upper)}]"


def rate_interval(lower: float | None, upper: float | None) -> str:
    """An interval of one rate, in per cent.

    >>> rate_interval(0.5068, 0.7439)
    '[50.7%, 74.4%]'
    """
    if lower is None or upper is None:
        return UNDEFINED
    return f"[{rate(lower)}, {rate(upper)}]"


def rate_bound(value: float) -> str:
    """An upper bound of a rate, rounded up to whole per cent, so that it stays one.

    >>> rate_bound(0.0495), rate_bound(0.95), rate_bound(0.9501)
    ('5%', '95%', '96%')
    """
    return f"{math.ceil(round(100 * value, 6))}%"


def counts(numerator: int, denominator: int) -> str:
    """The counts behind a rate.

    >>> counts(38, 60)
    '38/60'
    """
    return f"{numerator}/{denominator}"


def level(value: float) -> str:
    """A confidence level.

    >>> level(0.95), level(0.995)
    ('95%', '99.5%')
    """
    return f"{100 * value:.10g}%"


def p_value(value: float | None) -> str:
    """A p-value with three decimals.

    >>> p_value(0.0524787), p_value(1e-9), p_value(1.0), p_value(None)
    ('0.052', '<0.001', '1.000', 'undefined')
    """
    if value is None:
        return UNDEFINED
    return "<0.001" if value < 0.001 else f"{value:.3f}"


def seconds(value: float | None) -> str:
    """A duration with three significant digits, in milliseconds where it is short.

    >>> seconds(0.01234), seconds(83.42), seconds(1234.5), seconds(None)
    ('12.3 ms', '83.4 s', '1234 s', 'undefined')
    """
    if value is None:
        return UNDEFINED
    if value < 0.1:
        return f"{1000 * value:.3g} ms"
    return f"{value:.3g} s" if value < 1000 else f"{value:.0f} s"


def ratio(value: float | None) -> str:
    """A ratio of two costs with three significant digits.

    >>> ratio(1.2345), ratio(0.05), ratio(None)
    ('1.23x', '0.05x', 'undefined')
    """
    return UNDEFINED if value is None else f"{value:.3g}x"


def ratio_interval(lower: float | None, upper: float | None) -> str:
    """An interval of a ratio.

    >>> ratio_interval(0.801, 1.25)
    '[0.801x, 1.25x]'
    """
    if lower is None or upper is None:
        return UNDEFINED
    return f"[{ratio(lower)}, {ratio(upper)}]"


def size(value: int | None) -> str:
    """An amount of memory, from 1 GiB on with three significant digits.

    >>> size(1536 * 1024**2), size(1008 * 1024**2), size(0), size(None)
    ('1.5 GiB', '1008 MiB', '0 MiB', 'undefined')
    """
    if value is None:
        return UNDEFINED
    return f"{value / 1024**3:.3g} GiB" if value >= 1024**3 else f"{value / 1024**2:.0f} MiB"


def counted(count: int, noun: str) -> str:
    """A count with its noun, which is one that takes an s.

    >>> counted(1, "example"), counted(0, "example"), counted(240, "root")
    ('1 example', '0 examples', '240 roots')
    """
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def plain(value: float) -> str:
    """A number as it was given: digest fields, margins, thresholds.

    >>> plain(0.02), plain(512), plain(1e-05)
    ('0.02', '512', '1e-05')
    """
    return f"{value:.10g}"


def _decimal(value: float, *, avoid: tuple[float, ...]) -> str:
    """`value` with as few decimals as keep it apart from the numbers that it is not."""
    for decimals in _DECIMALS:
        shown = round(value, decimals)
        if shown == value or shown not in avoid:
            return f"{shown:.{decimals}f}"
    return "<0.001" if round(value) == 0 else f">{avoid[-1] - 0.001:.3f}"
