"""eval run: one arm answers the stored prompts, journalled; then files, telemetry, report and manifest."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import monotonic_ns
from typing import Any, TypeAlias

from faircall.canonical import canonical_json
from faircall.config import Config
from faircall.generating.answering import answer_prompts
from faircall.generating.backend import Backend
from faircall.generating.journal import Entry, open_journal
from faircall.generating.memory import measure_peaks
from faircall.generating.repeats import check_repeats
from faircall.generating.sequential import Clock, SequentialRun
from faircall.parsing.tool_call import parse_generations
from faircall.pipeline.arm_request import ArmRequest, open_backend
from faircall.pipeline.arms import ArmFacts, load_prompts
from faircall.pipeline.conditions import journal_conditions
from faircall.pipeline.finish_arm import ArmOutcome, finish_arm, finished_entries, outcome_of, write_artifacts
from faircall.pipeline.prompts import PromptSet, example_of
from faircall.store.layout import RunFolder


@dataclass(frozen=True, slots=True)
class Answered:
    """News of one answer, for whoever watches; `total` counts all answers, a `fresh` one is new."""

    entry: Entry
    total: int
    fresh: bool
    valid: bool
    matched: bool


Listener: TypeAlias = Callable[[Answered], None]


def evaluate_arm(
    run: RunFolder,
    config: Config,
    request: ArmRequest,
    *,
    clock: Clock = monotonic_ns,
    listener: Listener = lambda answered: None,
) -> ArmOutcome:
    """Generate what is missing of an arm and finish it; one that is finished already is left as it is.

    Raises:
        EvaluationError: generations of other conditions are there already, or model and prompts do not fit.
        InvariantViolation: a prompt is not the one that its digest names.
    """
    prompts = load_prompts(run, config, limit=request.limit)
    backend = open_backend(config, request)
    try:
        conditions = describe_conditions(backend, prompts, config=config, model_kind=request.model_kind)
        facts = ArmFacts(request.arm, request.model_kind, conditions)
        finished = finished_entries(run, facts)
        if finished is not None and not _needs_work(finished, request):
            run.journal_file(request.arm).unlink(missing_ok=True)
            return outcome_of(run, facts, generated=0)
        backend.check(list(prompts))
        return _generate(
            run, config, request, facts, _Work(backend, prompts, finished or [], clock, listener)
        )
    finally:
        backend.close()


def describe_conditions(
    backend: Backend, prompts: PromptSet, *, config: Config, model_kind: str
) -> dict[str, Any]:
    """The conditions under which a backend answers these prompts, as they are stored."""
    return _as_json(journal_conditions(backend.describe(), prompts, config=config, model_kind=model_kind))


@dataclass(frozen=True, slots=True)
class _Work:
    """What generating needs beside the request."""

    backend: Backend
    prompts: PromptSet
    finished: list[Entry]
    clock: Clock
    listener: Listener


def _generate(
    run: RunFolder, config: Config, request: ArmRequest, facts: ArmFacts, work: _Work
) -> ArmOutcome:
    total = sum(len(rows) for rows in work.prompts.slices.values())
    journal_file = run.journal_file(request.arm)
    with open_journal(journal_file, facts.conditions) as journal:
        journal.adopt(work.finished)
        known = len(journal)
        finished = answer_prompts(
            work.backend,
            work.prompts.slices,
            journal=journal,
            clock=work.clock,
            listener=_watch(work, total, session=journal.sessions),
        )
        repeats = _repeat(work, finished, request.repeats)
        memory = None if request.engine else measure_peaks()  # workers have memories of their own
        write_artifacts(run, facts, finished, repeats, memory=memory)
        finish_arm(run, config, facts)
        journal_file.unlink()
    return outcome_of(run, facts, generated=total - known)


def _watch(work: _Work, total: int, *, session: int) -> Callable[[Entry], None]:
    golds = {prompt.example_id: example_of(prompt).gold for prompt in work.prompts}

    def listen(entry: Entry) -> None:
        call = parse_generations([entry.generation])[0].call
        matched = call is not None and call == golds[entry.generation.example_id]
        fresh = entry.session == session
        work.listener(Answered(entry, total, fresh, call is not None, matched))

    return listen


def _repeat(work: _Work, finished: SequentialRun, count: int) -> dict[str, Any] | None:
    if count == 0:
        return None
    earlier = {entry.generation.example_id: entry.generation for entry in finished.entries}
    return check_repeats(work.backend, list(work.prompts), earlier=earlier, count=count)


def _needs_work(finished: list[Entry], request: ArmRequest) -> bool:
    """Failed generations are asked for again, and a repeat check is work as well."""
    return request.repeats > 0 or any(entry.generation.failure is not None for entry in finished)


def _as_json(value: Mapping[str, Any]) -> dict[str, Any]:
    """The value as it will be read back: tuples are lists."""
    decoded: dict[str, Any] = json.loads(canonical_json(value))
    return decoded
