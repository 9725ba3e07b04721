"""How many pairs a paired comparison of rates needs, and what a given number can show.

`discordance` (psi) is the share of pairs on which the arms differ. Formula: Connor 1987, for McNemar's test.
"""

from __future__ import annotations

import math

from faircall.errors import UsageError
from faircall.stats.quantiles import normal_quantile


def sample_size(*, discordance: float, difference: float, alpha: float = 0.05, power: float = 0.8) -> int:
    """Pairs needed to find `difference` in a two-sided test at `alpha` with `power`.

    Raises:
        UsageError: the difference is 0, or larger than the discordance that would have to carry it.

    >>> sample_size(discordance=0.10, difference=0.03)
    870
    """
    _check_shares(discordance, alpha=alpha, power=power)
    if not 0.0 < abs(difference) <= discordance:
        raise UsageError(
            f"a difference of {difference} needs a discordance of at least its size, got {discordance}",
            hint="the arms must disagree on at least as many pairs as the rates differ by",
        )
    return math.ceil(_pairs_needed(discordance, abs(difference), alpha=alpha, power=power) - 1e-9)


def detectable_difference(
    *, n: float, discordance: float, alpha: float = 0.05, power: float = 0.8
) -> float | None:
    """The smallest difference that `n` pairs find with `power`; None when even `discordance` is too small.

    >>> round(detectable_difference(n=870, discordance=0.10), 4)
    0.03
    >>> detectable_difference(n=10, discordance=0.01) is None
    True
    """
    _check_shares(discordance, alpha=alpha, power=power)
    if n <= 0 or discordance == 0.0 or _pairs_needed(discordance, discordance, alpha=alpha, power=power) > n:
        return None
    low, high = 0.0, discordance
    while low < (middle := (low + high) / 2.0) < high and high - low > 1e-15:
        enough = _pairs_needed(discordance, middle, alpha=alpha, power=power) <= n
        low, high = (low, middle) if enough else (middle, high)
    return high


def non_inferiority_size(
    *, discordance: float, margin: float, alpha: float = 0.025, power: float = 0.8
) -> int:
    """Pairs needed to show "not worse by `margin`" when the arms are truly equal; `alpha` is one-sided.

    >>> non_inferiority_size(discordance=0.10, margin=0.03)
    873
    """
    _check_shares(discordance, alpha=alpha, power=power)
    if not 0.0 < margin <= 1.0:
        raise UsageError(f"a margin must lie in (0, 1], got {margin}", hint="0.02 means two points")
    z = normal_quantile(1.0 - alpha) + normal_quantile(power)
    return math.ceil(z * z * discordance / (margin * margin) - 1e-9)


def _pairs_needed(discordance: float, difference: float, *, alpha: float, power: float) -> float:
    under_null = normal_quantile(1.0 - alpha / 2.0) * math.sqrt(discordance)
    under_truth = normal_quantile(power) * math.sqrt(max(discordance - difference * difference, 0.0))
    return (under_null + under_truth) ** 2 / (difference * difference)


def _check_shares(discordance: float, *, alpha: float, power: float) -> None:
    if not 0.0 <= discordance <= 1.0:
        raise UsageError(f"discordance is a share in [0, 1], got {discordance}", hint="0.1 is 1 pair in 10")
    if not (0.0 < alpha < 1.0 and 0.0 < power < 1.0):
        raise UsageError(f"alpha and power lie in (0, 1), got {alpha}, {power}", hint="usual: 0.05 and 0.8")
