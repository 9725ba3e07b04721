"""Several answers to one item: will one of k be right, and will all of k be?

Both are averages over items of unbiased estimates from n answers of which c are right:
pass@k = 1 - C(n-c, k)/C(n, k) (Chen et al. 2021), pass^k = C(c, k)/C(n, k) (Yao et al. 2024).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import comb
from typing import Any, Final

ESTIMATORS: Final = {
    "pass_at_k": "mean over items of 1 - C(n-c,k)/C(n,k) (Chen et al. 2021)",
    "pass_hat_k": "mean over items of C(c,k)/C(n,k) (Yao et al. 2024)",
}


def pass_at_k(right: Sequence[int], n: int, *, k: int) -> float:
    """The chance that at least one of k answers is right, averaged over items.

    Args:
        right: right answers per item.
        n: answers per item.
        k: answers that are looked at, at most n.

    >>> pass_at_k([2, 0], 4, k=2)
    0.4166666666666667
    """
    return sum(1 - comb(n - c, k) / comb(n, k) for c in right) / len(right)


def pass_hat_k(right: Sequence[int], n: int, *, k: int) -> float:
    """The chance that all of k answers are right, averaged over items.

    >>> pass_hat_k([4, 2], 4, k=2)
    0.5833333333333334
    """
    return sum(comb(c, k) / comb(n, k) for c in right) / len(right)


def summarise_samples(rights: Iterable[int], n: int) -> dict[str, Any]:
    """Both for every k from 1 to n, with the estimators named; descriptive, without intervals."""
    right = list(rights)
    ks = range(1, n + 1)
    return {
        "items": len(right),
        "samples": n,
        "pass_at_k": {str(k): pass_at_k(right, n, k=k) for k in ks} if right else None,
        "pass_hat_k": {str(k): pass_hat_k(right, n, k=k) for k in ks} if right else None,
        "estimators": dict(ESTIMATORS),
    }
