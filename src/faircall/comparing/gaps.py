"""Language gaps: each translated row against the very row that it was translated from.

The reference language is that of the rows which are their own root. Where rows of several languages are, it
is the one that most translated rows point to (the first by name among equals); where none points anywhere,
there is no reference and there are no gaps.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from faircall.comparing.deltas import Delta, Resampling, compare_cohort
from faircall.comparing.pairing import Cohort, Column, digest_prompts, places_by_label
from faircall.errors import UsageError
from faircall.records import METRIC_NAMES, MetricValue, Scores
from faircall.stats.cluster import number_roots

if TYPE_CHECKING:
    from faircall.records import IntArray


@dataclass(frozen=True, eq=False)
class Gap:
    """One arm's gap in one language.

    Attributes:
        cohort: reference and target rows, paired by root.
        reference_examples: rows of the complete reference slice.
        target_examples: rows of the complete target slice.
        deltas: target minus reference, by metric.
    """

    reference: str
    target: str
    cohort: Cohort
    reference_examples: int
    target_examples: int
    deltas: dict[str, Delta]

    def to_dict(self) -> dict[str, Any]:
        """The GAP of a report. Coverage is the share of the reference slice that has a pair."""
        covered = len(np.unique(self.cohort.first.rows))
        return {
            "reference_language": self.reference,
            "target_language": self.target,
            "pairs": len(self.cohort),
            "coverage": covered / self.reference_examples if self.reference_examples else 0.0,
            "reference_examples": self.reference_examples,
            "target_examples": self.target_examples,
            "pair_set_sha256": self._pair_set(),
            "metrics": {metric: delta.report for metric, delta in self.deltas.items()},
        }

    def _pair_set(self) -> str | None:
        """The digest over both ordered prompt identities: reference, target, reference, target, ..."""
        columns = (self.cohort.first.prompt_digests(), self.cohort.second.prompt_digests())
        return digest_prompts([digest for pair in zip(*columns, strict=True) for digest in pair])


def find_reference(scores: Scores) -> str | None:
    """The reference language of these rows, None where rows tell no reference."""
    rows = zip(scores.ids, scores.roots, scores.labels, strict=True)
    own = {root: label for key, root, label in rows if key == root or _is_sample(key, root)}
    labels = {label for label in own.values() if label is not None}
    if len(labels) == 1:
        return labels.pop()
    pointed = Counter(
        own[root]
        for key, root in zip(scores.ids, scores.roots, strict=True)
        if root in own and key != root and not _is_sample(key, root)
    )
    ranked = sorted((-count, label) for label, count in pointed.items() if label is not None)
    return ranked[0][1] if ranked else None


def require_reference(scores: Scores, label: str | None) -> str | None:
    """`label` when it names a slice, the reference language of the rows when it is None.

    Raises:
        UsageError: no row has that label.
    """
    if label is not None and label not in scores.labels:
        known = ", ".join(sorted({name for name in scores.labels if name is not None})) or "none"
        raise UsageError(f"no row is of the reference language {label!r}", hint=f"languages here: {known}")
    return find_reference(scores) if label is None else label


def paired_gaps(scores: Scores, how: Resampling, *, reference_label: str | None = None) -> dict[str, Gap]:
    """One arm's gap in every other language, by language.

    Args:
        scores: the arm.
        how: level, resamples and seed.
        reference_label: overrides the reference language that the rows tell.
    """
    reference = require_reference(scores, reference_label)
    if reference is None:
        return {}
    targets = sorted(label for label in set(scores.labels) if label is not None and label != reference)
    cohorts = {name: pair_languages(scores, reference=reference, target=name) for name in targets}
    return {name: _measure_gap(cohort, how, between=(reference, name)) for name, cohort in cohorts.items()}


def same_gaps(scores: Scores, how: Resampling, *, like: Mapping[str, Gap]) -> dict[str, Gap]:
    """The gaps of an arm with the same rows in the same order as another, by the pairs of that."""
    found: dict[str, Gap] = {}
    for target, gap in like.items():
        first, second = (Column(scores, side.rows) for side in (gap.cohort.first, gap.cohort.second))
        cohort = Cohort(first, second, gap.cohort.names, gap.cohort.roots)
        found[target] = _measure_gap(cohort, how, between=(gap.reference, target))
    return found


def _measure_gap(cohort: Cohort, how: Resampling, *, between: tuple[str, str]) -> Gap:
    deltas = compare_cohort(cohort, how, scope=f"gap:{between[1]}")
    reference_examples, target_examples = map(cohort.first.scores.labels.count, between)
    return Gap(*between, cohort, reference_examples, target_examples, deltas)


def pair_languages(scores: Scores, *, reference: str, target: str) -> Cohort:
    """Every target row whose root is a reference row, with that row; in the order of root and row ids.

    Of several answers to one prompt, `fr-0#2` is paired with `en-0#2`: any pairing of independent draws is as
    good, and statistics are clustered on the root that all of them share.
    """
    rows = list(zip(scores.labels, scores.roots, scores.ids, range(len(scores.ids)), strict=True))
    known = {key: row for label, _, key, row in rows if label == reference}
    targets = sorted((root, key, row) for label, root, key, row in rows if label == target)
    found = [(root, known.get(root, known.get(_same_sample(root, key))), row) for root, key, row in targets]
    pairs = [(root, partner, row) for root, partner, row in found if partner is not None]
    first = np.array([partner for _, partner, _ in pairs], dtype=np.int64)
    second = np.array([row for _, _, row in pairs], dtype=np.int64)
    names = number_roots([root for root, _, _ in pairs])
    return Cohort(Column(scores, first), Column(scores, second), ("reference", "target"), names)


def _is_sample(key: str, root: str) -> bool:
    """Whether a row is one of several answers to the prompt `root` itself: `root#1`, `root#2`, ..."""
    return key.startswith(root + "#") and key[len(root) + 1 :].isdecimal()


def _same_sample(root: str, key: str) -> str:
    return f"{root}#{key.rpartition('#')[2]}"


def marginal_full_slices(scores: Scores, reference: str | None) -> dict[str, dict[str, float | None]]:
    """Target minus reference over every surviving row of both: descriptive, for the cohorts may differ.

    Returns:
        Differences by language and metric; None where a slice has nothing to divide by.
    """
    places = places_by_label(scores.labels)
    if reference not in places:
        return {}
    values = {label: _values(scores.components[rows]) for label, rows in places.items()}
    return {
        label: {
            metric: second.value - first.value if first.denominator and second.denominator else None
            for metric, first, second in zip(METRIC_NAMES, values[reference], found, strict=True)
        }
        for label, found in values.items()
        if label != reference
    }


def _values(components: IntArray) -> list[MetricValue]:
    return [MetricValue(int(n), int(d)) for n, d in components.sum(axis=0)]
