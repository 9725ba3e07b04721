"""What a repeat check says: identical answers, first differences, and the metrics that moved with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from faircall.api.reading import read_generations as read_with
from faircall.errors import ArtifactInvalid
from faircall.generating.journal import generation_from_dict
from faircall.generating.repeating.divergence import same_answer, spoken_text
from faircall.pipeline.arms import StoredArm
from faircall.records import HEADLINE, METRIC_NAMES, Generation
from faircall.reporting import numbers
from faircall.scoring.scores import score_rows
from faircall.stats.clopper_pearson import rate_bound

_LEVEL: Final = 0.95


@dataclass(frozen=True, slots=True)
class _Pair:
    """A first answer and its repeat; `components` are (numerator, denominator) of both, per metric."""

    first: Generation
    again: Generation
    divergence: Mapping[str, Any] | None
    components: Mapping[str, tuple[tuple[int, int], tuple[int, int]]]

    @property
    def moved(self) -> dict[str, list[str]]:
        """The metrics whose component changed, with both components."""
        return {
            name: [numbers.counts(*first), numbers.counts(*again)]
            for name, (first, again) in self.components.items()
            if first != again
        }


def summarise_repeats(stored: StoredArm) -> dict[str, Any] | None:
    """The check of an arm, derived from the stored texts; None where no check was made."""
    record = stored.repeats
    if record is None:
        earlier_form: dict[str, Any] | None = stored.telemetry.get("repeat_check")
        return earlier_form
    return {
        "asked": record["asked"],
        "compared": record["compared"],
        "level": _LEVEL,
        "method": "one-sided Clopper-Pearson",
        "ways": {way: _summarise_way(stored, done) for way, done in record["ways"].items()},
    }


def _summarise_way(stored: StoredArm, done: Mapping[str, Any]) -> dict[str, Any]:
    told = {name: done[name] for name in ("status", "how", "reason")}
    if done["status"] != "made":
        return told
    again = [generation_from_dict(row["generation"]) for row in done["repeats"]]
    divergences = {row["generation"]["example_id"]: row["divergence"] for row in done["repeats"]}
    pairs = _pair(stored, [row for row in again if row.failure is None], divergences)
    failures = [{"example_id": row.example_id, "failure": row.failure} for row in again if row.failure]
    return {**told, **_count(pairs, failed=len(failures)), "failures": failures}


def _pair(
    stored: StoredArm, again: Sequence[Generation], divergences: Mapping[str, Mapping[str, Any] | None]
) -> list[_Pair]:
    """The repeats beside the first answers, read and scored as the run reads and scores."""
    if not again:
        return []
    place = {example.example_id: index for index, example in enumerate(stored.examples)}
    unknown = next((row.example_id for row in again if row.example_id not in place), None)
    if unknown is not None:
        problem = f"the repeat check holds an answer to {unknown!r}, which the arm does not have"
        raise ArtifactInvalid(problem, hint="make the check again")
    rows = [place[generation.example_id] for generation in again]
    examples, prompts = [stored.examples[row] for row in rows], list(stored.prompts)
    texts = [prompts[row].prompt_text for row in rows]
    read = read_with(examples, again, reader=stored.config.eval.reader, prompts=texts)
    after = score_rows(examples, again, read.parsed).components.tolist()
    before = stored.scores.components[rows].tolist()
    return [
        _Pair(stored.generations[row], generation, divergences[generation.example_id], _join(one, other))
        for row, generation, one, other in zip(rows, again, before, after, strict=True)
    ]


def _join(
    before: list[list[int]], after: list[list[int]]
) -> dict[str, tuple[tuple[int, int], tuple[int, int]]]:
    return {
        name: ((one[0], one[1]), (other[0], other[1]))
        for name, one, other in zip(METRIC_NAMES, before, after, strict=True)
    }


def _count(pairs: Sequence[_Pair], *, failed: int) -> dict[str, Any]:
    changed = [pair for pair in pairs if not same_answer(pair.first, pair.again)]
    flipped = sum(HEADLINE in pair.moved for pair in pairs)
    return {
        "repeated": len(pairs),
        "failed": failed,
        "identical": len(pairs) - len(changed),
        "text_changed": sum(_text_changed(pair) for pair in changed),
        "finish_changed": sum(pair.first.finish_reason != pair.again.finish_reason for pair in changed),
        "flip_rate_below": rate_bound(len(changed), len(pairs), level=_LEVEL),
        "full_match_flips": flipped,
        "full_match_flip_rate_below": rate_bound(flipped, len(pairs), level=_LEVEL),
        "metrics": {name: _count_metric(pairs, name) for name in METRIC_NAMES},
        "changed": [_describe(pair) for pair in changed],
        "words": describe_repeats(len(changed), len(pairs), failed=failed),
    }


def _count_metric(pairs: Sequence[_Pair], name: str) -> dict[str, int]:
    """How many components changed, and of these how many values rose or fell."""
    moves = [pair.components[name] for pair in pairs]
    steps = [_value(again) - _value(first) for first, again in moves]
    return {
        "changed": sum(first != again for first, again in moves),
        "up": sum(step > 0 for step in steps),
        "down": sum(step < 0 for step in steps),
    }


def _value(component: tuple[int, int]) -> Fraction:
    return Fraction(*component) if component[1] else Fraction(0)


def _text_changed(pair: _Pair) -> bool:
    return spoken_text(pair.first) != spoken_text(pair.again)


def _describe(pair: _Pair) -> dict[str, Any]:
    return {
        "example_id": pair.first.example_id,
        "text_equal": not _text_changed(pair),
        "finish_reason": [pair.first.finish_reason, pair.again.finish_reason],
        "divergence": _without_texts(pair.divergence),
        "metrics": pair.moved,
    }


def _without_texts(divergence: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Reports hold no text of a model: where answers part is told by place and token ids."""
    if divergence is None:
        return None
    sides = [divergence[side] for side in ("first", "again")]
    ids = [None if side is None else side["id"] for side in sides]
    return {"unit": divergence["unit"], "index": divergence["index"], "ids": ids}


def describe_repeats(changed: int, repeated: int, *, failed: int = 0) -> str:
    """One way of a check in words. A repeat that failed is no answer: it is neither identical nor a flip.

    >>> describe_repeats(0, 59), describe_repeats(1, 2, failed=1), describe_repeats(2, 2)
    ('59/59 identical (flip rate below 5%)', '1/2 identical (flip rate below 98%), 1 failed', '0/2 identical')
    """
    bound = numbers.rate_bound(rate_bound(changed, repeated, level=_LEVEL))
    told = f" (flip rate below {bound})" if changed < repeated else ""
    return f"{repeated - changed}/{repeated} identical{told}" + (f", {failed} failed" if failed else "")
