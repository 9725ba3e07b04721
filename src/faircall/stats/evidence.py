"""Minimum evidence: where few roots differ, a guarded estimate takes the place of a spread.

With fewer than ten discordant roots a linearised interval (or a percentile one) collapses around whatever
little was seen. Two pseudo-roots, one for each arm, keep it open. The guard is also used where many roots
differ but all of them alike, so that the spread vanishes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np

from faircall.stats.arrays import FloatArray, IntArray
from faircall.stats.intervals import Interval, undefined
from faircall.stats.linearised import LinearisedEstimate, estimate_mean, estimate_ratio_difference
from faircall.stats.quantiles import normal_quantile, normal_tail, upper_probability
from faircall.stats.tango import tango_z

MINIMUM_DISCORDANT_ROOTS: Final = 10
_NO_SPREAD: Final = 1e-9


@dataclass(frozen=True, slots=True)
class NoDiscordance:
    """The estimate when no root differs: Tango's with b = c = 0, bounds -+ z^2 / (n + z^2)."""

    n: int
    method: str

    def interval(self, level: float) -> Interval:
        """-+ z^2 / (n + z^2), for n roots."""
        if not self.n:
            return undefined(self.method, level, reason="no_rows")
        bound = no_discordance_bound(self.n, level=level)
        return Interval(self.method, level, -bound, bound)

    def p_above(self, bound: float) -> float:
        """One-sided p of "the true value is not above `bound`"."""
        return normal_tail(tango_z(0, 0, n=self.n, trial=max(bound, -1.0)))

    def p_below(self, bound: float) -> float:
        """One-sided p of "the true value is not below `bound`"."""
        return normal_tail(-tango_z(0, 0, n=self.n, trial=min(bound, 1.0)))


def no_discordance_bound(n: int, *, level: float) -> float:
    """How far from 0 a difference may still be when `n` independent pairs show none.

    >>> round(no_discordance_bound(100, level=0.95), 12)
    0.036993498207
    """
    z = normal_quantile(upper_probability(level))
    return z * z / (n + z * z)


Guard: TypeAlias = LinearisedEstimate | NoDiscordance


def decide_ratio_difference(
    baseline: IntArray, candidate: IntArray, *, gold_pairs: Callable[[], float], level: float
) -> tuple[LinearisedEstimate, Guard | None]:
    """The difference of two F1, and the guard that decides in its place under minimum evidence.

    Args:
        baseline: numerator and denominator per root, shape (roots, 2).
        candidate: the same for the candidate.
        gold_pairs: gives the mean gold pairs per root; asked only where a guard is needed.
        level: of the interval that will be taken.
    """
    plain = estimate_ratio_difference(baseline, candidate)
    discordant = int(np.sum(np.any(baseline != candidate, axis=1)))
    if _enough(discordant, plain) or not len(baseline):
        return plain, None
    return plain, estimate_guarded_difference(baseline, candidate, gold_pairs=gold_pairs(), level=level)


def decide_mean(
    values: FloatArray, *, discordant: int, limit: float, level: float
) -> tuple[LinearisedEstimate, Guard | None]:
    """The mean of one value per root, and its guard when too few roots are `discordant`."""
    plain = estimate_mean(values, limit=limit)
    if _enough(discordant, plain) or not len(values):
        return plain, None
    return plain, estimate_guarded_mean(values, limit=limit, level=level)


def _enough(discordant: int, plain: LinearisedEstimate) -> bool:
    return discordant >= MINIMUM_DISCORDANT_ROOTS and plain.standard_error > _NO_SPREAD


def estimate_guarded_difference(
    baseline: IntArray, candidate: IntArray, *, gold_pairs: float, level: float
) -> Guard:
    """The difference of two F1 under minimum evidence: two pseudo-roots keep the interval from collapsing.

    One pseudo-root has a perfect baseline and a candidate that did not parse, the other is its mirror.

    Args:
        baseline: 2 x matched pairs and predicted + gold pairs per root, shape (roots, 2).
        candidate: the same for the candidate.
        gold_pairs: mean gold pairs per root.
        level: where no root differs, the wider of the two guards at this level is taken.
    """
    perfect, unparsed = np.array([2.0, 2.0]) * gold_pairs, np.array([0.0, 1.0]) * gold_pairs
    augmented = estimate_ratio_difference(
        np.vstack([baseline, perfect, unparsed]), np.vstack([candidate, unparsed, perfect])
    )
    guarded = LinearisedEstimate(augmented.centre, augmented.standard_error, None, "guarded_linearised")
    return guarded if np.any(baseline != candidate) else _wider(guarded, roots=len(baseline), level=level)


def estimate_guarded_mean(values: FloatArray, *, limit: float, level: float) -> Guard:
    """The mean of one difference per root under minimum evidence: pseudo-roots +1 and -1 join, with z."""
    plain = estimate_mean(np.append(values, (1.0, -1.0)), limit=limit)
    guarded = LinearisedEstimate(plain.centre, plain.standard_error, None, "guarded_linearised", limit)
    return guarded if np.any(values) else _wider(guarded, roots=len(values), level=level)


def _wider(guarded: LinearisedEstimate, *, roots: int, level: float) -> Guard:
    """Without a discordant root both guards are centred at 0; the one with the farther bound is kept."""
    half = normal_quantile(upper_probability(level)) * guarded.standard_error
    if half >= no_discordance_bound(roots, level=level):
        return guarded
    return NoDiscordance(roots, "guarded_no_discordance")
