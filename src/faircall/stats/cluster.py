"""Rows that share a root are not independent: sums by root and design effects.

The design effect (Kish 1965, estimated by linearisation) says how many times wider the variance is than for
as many independent rows. Score intervals are then taken at the effective counts: everything divided by it
(Rao and Scott 1992).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from faircall.stats.arrays import IntArray, sum_of_squares
from faircall.stats.tango import ScoreEstimate


@dataclass(frozen=True, eq=False)
class Roots:
    """Which root each row belongs to; roots are numbered in the order of their sorted ids.

    Attributes:
        of_row: root number per row, shape (rows,).
        count: number of roots; every root has at least one row.
    """

    of_row: IntArray
    count: int

    @cached_property
    def rows(self) -> IntArray:
        """N_g: rows per root, shape (roots,)."""
        return np.bincount(self.of_row, minlength=self.count).astype(np.int64)

    @property
    def repeated(self) -> bool:
        """Whether a root has more than one row, so that rows are not independent."""
        return self.count < len(self.of_row)

    def select(self, places: IntArray) -> Roots:
        """The roots of the rows at `places`, numbered anew in the same order."""
        kept, numbers = np.unique(self.of_row[places], return_inverse=True)
        return Roots(numbers.astype(np.int64), len(kept))

    @cached_property
    def _order(self) -> IntArray:
        return np.argsort(self.of_row, kind="stable").astype(np.int64)

    def sum(self, values: IntArray) -> IntArray:
        """Sums by root in whole numbers: shape (rows, ...) becomes (roots, ...)."""
        if not self.count:
            return np.zeros((0, *values.shape[1:]), dtype=np.int64)
        if not self.repeated:
            placed = np.empty(values.shape, dtype=np.int64)
            placed[self.of_row] = values
            return placed
        starts = np.concatenate(([0], np.cumsum(self.rows)[:-1]))
        summed: IntArray = np.add.reduceat(values.astype(np.int64)[self._order], starts, axis=0)
        return summed


def number_roots(names: Sequence[str]) -> Roots:
    """The roots named per row, numbered by sorted name, so that the order of rows decides nothing.

    >>> number_roots(["b", "a", "b"]).of_row.tolist()
    [1, 0, 1]
    """
    numbers = {name: number for number, name in enumerate(sorted(dict.fromkeys(names)))}
    places = map(numbers.__getitem__, names)
    return Roots(np.fromiter(places, dtype=np.int64, count=len(names)), len(numbers))


def separate_roots(rows: int) -> Roots:
    """One root per row: independent rows."""
    return Roots(np.arange(rows, dtype=np.int64), rows)


def undivided_design_effect(values: IntArray, roots: Roots) -> float:
    """The design effect of the mean of `values` (one small integer per row), before it is held at 1 or more.

    sum_g (S_g - mean N_g)^2 / sum_i (value_i - mean)^2; when all values are alike it is sum_g N_g^2 / n,
    that of rows which repeat their root. Sums of whole numbers are exact, so that the order of roots decides
    nothing.

    >>> undivided_design_effect(np.array([1, 1, 0, 0]), number_roots(["a", "a", "b", "b"]))
    2.0
    """
    if not len(values):
        return 1.0
    if np.all(values == values[0]):
        return float(np.sum(roots.rows**2) / len(values))
    count, total = len(values), int(np.sum(values))
    between = sum_of_squares(roots.sum(values), roots.rows, ratio=(total, count))
    return between / (count * (count * int(np.sum(values**2)) - total**2))


def design_effect(values: IntArray, roots: Roots) -> float:
    """The design effect that intervals are divided by: at least 1, and exactly 1 where no root repeats."""
    return max(1.0, undivided_design_effect(values, roots)) if roots.repeated else 1.0


def estimate_paired_difference(baseline: IntArray, candidate: IntArray, roots: Roots) -> ScoreEstimate:
    """Tango's estimate for two columns of 0 and 1 per row, at effective counts where roots repeat.

    >>> estimate_paired_difference(np.array([1, 0, 0]), np.array([1, 1, 1]), separate_roots(3))
    ScoreEstimate(b=0, c=2, n=3, method='tango')
    """
    difference = candidate - baseline
    b, c = int(np.sum(difference < 0)), int(np.sum(difference > 0))
    if not roots.repeated:
        return ScoreEstimate(b, c, len(difference))
    effect = design_effect(difference, roots)
    return ScoreEstimate(b / effect, c / effect, len(difference) / effect, "tango_design_effect")
