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
from faircall.generating.memory import MemoryWatch, watch_memory
from faircall.generating.sequential import Clock
from faircall.parsing.tool_call import parse_generations
from faircall.pipeline.arm_request import ArmRequest, open_backend
from faircall.pipeline.arms import ArmFacts, load_prompts
from faircall.pipeline.conditions import journal_conditions
from faircall.pipeline.finish_arm import ArmOutcome, finish_arm, finished_entries, outcome_of, write_artifacts
from faircall.pipeline.kept_arm import find_kept
from faircall.pipeline.prompts import PromptSet, example_of
from faircall.pipeline.repeat_check import News, check_here, finish_check, require_repeatable
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
    news: News = lambda line: None,
) -> ArmOutcome:
    """Generate what is missing of an arm and finish it; one that is finished already is left as it is.

    A finished one needs no backend: neither its server nor its stored answers have to be there any more.
    A repeat check comes after that, so it may also be asked of an arm that is finished; `news` hears of its
    ways as they begin.

    Raises:
        UsageError: a repeat check of stored answers.
        EvaluationError: generations of other conditions are there already, or model and prompts do not fit.
        InvariantViolation: a prompt is not the one that its digest names.
    """
    prompts = load_prompts(run, config, limit=request.limit)
    if (kept := find_kept(run, config, request, prompts)) is not None:
        return kept
    # Before the model is loaded, so that its weights count; workers have memories of their own.
    memory = None if request.engine else watch_memory()
    backend = open_backend(config, request)
    try:
        conditions = describe_conditions(backend, prompts, config=config, model_kind=request.model_kind)
        facts = ArmFacts(request.arm, request.model_kind, conditions)
        if request.repeats:
            require_repeatable(facts)
        work = _Work(backend, prompts, clock, listener, memory)
        outcome = _complete(run, config, facts, work)
        if not request.repeats:
            return outcome
        half = check_here(run, facts, request, backend=backend, prompts=prompts, news=news)
    finally:
        backend.close()
    finish_check(run, config, facts, request, half, news=news)
    return outcome_of(run, facts, generated=outcome.generated)


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
    clock: Clock
    listener: Listener
    memory: MemoryWatch | None


def _complete(run: RunFolder, config: Config, facts: ArmFacts, work: _Work) -> ArmOutcome:
    """Leave a finished arm as it is, unless it has failed generations: those are asked for again."""
    finished = finished_entries(run, facts)
    if finished is not None and all(entry.generation.failure is None for entry in finished):
        run.journal_file(facts.arm).unlink(missing_ok=True)
        return outcome_of(run, facts, generated=0)
    work.backend.check(list(work.prompts))
    return _generate(run, config, facts, work, kept=finished or [])


def _generate(
    run: RunFolder, config: Config, facts: ArmFacts, work: _Work, *, kept: list[Entry]
) -> ArmOutcome:
    total = sum(len(rows) for rows in work.prompts.slices.values())
    journal_file = run.journal_file(facts.arm)
    with open_journal(journal_file, facts.conditions) as journal:
        journal.adopt(kept)
        known = len(journal)
        finished = answer_prompts(
            work.backend,
            work.prompts.slices,
            journal=journal,
            clock=work.clock,
            listener=_watch(work, total, session=journal.sessions),
        )
        memory = work.memory.measure() if work.memory else None
        write_artifacts(run, facts, finished, memory=memory)
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


def _as_json(value: Mapping[str, Any]) -> dict[str, Any]:
    """The value as it will be read back: tuples are lists."""
    decoded: dict[str, Any] = json.loads(canonical_json(value))
    return decoded
