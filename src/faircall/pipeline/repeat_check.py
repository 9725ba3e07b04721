"""eval run --repeat-check: prompts of a finished arm answered again, in every way that its backend allows.

The arm is finished before the first repeat, so a check that fails or is stopped costs no answer; a check of
an arm that was finished long ago is the same work.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from faircall.config import Config
from faircall.errors import UsageError
from faircall.generating.backend import BACKENDS, SAMPLED, Backend, Description
from faircall.generating.repeating.fresh_process import FreshTask, repeat_afresh
from faircall.generating.repeating.repeats import (
    RepeatedWay,
    RepeatPlan,
    choose_prompts,
    plan_way,
    repeat_here,
)
from faircall.generating.telemetry import NO_DEVICE
from faircall.pipeline.arm_request import ArmRequest, plan_backend
from faircall.pipeline.arms import ArmFacts
from faircall.pipeline.finish_arm import finish_arm
from faircall.pipeline.generations import read_generations
from faircall.pipeline.prompts import PromptSet
from faircall.pipeline.repeat_record import bind_record
from faircall.records import Generation
from faircall.store.layout import RunFolder

News: TypeAlias = Callable[[str], None]
_FRESH: Final = "fresh"


@dataclass(frozen=True, slots=True)
class HalfChecked:
    """A check after the ways of this process: what came of them, and what is left for a new one."""

    ways: Mapping[str, RepeatedWay]
    fresh: RepeatPlan | None
    earlier: Mapping[str, Generation]
    description: Description


def require_repeatable(facts: ArmFacts) -> None:
    """Refuse to repeat what is no answer of a model.

    Raises:
        UsageError: the arm replays stored answers.
    """
    if facts.conditions["backend"].get("device") == NO_DEVICE:
        raise UsageError(
            f"arm {facts.arm!r} replays stored answers; to repeat them would say nothing about a model",
            hint="leave out --repeat-check, or let a model answer",
        )


def check_here(
    run: RunFolder,
    facts: ArmFacts,
    request: ArmRequest,
    *,
    backend: Backend,
    prompts: PromptSet,
    news: News = lambda line: None,
) -> HalfChecked:
    """Repeat prompts of a finished arm in this process. Prompts whose answer failed are not chosen."""
    answers = _stored_answers(run, facts)
    chosen = choose_prompts([p for p in prompts if p.example_id in answers], request.repeats)
    backend.check(chosen)
    earlier = {prompt.example_id: answers[prompt.example_id] for prompt in chosen}
    sampled = facts.conditions["decoding"].get("strategy") == SAMPLED
    plans = {
        way: plan_way(way, backend, prompts.slices, chosen=chosen, sampled=sampled)
        for way in request.repeat_ways
    }
    ways = {}
    for way, plan in plans.items():
        if isinstance(plan, str):
            ways[way] = RepeatedWay("not_possible", "", plan)
        elif way != _FRESH:
            news(_announce(plan, earlier))
            ways[way] = repeat_here(backend, plan, earlier=earlier)
    fresh = plans.get(_FRESH)
    return HalfChecked(ways, None if isinstance(fresh, str) else fresh, earlier, backend.describe())


def finish_check(
    run: RunFolder,
    config: Config,
    facts: ArmFacts,
    request: ArmRequest,
    half: HalfChecked,
    *,
    news: News = lambda line: None,
) -> None:
    """Repeat in a new process, after the backend of this one gave back its memory; then store and report."""
    ways = dict(half.ways)
    if half.fresh is not None:
        news(_announce(half.fresh, half.earlier))
        opener, opened = BACKENDS.get(request.backend), plan_backend(config, request)
        ways[_FRESH] = repeat_afresh(FreshTask(opener, opened, half.description, half.fresh, half.earlier))
    record = {
        "asked": request.repeats,
        "compared": _tell_compared(facts.conditions),
        "ways": {way: done.to_dict() for way, done in ways.items()},
    }
    finish_arm(run, config, facts, repeats=bind_record(record, conditions=facts.conditions))


def _announce(plan: RepeatPlan, earlier: Mapping[str, Generation]) -> str:
    return f"repeat check of {len(earlier)} prompts: {plan.how}"


def _stored_answers(run: RunFolder, facts: ArmFacts) -> dict[str, Generation]:
    files = [run.generations_file(facts.arm, name) for name in facts.conditions["prompts"]["sets"]]
    rows = [row for file in files for row in read_generations(file)]
    return {row.example_id: row for row in rows if row.failure is None}


def _tell_compared(conditions: Mapping[str, Any]) -> str:
    """What stands against what: under sampling it matters whether the seeds are those of the run."""
    if conditions["decoding"].get("strategy") != SAMPLED:
        return "greedy answers"
    sent = conditions["backend"].get("sent") or {}
    if conditions["backend"].get("device") == "server" and "seed" not in sent:
        return f"answers drawn again ({SAMPLED}); no seed was sent, so they are expected to differ"
    return f"answers drawn under the same seeds ({SAMPLED})"
