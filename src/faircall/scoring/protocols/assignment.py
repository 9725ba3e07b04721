"""Maximum-weight assignment of predicted to gold calls, with SciPy's solver (Crouse 2016)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from faircall.errors import DependencyMissing


def assign(merits: Sequence[Sequence[tuple[int, int, int]]]) -> list[tuple[int, int]]:
    """The pairs (row, column) of the assignment of largest merit, compared lexicographically.

    Args:
        merits: per row and column three counts, the weightiest first; the first two are 0 or 1.

    Raises:
        DependencyMissing: SciPy is not installed.

    >>> assign([[(0, 1, 1), (1, 1, 2)], [(0, 1, 1), (0, 1, 0)]])
    [(0, 1), (1, 0)]
    """
    table = np.array(merits, dtype=np.float64)
    # Sums of the last count stay below `step`, sums of the middle one below `shorter`: one number orders all
    # three, exactly as long as it stays below 2**53.
    step, shorter = float(table[:, :, 2].max(axis=1).sum() + 1), float(min(table.shape[:2]) + 1)
    weights = table[:, :, 2] + step * (table[:, :, 1] + shorter * table[:, :, 0])
    rows, columns = _solver()(weights, maximize=True)
    return list(zip(rows.tolist(), columns.tolist(), strict=True))


def _solver() -> Any:
    try:
        from scipy.optimize import linear_sum_assignment
    except ImportError:
        raise DependencyMissing(
            "matching several calls needs SciPy", hint="pip install 'faircall[protocols]'"
        ) from None
    return linear_sum_assignment
