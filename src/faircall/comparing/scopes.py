"""Overall and slices: the same comparison over all paired rows, and over some."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from faircall.comparing.deltas import Delta, Resampling, compare_cohort
from faircall.comparing.pairing import Cohort, places_by_label
from faircall.errors import DataError

if TYPE_CHECKING:
    from faircall.records import IntArray

OVERALL: Final = "overall"


@dataclass(frozen=True, slots=True)
class ScopeDeltas:
    """All deltas of one scope; `prompt_set_sha256` is None unless both arms share known prompts."""

    examples: int
    roots: int
    prompt_set_sha256: str | None
    deltas: dict[str, Delta]

    def to_dict(self) -> dict[str, Any]:
        """The SCOPE of a comparison report."""
        return {
            "examples": self.examples,
            "roots": self.roots,
            "prompt_set_sha256": self.prompt_set_sha256,
            "metrics": {metric: delta.report for metric, delta in self.deltas.items()},
        }


def compare_overall(cohort: Cohort, how: Resampling) -> ScopeDeltas:
    """The deltas over all rows; languages that share roots are clustered by them."""
    return _compare(cohort, how, scope=OVERALL)


def compare_slices(cohort: Cohort, how: Resampling) -> dict[str, ScopeDeltas]:
    """The deltas of every slice, by name: languages first, then the declared slices, which may overlap."""
    return {
        name: _compare(cohort.select(places), how, scope=f"slice:{name}")
        for name, places in slice_places(cohort).items()
    }


def slice_places(cohort: Cohort) -> dict[str, IntArray]:
    """Where each slice's rows stand in the cohort, in the order of the names.

    Raises:
        DataError: a declared slice has the name of a language, or a slice that of all rows.
    """
    scores = cohort.first.scores
    found = places_by_label([scores.labels[row] for row in cohort.first.rows.tolist()])
    for name, rows in sorted(scores.extra_slices.items()):
        if name in found:
            raise DataError(f"the declared slice {name!r} has the name of a language", hint="rename its key")
        found[name] = np.flatnonzero(np.isin(cohort.first.rows, rows))
    if OVERALL in found:
        message = f"a slice has the name {OVERALL!r}, which stands for all rows in claims and conditions"
        raise DataError(message, hint="give the rows another language label")
    return found


def _compare(cohort: Cohort, how: Resampling, *, scope: str) -> ScopeDeltas:
    deltas = compare_cohort(cohort, how, scope=scope)
    return ScopeDeltas(len(cohort), cohort.roots.count, cohort.prompt_set_sha256, deltas)
