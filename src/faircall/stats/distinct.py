"""Distinct rows of whole numbers: what a resample of many rows is counted by.

A row of small numbers is one number in mixed radix, so equal rows are found by counting, not by sorting.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from faircall.stats.arrays import IntArray

_BLOCK = 1 << 12  # rows at a time: they stay in the cache


class RowCounts(NamedTuple):
    """Distinct rows in lexicographic order, shape (kinds, columns), and how often each occurs."""

    rows: IntArray
    counts: IntArray


def distinct_rows(components: IntArray) -> tuple[IntArray, IntArray]:
    """First places of the distinct rows, in lexicographic order, and for each row which of them it is.

    >>> places, inverse = distinct_rows(np.array([[1, 2], [0, 5], [1, 2]]))
    >>> places.tolist(), inverse.tolist()
    ([1, 0], [1, 0, 1])
    """
    codes = np.zeros(len(components), dtype=np.int64)
    size = 1
    for column in components.T:
        shifted = column - column.min()
        width = int(shifted.max()) + 1
        if size * width >= 2**62:
            codes = np.unique(codes, return_inverse=True)[1].astype(np.int64)
            size = int(codes.max()) + 1
        if size * width >= 2**62:
            shifted = np.unique(shifted, return_inverse=True)[1].astype(np.int64)
            width = int(shifted.max()) + 1
        codes = codes * width + shifted
        size *= width
    if size <= len(codes):
        return _number_small(codes, size)
    _, places, inverse = np.unique(codes, return_index=True, return_inverse=True)
    return places.astype(np.int64), inverse.astype(np.int64)


def _number_small(codes: IntArray, size: int) -> tuple[IntArray, IntArray]:
    """First places and ranks of codes below `size`, without the sort that `np.unique` needs."""
    first = np.full(size, len(codes), dtype=np.int64)
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)  # of several, the one written last stays
    present = first < len(codes)
    return first[present], (np.cumsum(present) - 1)[codes]


def count_rows(table: IntArray, *, low: int, highs: IntArray) -> list[RowCounts]:
    """The distinct rows of each metric, counted; memory does not grow with the number of rows.

    Only where values are negative, or too many to be tabulated, rows are sorted, which does take memory.

    Args:
        table: whole numbers, shape (rows, metrics, columns).
        low: the least number in the table.
        highs: the largest number of each column, shape (metrics, columns).

    >>> table = np.array([[[1, 2]], [[0, 2]], [[1, 2]], [[1, 2]]])
    >>> found = count_rows(table, low=0, highs=table.max(axis=0))[0]
    >>> found.rows.tolist(), found.counts.tolist()
    ([[0, 2], [1, 2]], [1, 3])
    """
    widths = [[int(high) + 1 for high in metric] for metric in highs]
    sizes = [math.prod(metric) for metric in widths]
    if low < 0 or sum(sizes) > len(table):
        return [_count_by_sorting(table[:, metric]) for metric in range(len(widths))]
    strides = [[math.prod(metric[place + 1 :]) for place in range(len(metric))] for metric in widths]
    tallies = np.split(_tally(table, strides=strides, sizes=sizes), np.cumsum(sizes)[:-1])
    found = zip((np.flatnonzero(tally) for tally in tallies), tallies, strides, widths, strict=True)
    return [
        RowCounts(codes[:, None] // stride % width, tally[codes]) for codes, tally, stride, width in found
    ]


def _count_by_sorting(rows: IntArray) -> RowCounts:
    places, kinds = distinct_rows(rows)
    return RowCounts(rows[places], np.bincount(kinds).astype(np.int64))


def _tally(table: IntArray, *, strides: list[list[int]], sizes: list[int]) -> IntArray:
    """How often each code occurs, the codes of a metric behind those of the metric before it."""
    weights = np.zeros((*table.shape[1:], len(sizes)))
    for metric, stride in enumerate(strides):
        weights[metric, :, metric] = stride
    weights = weights.reshape(-1, len(sizes))  # of every column, in the code of every metric
    starts, total = np.cumsum([0, *sizes[:-1]]), sum(sizes)
    tally = np.zeros(total, dtype=np.int64)
    block = max(_BLOCK, total)
    for start in range(0, len(table), block):
        flat = table[start : start + block].reshape(-1, len(weights)).astype(np.float64)
        codes = (flat @ weights).astype(np.int64) + starts  # doubles hold them: no code exceeds `total`
        tally += np.bincount(codes.ravel(), minlength=total)
    return tally
