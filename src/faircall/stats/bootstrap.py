"""The paired percentile bootstrap over roots: whole roots are resampled, sums of whole numbers are compared.

Up to 20,000 roots a resample is a row of an index plan, drawn from a documented stream; one plan per scope
serves every metric and every arm, so the deltas of three arms add up in each resample. Beyond, each
metric's counts of its distinct component rows are drawn from the multinomial that the plan would have
produced; the distribution is the same, the bytes then depend on numpy's version, which is recorded.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import partial

import numpy as np

from faircall.errors import UsageError
from faircall.stats.arrays import FloatArray, IntArray
from faircall.stats.distinct import count_rows, distinct_rows
from faircall.stats.streams import INDEX_STREAM, IndexStream, philox

PLAN_ROOTS = 20_000
_BLOCK = 1 << 17  # indices at a time: they stay in the cache


def order_ranks(resamples: int, level: float) -> tuple[int, int]:
    """Which order statistics (from 1) are the bounds: (B + 1) p for p = (1 -+ level) / 2.

    Raises:
        UsageError: they are not whole, so the bounds would have to be made up between two resamples.

    >>> order_ranks(9999, 0.95)
    (250, 9750)
    """
    tail = (1 - Fraction(str(level))) / 2
    rank = (resamples + 1) * tail
    if not 0 < tail < Fraction(1, 2) or rank.denominator != 1 or rank < 1:
        raise UsageError(
            f"{resamples} resamples give no exact bound at level {level}: (B + 1)(1 - level)/2 is not whole",
            hint="999, 1999 or 9999 resamples suit levels 0.9, 0.95 and 0.99",
        )
    return int(rank), resamples + 1 - int(rank)


def percentile_bounds(statistics: FloatArray, *, level: float) -> tuple[float, float]:
    """The order statistics that bound the middle `level` of the resampled values."""
    lower, upper = order_ranks(len(statistics), level)
    ordered = np.partition(statistics, (lower - 1, upper - 1))
    return float(ordered[lower - 1]), float(ordered[upper - 1])


def stream_name(roots: int) -> str:
    """How the resamples of `roots` roots are drawn, with the library where the bytes depend on it."""
    return INDEX_STREAM if roots <= PLAN_ROOTS else f"philox4x64-10/sha256/multinomial numpy {np.__version__}"


def resample_totals(components: IntArray, *, resamples: int, seed: int, scope: str) -> IntArray:
    """Column sums over each resample of the roots.

    Args:
        components: whole numbers per root, shape (roots, metrics, columns), roots in the order of their ids.
        resamples: B.
        seed: any whole number.
        scope: names the stream: one for all metrics and arms of a slice.

    Returns:
        Sums, shape (B, metrics, columns); zeros when there are no roots.
    """
    roots, *shape = components.shape
    if not roots:
        return np.zeros((resamples, *shape), dtype=np.int64)
    low, highs = int(components.min(initial=0)), components.max(axis=0)
    if max(-low, int(highs.max(initial=0))) * roots >= 2**53:
        raise UsageError("component sums beyond 2^53 are not exact", hint="compare smaller slices")
    if roots <= PLAN_ROOTS:
        flat = components.reshape(roots, -1)
        places, kinds = distinct_rows(flat)
        drawn = _plan_counts(kinds, resamples=resamples, seed=seed, scope=scope)
        return _sum_counts(flat[places], drawn).reshape(resamples, *shape)
    draw = partial(_multinomial_counts, resamples=resamples, seed=seed, scope=scope)
    metrics = count_rows(components, low=low, highs=highs)
    return np.stack([_sum_counts(found.rows, draw(found.counts)) for found in metrics], axis=1)


def _sum_counts(rows: IntArray, drawn: Iterable[FloatArray]) -> IntArray:
    """Counts of distinct rows times their values; whole numbers below 2^53 are exact in doubles."""
    values = rows.astype(np.float64)
    return np.vstack([np.rint(counts @ values).astype(np.int64) for counts in drawn])


def _plan_counts(kinds: IntArray, *, resamples: int, seed: int, scope: str) -> Iterator[FloatArray]:
    """Blocks of (resamples, kinds): how often each distinct row occurs, from the index plan."""
    roots, width = len(kinds), int(kinds.max()) + 1
    stream = IndexStream(roots, seed=seed, scope=scope)
    block = max(1, _BLOCK // max(roots, width))
    for start in range(0, resamples, block):
        rows = min(block, resamples - start)
        drawn = kinds.take(stream.take(rows * roots)).reshape(rows, roots)
        drawn += np.arange(0, rows * width, width)[:, None]
        yield np.bincount(drawn.ravel(), minlength=rows * width).reshape(rows, width).astype(np.float64)


def _multinomial_counts(counts: IntArray, *, resamples: int, seed: int, scope: str) -> Iterator[FloatArray]:
    """The same in distribution, from how often each distinct row occurs in the sample: without a plan."""
    roots = int(counts.sum())
    shares = counts / roots
    generator = np.random.Generator(philox(seed=seed, scope=scope))
    block = max(1, _BLOCK // len(shares))
    for start in range(0, resamples, block):
        rows = min(block, resamples - start)
        yield generator.multinomial(roots, shares, size=rows).astype(np.float64)
