"""Who is compared with whom: rows of two columns joined by id, never by position."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from faircall.digest import sha256_json
from faircall.errors import DuplicateId, IdMismatch, Incomparable
from faircall.records import METRIC_NAMES, Scores
from faircall.stats.cluster import Roots, number_roots

if TYPE_CHECKING:
    from faircall.records import IntArray

_PARSED: Final = METRIC_NAMES.index("valid_json_rate")
_F1: Final = METRIC_NAMES.index("argument_f1")


@dataclass(frozen=True, eq=False)
class Column:
    """Some rows of one arm, in the order of a cohort.

    Attributes:
        scores: the scored rows of the arm.
        rows: row indices into `scores`, shape (rows,).
    """

    scores: Scores
    rows: IntArray

    @cached_property
    def components(self) -> IntArray:
        """Numerator and denominator, shape (rows, metrics, 2)."""
        return self.scores.components[self.rows]

    @property
    def parsed(self) -> IntArray:
        """1 where the row's text parsed, else 0."""
        return self.components[:, _PARSED, 0]

    @property
    def gold_pairs(self) -> int:
        """Gold argument pairs of all rows: what F1's denominators hold beside the predicted pairs."""
        if self.scores.gold_pairs is not None:
            return int(self.scores.gold_pairs[self.rows].sum())
        calls = (self.scores.parsed[row].call for row in self.rows)
        predicted = sum(count_pairs(call.arguments) for call in calls if call is not None)
        return int(self.components[:, _F1, 1].sum()) - predicted

    def prompt_digests(self) -> list[str | None]:
        """The digest of each row's rendered prompt, None where it is not known."""
        return [self.scores.prompt_sha256[row] for row in self.rows.tolist()]


@dataclass(frozen=True, eq=False)
class Cohort:
    """The examples that two columns share, row by row.

    Attributes:
        first: baseline, or the reference language.
        second: candidate, or the target language.
        names: what the two are called in a report.
        roots: the root of each row; every clustered statistic works on them (D8).
    """

    first: Column
    second: Column
    names: tuple[str, str]
    roots: Roots

    def __len__(self) -> int:
        return len(self.first.rows)

    def select(self, places: IntArray) -> Cohort:
        """The rows at `places` of this cohort, in its order."""
        ordered = np.sort(places)
        return Cohort(
            Column(self.first.scores, self.first.rows[ordered]),
            Column(self.second.scores, self.second.rows[ordered]),
            self.names,
            self.roots.select(ordered),
        )

    @property
    def prompt_set_sha256(self) -> str | None:
        """The digest over the ordered prompts, None where they are unknown or not the same on both sides."""
        first, second = self.first.prompt_digests(), self.second.prompt_digests()
        return digest_prompts(first) if first == second else None


def pair_arms(baseline: Scores, candidate: Scores) -> Cohort:
    """Join two arms by example id; rows come out in the order of their ids.

    Raises:
        DuplicateId: an id stands on two rows of one arm.
        IdMismatch: one arm has an id that the other lacks.
        Incomparable: a shared id has another root or slice label on the other side.
    """
    first = _index_ids(baseline, arm="baseline")
    second = first if candidate.ids == baseline.ids else _index_ids(candidate, arm="candidate")
    _require_equal_sets(first, second)
    ids = sorted(first)
    rows = [list(map(places.__getitem__, ids)) for places in (first, second)]
    roots = [baseline.roots[row] for row in rows[0]]
    _require_agreement("root", ids, roots, [candidate.roots[row] for row in rows[1]])
    labels = [baseline.labels[row] for row in rows[0]]
    _require_agreement("slice label", ids, labels, [candidate.labels[row] for row in rows[1]])
    left, right = (
        Column(scores, np.array(places, dtype=np.int64))
        for scores, places in zip((baseline, candidate), rows, strict=True)
    )
    return Cohort(left, right, ("baseline", "candidate"), number_roots(roots))


def digest_prompts(digests: Sequence[str | None]) -> str | None:
    """One digest over ordered prompt digests; None when no prompt is known.

    >>> digest_prompts([None, None]) is None
    True
    """
    return None if digests.count(None) == len(digests) else sha256_json(list(digests))


def places_by_label(labels: Sequence[str | None]) -> dict[str, IntArray]:
    r"""Where each label stands, in the order of the labels; None is in no slice.

    Labels are told apart as Python tells texts apart: numpy's texts forget zero characters at their end.

    >>> {label: places.tolist() for label, places in places_by_label(["fr", None, "en\0", "en"]).items()}
    {'en': [3], 'en\x00': [2], 'fr': [0]}
    """
    names = list(dict.fromkeys(labels))
    numbers = {name: number for number, name in enumerate(names)}
    codes = np.fromiter(map(numbers.__getitem__, labels), dtype=np.int64, count=len(labels))
    return {
        label: np.flatnonzero(codes == numbers[label])
        for label in sorted(name for name in names if name is not None)
    }


def count_pairs(arguments: Mapping[str, Any]) -> int:
    """How many pairs an arguments object flattens to: its leaves, an empty container being one.

    >>> count_pairs({"city": "Oslo", "tags": ["a", "b"], "options": {}}), count_pairs({})
    (4, 1)
    """
    leaves, pending = 0, [arguments]
    while pending:
        value: Any = pending.pop()
        if isinstance(value, Mapping) and value:
            pending.extend(value.values())
        elif isinstance(value, (list, tuple)) and value:
            pending.extend(value)
        else:
            leaves += 1
    return leaves


def _index_ids(scores: Scores, *, arm: str) -> dict[str, int]:
    places = {key: row for row, key in enumerate(scores.ids)}
    if len(places) < len(scores.ids):
        row = next(row for row, key in enumerate(scores.ids) if places[key] != row)
        key = scores.ids[row]
        raise DuplicateId(
            f"the {arm} has the id {key!r} on rows {row + 1} and {scores.ids.index(key, row + 1) + 1}",
            hint="give every example its own id",
        )
    return places


def _require_equal_sets(first: Mapping[str, int], second: Mapping[str, int]) -> None:
    if first is second or first.keys() == second.keys():
        return
    told = [
        f"{len(only)} only in the {arm}, first {only[0]!r}"
        for arm, mine, others in (("baseline", first, second), ("candidate", second, first))
        if (only := [key for key in mine if key not in others])
    ]
    if told:
        raise IdMismatch(
            f"the arms have different examples: {'; '.join(told)}",
            hint="compare arms that answered the same set",
        )


def _require_agreement(
    what: str, ids: Sequence[str], first: Sequence[str | None], second: Sequence[str | None]
) -> None:
    if first != second:
        rows = zip(ids, first, second, strict=True)
        key, ours, theirs = next(row for row in rows if row[1] != row[2])
        raise Incomparable(
            f"example {key!r} has the {what} {ours!r} in the baseline and {theirs!r} in the candidate",
            hint="both arms must come from the same examples",
        )
