"""The examples behind a report, as its HTML page lists them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from faircall.api.stored import StoredResult
from faircall.canonical import canonical_json
from faircall.records import BINARY_METRIC_NAMES, METRIC_NAMES, Gold, Scores, ToolCall
from faircall.reporting.example_rows import Answer, ExampleRow, readable
from faircall.scoring.flatten import flatten_arguments
from faircall.scoring.match import count_pairs

MAX_PAIRS: Final = 200
"""A call with more arguments is not listed path by path: its text is shown, and that has to do."""

NO_CALL: Final = "no call"
_BINARY: Final = [METRIC_NAMES.index(name) for name in BINARY_METRIC_NAMES]


def example_rows(*arms: StoredResult) -> list[ExampleRow]:
    """One row per example in the order of the first arm, joined by id, with the answer of every arm."""
    first = arms[0]
    numbers = [{key: row for row, key in enumerate(arm.arm.scores.ids)} for arm in arms]
    slices = _slices_by_row(first.arm.scores)
    answers = [_answers(arm) for arm in arms]
    return [
        ExampleRow(
            example_id=key,
            slices=slices[row],
            asked=first.asked[row],
            name=_name(first.gold[row]),
            pairs=_pairs(first.gold[row]),
            answers=tuple(made[known[key]] for made, known in zip(answers, numbers, strict=True)),
            gold_text=_other_gold(first.gold[row]),
        )
        for row, key in enumerate(first.arm.scores.ids)
    ]


def _slices_by_row(scores: Scores) -> list[tuple[str, ...]]:
    found: list[list[str]] = [[] if label is None else [label] for label in scores.labels]
    for name, rows in scores.extra_slices.items():
        for row in rows.tolist():
            found[row].append(name)
    return [tuple(names) for names in found]


def _answers(result: StoredResult) -> list[Answer]:
    scores = result.arm.scores
    right: Sequence[Sequence[int]] = scores.components[:, _BINARY, 0].tolist()
    return [
        Answer(
            text=result.raw_texts[row],
            status=found.status,
            cause=scores.causes[row],
            span=found.span,
            right=tuple(right[row]),
            name=_names(found.all_calls),
            pairs=_pairs(found.call) if found.call else None,
            flags=_flags(scores, row),
        )
        for row, found in enumerate(scores.parsed)
    ]


def _name(gold: Gold) -> str:
    """The tool of a gold call; the tools of a gold that takes several, in order."""
    if isinstance(gold, ToolCall):
        return gold.name
    written = gold.to_dict()
    return ", ".join(str(call.get("name")) for call in written.get("calls", [written])) or NO_CALL


def _names(calls: Sequence[ToolCall] | None) -> str | None:
    return None if calls is None else ", ".join(call.name for call in calls) or NO_CALL


def _other_gold(gold: Gold) -> str | None:
    return None if isinstance(gold, ToolCall) else readable(canonical_json(gold.to_dict()))


def _pairs(gold: Gold) -> Mapping[str, str] | None:
    """The arguments of one call by path; None where there are too many, or no single call."""
    if not isinstance(gold, ToolCall) or count_pairs(gold.arguments) > MAX_PAIRS:
        return None
    return flatten_arguments(gold.arguments)


def _flags(scores: Scores, row: int) -> tuple[str, ...]:
    known = {
        "truncated": row in scores.truncated,
        "backend failed": row in scores.backend_failed,
        "more JSON behind the call": scores.parsed[row].trailing_json,
    }
    return tuple(name for name, holds in known.items() if holds)
