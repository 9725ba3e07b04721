"""The exact upper bound of a rate (Clopper and Pearson 1934), one-sided: how often could it be, at most?"""

from __future__ import annotations

import math

_HALVINGS = 60  # more than the bits of a double


def rate_bound(found: int, among: int, *, level: float = 0.95) -> float:
    """The largest rate under which `found` or fewer among `among` still have a probability of 1 - level.

    Args:
        found: how often it happened.
        among: how often it could have happened.
        level: one-sided confidence level.

    >>> round(rate_bound(0, 59), 4), rate_bound(3, 3), rate_bound(0, 0)
    (0.0495, 1.0, 1.0)
    """
    if found >= among:
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if _at_most(found, among, middle) > 1 - level:
            low = middle
        else:
            high = middle
    return high


def _at_most(found: int, among: int, rate: float) -> float:
    """The probability of `found` or fewer; by logarithms, since the binomials of long checks overflow."""
    ways = math.lgamma(among + 1)
    return math.fsum(
        math.exp(
            ways
            - math.lgamma(k + 1)
            - math.lgamma(among - k + 1)
            + k * math.log(rate)
            + (among - k) * math.log1p(-rate)
        )
        for k in range(found + 1)
    )
