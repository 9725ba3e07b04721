"""Array types of this room."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

IntArray: TypeAlias = NDArray[np.int64]
FloatArray: TypeAlias = NDArray[np.float64]


def sum_of_squares(left: IntArray, right: IntArray, *, ratio: tuple[int, int]) -> int:
    """b^2 sum (left - a/b right)^2 for the ratio (a, b): a whole number.

    >>> sum_of_squares(np.array([1, 2]), np.array([1, 1]), ratio=(3, 2))
    2
    """
    a, b = ratio
    squares, products, others = int(left @ left), int(left @ right), int(right @ right)
    return b * b * squares - 2 * a * b * products + a * a * others
