"""Normal and Student-t quantiles and tails, without scipy.

The normal quantile is the standard library's (Wichura 1988, AS 241). Student's t goes through the regularised
incomplete beta function (continued fraction, Abramowitz and Stegun 26.5.8), its quantile through bisection
on that, and beyond 2,000 degrees through an expansion in their inverse (26.7.5).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from statistics import NormalDist

_NORMAL = NormalDist()
_TINY = 1e-300
_MANY_DEGREES = 2_000


@lru_cache(maxsize=64)
def upper_probability(level: float) -> float:
    """The probability below the upper bound of a two-sided interval, from the decimal that was written.

    >>> upper_probability(0.95)
    0.975
    """
    return float(1 - (1 - Fraction(str(level))) / 2)


def normal_quantile(probability: float) -> float:
    """The z below which a standard normal falls with `probability`, which lies in (0, 1).

    >>> round(normal_quantile(0.975), 12)
    1.95996398454
    """
    return _NORMAL.inv_cdf(probability)


def normal_tail(z: float) -> float:
    """P(Z > z), accurate in the far tail.

    >>> round(normal_tail(1.959963984540054), 12)
    0.025
    """
    return math.erfc(z / math.sqrt(2.0)) / 2.0


@lru_cache(maxsize=4_096)
def t_quantile(probability: float, degrees: float) -> float:
    """Student's t: the t below which it falls with `probability`; `degrees` may be fractional and is above 0.

    >>> round(t_quantile(0.975, 9), 9)
    2.262157163
    """
    if probability < 0.5:
        return -t_quantile(1.0 - probability, degrees)
    if probability == 0.5:
        return 0.0
    if degrees > _MANY_DEGREES:
        return _t_expansion(normal_quantile(probability), degrees)
    return _invert_tail(lambda t: t_tail(t, degrees), 1.0 - probability)


def t_tail(t: float, degrees: float) -> float:
    """P(T > t) for Student's t.

    >>> round(t_tail(2.2621571628540993, 9), 9)
    0.025
    """
    if t < 0.0:
        return 1.0 - t_tail(-t, degrees)
    if math.isinf(t):
        return 0.0
    return incomplete_beta(degrees / (degrees + t * t), degrees / 2.0, 0.5) / 2.0


def incomplete_beta(x: float, a: float, b: float) -> float:
    """The regularised incomplete beta function I_x(a, b), for x in [0, 1] and a, b above 0.

    >>> round(incomplete_beta(0.5, 2.0, 3.0), 12)
    0.6875
    """
    if x <= 0.0 or x >= 1.0:
        return 0.0 if x <= 0.0 else 1.0
    log_front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    if x < (a + 1.0) / (a + b + 2.0):
        return math.exp(log_front) * _beta_fraction(x, a, b) / a
    return 1.0 - math.exp(log_front) * _beta_fraction(1.0 - x, b, a) / b


def _beta_fraction(x: float, a: float, b: float) -> float:
    """The continued fraction of the incomplete beta function, by Lentz's method."""
    d = 1.0 / _away_from_zero(1.0 - (a + b) * x / (a + 1.0))
    c, fraction = 1.0, d
    for m in range(1, 10_000):
        for numerator in (
            m * (b - m) * x / ((a + 2 * m - 1.0) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1.0)),
        ):
            d = 1.0 / _away_from_zero(1.0 + numerator * d)
            c = _away_from_zero(1.0 + numerator / c)
            step = c * d
            fraction *= step
        if abs(step - 1.0) < 1e-16:
            break
    return fraction


def _away_from_zero(value: float) -> float:
    return value if abs(value) > _TINY else _TINY


def _invert_tail(tail: Callable[[float], float], target: float) -> float:
    """The t at which a decreasing `tail` is `target`, by bisection to neighbouring floats."""
    low, high = 0.0, 1.0
    while tail(high) > target:
        low, high = high, high * 2.0
    while low < (middle := (low + high) / 2.0) < high:
        low, high = (middle, high) if tail(middle) > target else (low, middle)
    return high


def _t_expansion(z: float, v: float) -> float:
    """Cornish-Fisher expansion of the t quantile in 1/v (Abramowitz and Stegun 26.7.5)."""
    first = (z**3 + z) / 4
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    fourth = (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160
    return z + first / v + second / v**2 + third / v**3 + fourth / v**4
