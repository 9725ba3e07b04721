"""The sign-flip test over roots: were the arms alike, each root's difference could as well be negative.

Exact for up to 16 roots that differ; beyond, from 9,999 random flips of the documented stream, as (k + 1) /
(R + 1).
"""

from __future__ import annotations

import numpy as np

from faircall.stats.arrays import FloatArray, IntArray
from faircall.stats.streams import philox

EXACT_ROOTS = 16
FLIPS = 9_999
_TIE = 1e-12
_BITS = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little").astype(np.float64)


def sign_flip_p(values: FloatArray, *, seed: int, scope: str) -> float:
    """Two-sided p of |sum|, ties counted; 1 when no value differs from 0.

    >>> sign_flip_p(np.array([1.0, 1.0, 1.0, 0.0]), seed=0, scope="x")
    0.25
    """
    moving = values[np.abs(values) > _TIE]
    if len(moving) <= EXACT_ROOTS:
        sums = _all_flips(moving)
        return float(np.mean(_as_extreme(sums, moving)))
    sums = _random_flips(moving, seed=seed, scope=f"{scope}|sign_flip")
    return (int(np.sum(_as_extreme(sums, moving))) + 1) / (FLIPS + 1)


def swap_contrast(first: IntArray, second: IntArray) -> FloatArray:
    """Per root, how far exchanging its two arms moves the difference of two pooled ratios.

    With N and D the numerators and denominators of both arms together, the contrast of a root is
    `(N2 - N1) D - N (D2 - D1)`, in whole numbers. N and D stay what they are when arms are exchanged, so
    flipping its sign is exactly the exchange; the sum is the difference of the ratios times twice the product
    of the two arms' denominators.

    Args:
        first: numerator and denominator per root, shape (roots, 2).
        second: the same of the other arm.

    >>> swap_contrast(np.array([[2, 4], [0, 4]]), np.array([[4, 4], [2, 2]])).tolist()
    [28.0, 44.0]
    """
    numerators, denominators = (int(total) for total in (first + second).sum(axis=0))
    moved = second - first
    contrast: FloatArray = (moved[:, 0] * denominators - numerators * moved[:, 1]).astype(np.float64)
    return contrast


def _as_extreme(sums: FloatArray, values: FloatArray) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    tolerance = _TIE * max(1.0, float(np.sum(np.abs(values))))
    return np.abs(sums) >= abs(float(np.sum(values))) - tolerance


def _all_flips(values: FloatArray) -> FloatArray:
    sums = np.zeros(1)
    for value in values:
        sums = np.concatenate((sums + value, sums - value))
    return sums


def _random_flips(values: FloatArray, *, seed: int, scope: str) -> FloatArray:
    """Sums under random signs. Each 64 values take one word per flip, the lowest bit for the first of them.

    A byte of a word chooses among the 256 sums that its eight values can have, so no bit is ever unpacked.
    """
    stream, plus = philox(seed=seed, scope=scope), np.zeros(FLIPS)
    padded = np.concatenate((values, np.zeros(-len(values) % 64))).reshape(-1, 8, 8)
    for word in padded:
        drawn = stream.random_raw(FLIPS).astype("<u8", copy=False).view(np.uint8).reshape(FLIPS, 8)
        for byte, sums in enumerate(word @ _BITS.T):
            plus += sums[drawn[:, byte]]
    return 2.0 * plus - float(np.sum(values))
