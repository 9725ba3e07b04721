"""One rate per class, its averages over classes, and the pulls that its intervals are made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from faircall.metrics.aggregator_metrics.class_pairs import NO_CLASS, ClassPairs
from faircall.metrics.intervals import Clusters, interval_of_rate, interval_of_value

if TYPE_CHECKING:
    from numpy.typing import NDArray

    BoolArray: TypeAlias = NDArray[np.bool_]
    FloatArray: TypeAlias = NDArray[np.float64]
    IntArray: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True)
class ClassRate:
    """Hits among the results of a class, seen from one side or from both.

    Precision looks from the predicted side, recall from the golden one; F1 pools both views:
    2 TP / (predictions + support).

    Attributes:
        hits: shape (results,).
        sides: class index (or `NO_CLASS`) per result, one array per view.
        classes: number of classes.
    """

    hits: BoolArray
    sides: tuple[IntArray, ...]
    classes: int

    @cached_property
    def denominators(self) -> IntArray:
        """How often each class was looked at; shape (classes,)."""
        return self._tally([side[side != NO_CLASS] for side in self.sides])

    @cached_property
    def numerators(self) -> IntArray:
        """How often that was a hit; shape (classes,)."""
        return self._tally([side[self.hits] for side in self.sides])

    @cached_property
    def values(self) -> FloatArray:
        """The rate of each class, 0.0 where a class was never looked at; shape (classes,)."""
        values: FloatArray = self.numerators / np.maximum(self.denominators, 1)
        return values

    @property
    def pooled(self) -> float:
        """All hits over all looks (micro average)."""
        looks = int(np.sum(self.denominators))
        return int(np.sum(self.numerators)) / looks if looks else 0.0

    def mean(self, weights: FloatArray) -> float:
        """The average over classes, weighted; 0.0 without classes."""
        return float(np.sum(weights * self.values) / _total(weights))

    def mean_pulls(self, weights: FloatArray) -> FloatArray:
        """The pulls of `mean` for weights that the results do not decide; shape (results,)."""
        per_look = weights / _total(weights) / np.maximum(self.denominators, 1)
        return self._sum_over_sides(lambda classes, hits: per_look[classes] * (hits - self.values[classes]))

    def pooled_pulls(self) -> FloatArray:
        """The pulls of `pooled`; shape (results,)."""
        looks = max(int(np.sum(self.denominators)), 1)
        return self._sum_over_sides(lambda _, hits: (hits - self.pooled) / looks)

    def looked_at(self, number: int) -> BoolArray:
        """The results that count for class `number`; shape (results,)."""
        seen: BoolArray = np.any([side == number for side in self.sides], axis=0)
        return seen

    def _tally(self, indices: list[IntArray]) -> IntArray:
        return np.bincount(np.concatenate(indices), minlength=self.classes).astype(np.int64)

    def _sum_over_sides(self, contribution: Callable[[IntArray, BoolArray], FloatArray]) -> FloatArray:
        total = np.zeros(len(self.hits))
        for side in self.sides:
            seen = side != NO_CLASS
            total[seen] += contribution(side[seen], self.hits[seen])
        return total


@dataclass(frozen=True)
class RateIntervals:
    """Intervals for class rates at one level, over results that may be clustered."""

    pairs: ClassPairs
    clusters: Clusters
    level: float

    def of_class(self, rate: ClassRate, number: int) -> dict[str, Any]:
        """The interval of one class: Wilson's for a rate, linearised where two views are pooled."""
        if len(rate.sides) == 1:
            return self._rate(rate.hits, rate.sides[0] == number)
        one_class = (np.arange(rate.classes) == number).astype(np.float64)
        return self._value(float(rate.values[number]), rate.mean_pulls(one_class), rate.looked_at(number))

    def of_pooled(self, rate: ClassRate) -> dict[str, Any]:
        """The interval of the micro average."""
        if len(rate.sides) == 1:
            return self._rate(rate.hits, rate.sides[0] != NO_CLASS)
        return self._value(rate.pooled, rate.pooled_pulls(), self._any_class())

    def of_mean(self, rate: ClassRate, weights: FloatArray) -> dict[str, Any]:
        """The interval of an average with fixed weights (macro)."""
        return self._value(rate.mean(weights), rate.mean_pulls(weights), self._any_class())

    def of_weighted(self, rate: ClassRate, weights: FloatArray) -> dict[str, Any]:
        """The interval of the average weighted by support; the results decide the weights, too."""
        pulls, known = rate.mean_pulls(weights), self.pairs.golden != NO_CLASS
        by_weight = rate.values[self.pairs.golden[known]] - rate.mean(weights)
        pulls[known] += by_weight / max(int(np.count_nonzero(known)), 1)
        return self._value(rate.mean(weights), pulls, self._any_class())

    def _any_class(self) -> BoolArray:
        known: BoolArray = (self.pairs.golden != NO_CLASS) | (self.pairs.predicted != NO_CLASS)
        return known

    def _rate(self, hits: BoolArray, trials: BoolArray) -> dict[str, Any]:
        return interval_of_rate(hits, trials, clusters=self.clusters, level=self.level)

    def _value(self, value: float, pulls: FloatArray, relevant: BoolArray) -> dict[str, Any]:
        return interval_of_value(
            value, pulls=pulls, relevant=relevant, clusters=self.clusters, level=self.level
        )


def _total(weights: FloatArray) -> float:
    return float(np.sum(weights)) or 1.0


def rates_by_name(pairs: ClassPairs) -> dict[str, ClassRate]:
    """Precision, recall and F1 of every class."""
    views = {
        "precision": (pairs.predicted,),
        "recall": (pairs.golden,),
        "f1": (pairs.predicted, pairs.golden),
    }
    return {name: ClassRate(pairs.hits, sides, len(pairs.names)) for name, sides in views.items()}
