"""McNemar's test on discordant pairs: exact and mid-p (Fagerland, Lydersen and Laake 2013).

Safe at any size: up to 2,000 discordant pairs in whole numbers, beyond that from the largest term of the tail
downwards in logarithms, where 0.5 ** m alone would have vanished.
"""

from __future__ import annotations

import math

_WHOLE_NUMBERS = 2_000


def mcnemar_exact(b: int, c: int) -> float:
    """Two-sided exact p-value: twice the smaller binomial tail, at most 1.

    >>> mcnemar_exact(1, 5), mcnemar_exact(0, 0)
    (0.21875, 1.0)
    """
    _, tail = _term_and_tail(b, c)
    return min(1.0, 2.0 * tail)


def mcnemar_mid_p(b: int, c: int) -> float:
    """Two-sided mid-p: the exact one less the probability of the observed table (half of it when b = c).

    >>> mcnemar_mid_p(1, 5), mcnemar_mid_p(5, 5), mcnemar_mid_p(0, 0)
    (0.125, 0.876953125, 1.0)
    """
    if b == c:
        term, _ = _term_and_tail(b, c)
        return 1.0 - term / 2.0 if b else 1.0
    term, tail = _term_and_tail(b, c)
    return 2.0 * tail - term


def _term_and_tail(b: int, c: int) -> tuple[float, float]:
    """P(X = k) and P(X <= k) for X binomial (b + c, 1/2), k = min(b, c)."""
    trials, fewer = b + c, min(b, c)
    if trials <= _WHOLE_NUMBERS:
        return _whole_term_and_tail(trials, fewer)
    return _log_term_and_tail(trials, fewer)


def _whole_term_and_tail(trials: int, fewer: int) -> tuple[float, float]:
    term = total = 1
    for i in range(1, fewer + 1):
        term = term * (trials - i + 1) // i
        total += term
    return term / 2**trials, total / 2**trials


def _log_term_and_tail(trials: int, fewer: int) -> tuple[float, float]:
    log_choose = math.lgamma(trials + 1) - math.lgamma(fewer + 1) - math.lgamma(trials - fewer + 1)
    term = math.exp(log_choose - trials * math.log(2.0))
    ratio = total = 1.0
    for i in range(fewer, 0, -1):
        ratio *= i / (trials - i + 1)
        total += ratio
        if ratio < 1e-18 * total:
            break
    return term, term * total
