"""Scores: the components of every example of one arm, by column."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from faircall.canonical import spell
from faircall.digest import sha256_json, sha256_text
from faircall.errors import InvariantViolation
from faircall.records import Example, Generation, Gold, Parsed, Scores
from faircall.scoring.call_metrics import components
from faircall.scoring.match import CallMatch
from faircall.scoring.protocols.protocol import Protocol
from faircall.scoring.protocols.single_call import PROTOCOL as SINGLE_CALL
from faircall.scoring.protocols.single_call import gold_of

if TYPE_CHECKING:
    from faircall.records import IntArray

TRUNCATED_FINISH_REASONS: Final = frozenset(("length", "max_tokens", "max_new_tokens", "model_length"))


def score_rows(
    examples: Sequence[Example],
    generations: Sequence[Generation],
    parsed: Sequence[Parsed],
    *,
    slice_keys: Sequence[str] = (),
    protocol: Protocol = SINGLE_CALL,
) -> Scores:
    """Score one arm: row i of each argument belongs to the same example.

    Args:
        examples: tasks with gold calls, ids unique.
        generations: what the arm answered, joined by id beforehand.
        parsed: what a reader found in each generation.
        slice_keys: keys of `Example.extra` that become further, overlapping slices `key=value`.
        protocol: how a gold and what was read become components.

    Raises:
        InvariantViolation: the rows are not aligned.
        GoldMissing: an example without a gold call.
    """
    _require_aligned(examples, generations, parsed)
    golds = [truth_of(example) for example in examples]
    measured = measure_rows(examples, parsed, protocol=protocol)
    return Scores(
        ids=tuple(example.example_id for example in examples),
        roots=tuple(example.root for example in examples),
        labels=tuple(example.language for example in examples),
        components=measured.components,
        parsed=tuple(parsed),
        causes=measured.causes,
        gold_sha256=tuple(gold_digest(gold) for gold in golds),
        tasks_sha256=_task_digests(examples),
        prompt_sha256=tuple(generation.prompt_sha256 for generation in generations),
        extra_slices=_extra_slices(examples, slice_keys),
        truncated=frozenset(i for i, row in enumerate(generations) if is_truncated(row)),
        backend_failed=frozenset(i for i, row in enumerate(generations) if row.failure is not None),
        gold_pairs=None if protocol is SINGLE_CALL else _gold_pairs(measured.matches),
    )


class MeasuredRows(NamedTuple):
    """What is measured per row: the match, components of shape (rows, len(METRIC_NAMES), 2), causes."""

    matches: list[CallMatch]
    components: IntArray
    causes: tuple[str | None, ...]


def measure_rows(
    examples: Sequence[Example], parsed: Sequence[Parsed], *, protocol: Protocol = SINGLE_CALL
) -> MeasuredRows:
    """Hold each answer against its gold; the cause of a full match is None."""
    matches = [protocol.match(*row) for row in zip(examples, parsed, strict=True)]
    causes = (
        None if match.full else protocol.cause(example, found)
        for match, example, found in zip(matches, examples, parsed, strict=True)
    )
    return MeasuredRows(matches, components(matches), tuple(causes))


def gold_digest(gold: Gold) -> str:
    """SHA-256 of a gold's canonical JSON, in hexadecimal."""
    return sha256_text(spell(gold.to_dict()))


def _gold_pairs(matches: Sequence[CallMatch]) -> IntArray:
    return np.array([match.gold_pairs for match in matches], dtype=np.int64)


def is_truncated(generation: Generation) -> bool:
    """Whether the generation stopped at the token limit, by its finish reason."""
    return stops_at_limit(generation.finish_reason or "")


def stops_at_limit(finish_reason: str) -> bool:
    """Whether a finish reason says that the generation stopped at the token limit."""
    return finish_reason.lower() in TRUNCATED_FINISH_REASONS


def _require_aligned(
    examples: Sequence[Example], generations: Sequence[Generation], parsed: Sequence[Parsed]
) -> None:
    if not len(examples) == len(generations) == len(parsed):
        counts = f"{len(examples)} examples, {len(generations)} generations, {len(parsed)} parses"
        raise InvariantViolation(f"rows are not aligned: {counts}")
    for example, generation in zip(examples, generations, strict=True):
        if example.example_id != generation.example_id:
            both = f"{example.example_id!r} and {generation.example_id!r}"
            raise InvariantViolation(f"rows are not aligned: {both} share a place")


def truth_of(example: Example) -> Gold:
    """What an example is scored against: the gold of a declared protocol, else the gold call.

    Raises:
        GoldMissing: it has neither.
    """
    return gold_of(example) if example.truth is None else example.truth


def _task_digests(examples: Iterable[Example]) -> tuple[str | None, ...]:
    """One digest per task of its messages and tools; the query stands for messages that are not known.

    Where messages are known the query adds nothing that a model reads: some writers repeat it, some do not.
    """
    known: dict[int, str] = {}  # many examples share one list of tools
    digests: list[str | None] = []
    for example in examples:
        if example.tools is not None and id(example.tools) not in known:
            known[id(example.tools)] = sha256_json(list(example.tools))
        task: Mapping[str, Any] = {
            "messages": list(example.messages) if example.messages is not None else None,
            "query": example.query if example.messages is None else None,
            "tools_sha256": known[id(example.tools)] if example.tools is not None else None,
        }
        digests.append(sha256_json(task) if any(part is not None for part in task.values()) else None)
    return tuple(digests)


def _extra_slices(examples: Sequence[Example], keys: Sequence[str]) -> dict[str, IntArray]:
    found: dict[str, list[int]] = {}
    for index, example in enumerate(examples):
        for key in keys:
            if key in example.extra:
                found.setdefault(f"{key}={example.extra[key]}", []).append(index)
    return {name: np.array(rows, dtype=np.int64) for name, rows in sorted(found.items())}
