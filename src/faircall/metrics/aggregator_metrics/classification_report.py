"""Per-class precision, recall and F1, and their averages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, TypeAlias

import numpy as np

from faircall.metrics.aggregator_metrics.accuracy import AccuracyMetric
from faircall.metrics.aggregator_metrics.base_aggregator_metric import IntervalAggregator, IntervalOptions
from faircall.metrics.aggregator_metrics.class_pairs import ClassPairs, missing_counts, pair_classes
from faircall.metrics.aggregator_metrics.class_rates import ClassRate, RateIntervals, rates_by_name
from faircall.metrics.base_metric_metadata import BaseMetricMetadata
from faircall.metrics.columns import ResultColumns
from faircall.metrics.unit_metrics.unit_metric_result import UnitMetricResult

Rates: TypeAlias = dict[str, ClassRate]


class ClassificationReportMetricConfig(IntervalOptions):
    """Options of the classification report; without keys, classes are what the unit metric compared."""

    golden_key: str | None = None
    predicted_key: str | None = None


class ClassificationReportMetric(IntervalAggregator):
    """Per class TP, FP, FN, support, precision, recall, F1; then macro, micro and support-weighted averages.

    Classes are those that occur on either side. Macro is the mean of the per-class values. What would divide
    by 0 is 0.0. A missing value is no class: a missing prediction is a miss of its golden class.

    >>> from faircall.metrics.unit_metrics.exact_match import ExactMatchMetric
    >>> results = ExactMatchMetric().evaluate(["Yes", "no"], ["yes", "YES"])
    >>> report = ClassificationReportMetric().calculate(results)
    >>> report["per_class"]["yes"]
    {'tp': 1, 'fp': 1, 'fn': 0, 'support': 1, 'precision': 0.5, 'recall': 1.0, 'f1': 0.6666666666666666}
    >>> report["macro"]["f1"]
    0.3333333333333333
    """

    options_model = ClassificationReportMetricConfig
    metadata: ClassVar[BaseMetricMetadata | None] = BaseMetricMetadata(
        "classification_report",
        description="Precision, recall and F1 per class, with macro, micro and weighted averages.",
        metric_type="aggregator",
    )

    golden_key: str | None
    predicted_key: str | None

    def calculate(self, results: Sequence[UnitMetricResult]) -> dict[str, Any]:
        """`accuracy`, `results`, missing values, `per_class`, `macro`, `micro` and `weighted`."""
        columns = ResultColumns.of(results)
        pairs = pair_classes(columns, golden_key=self.golden_key, predicted_key=self.predicted_key)
        rates, intervals = rates_by_name(pairs), self._intervals(columns, pairs)
        accuracy = AccuracyMetric(level=self.level, cluster_key=self.cluster_key)
        return {
            **accuracy.calculate(results),
            "results": len(columns),
            **missing_counts(pairs),
            "per_class": _per_class(pairs, rates, intervals),
            **_averages(pairs, rates, intervals),
        }

    def _intervals(self, columns: ResultColumns, pairs: ClassPairs) -> RateIntervals | None:
        level = self.wanted_level()
        return None if level is None else RateIntervals(pairs, self.clusters(columns), level)


def _per_class(pairs: ClassPairs, rates: Rates, intervals: RateIntervals | None) -> dict[str, dict[str, Any]]:
    rows = {}
    for number, name in enumerate(pairs.names):
        hits, support = int(pairs.true_positives[number]), int(pairs.support[number])
        row: dict[str, Any] = {"tp": hits, "fp": int(pairs.predictions[number]) - hits, "fn": support - hits}
        row |= {"support": support, **{known: float(rate.values[number]) for known, rate in rates.items()}}
        if intervals is not None:
            row["intervals"] = {known: intervals.of_class(rate, number) for known, rate in rates.items()}
        rows[name] = row
    return rows


def _averages(pairs: ClassPairs, rates: Rates, intervals: RateIntervals | None) -> dict[str, dict[str, Any]]:
    even, by_support = np.ones(len(pairs.names)), pairs.support.astype(np.float64)
    averages: dict[str, dict[str, Any]] = {
        "macro": {name: rate.mean(even) for name, rate in rates.items()},
        "micro": {name: rate.pooled for name, rate in rates.items()},
        "weighted": {name: rate.mean(by_support) for name, rate in rates.items()},
    }
    if intervals is not None:
        of_average: dict[str, Callable[[ClassRate], dict[str, Any]]] = {
            "macro": lambda rate: intervals.of_mean(rate, even),
            "micro": intervals.of_pooled,
            "weighted": lambda rate: intervals.of_weighted(rate, by_support),
        }
        for average, block in averages.items():
            block["intervals"] = {name: of_average[average](rate) for name, rate in rates.items()}
    return averages
