"""The repeat check: some prompts are answered again, in ways of which each could change a token.

same      this process once more, in the order of the run
fresh     a new process that opens the backend anew
permuted  this process, in the reverse order: what one prompt leaves behind would reach others
batched   in batches where the run answered one by one, and the other way round
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from faircall.digest import sha256_text
from faircall.errors import FaircallError
from faircall.generating.backend import Backend, BatchedBackend, ScheduledBackend, ServedBackend
from faircall.generating.batched_run import plan_batches
from faircall.generating.journal import generation_to_dict
from faircall.generating.repeating.divergence import Divergence, locate_divergence
from faircall.generating.sequential import Slices
from faircall.records import Generation, Prompt

WAYS: Final = ("same", "fresh", "permuted", "batched")
BATCH: Final = 8
"""Prompts in a batch of the way `batched`, where the run itself had no batches."""

Status: TypeAlias = Literal["made", "not_possible", "failed"]


@dataclass(frozen=True, slots=True)
class Repeat:
    """One prompt answered again, and where that answer leaves the first one."""

    generation: Generation
    divergence: Divergence | None

    def to_dict(self) -> dict[str, Any]:
        """The form in artifacts."""
        divergence = None if self.divergence is None else self.divergence.to_dict()
        return {"generation": generation_to_dict(self.generation), "divergence": divergence}


@dataclass(frozen=True, slots=True)
class RepeatPlan:
    """What is sent in one way: batches in their order, each in one pass if `together`, else one by one."""

    how: str
    batches: tuple[tuple[Prompt, ...], ...]
    together: bool = False


@dataclass(frozen=True, slots=True)
class RepeatedWay:
    """The outcome of one way; `reason` says why it is not possible or what failed."""

    status: Status
    how: str
    reason: str | None = None
    repeats: tuple[dict[str, Any], ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The form in artifacts."""
        return {
            "status": self.status,
            "how": self.how,
            "reason": self.reason,
            "repeats": list(self.repeats),
        }


def choose_prompts(prompts: Sequence[Prompt], count: int) -> list[Prompt]:
    """`count` prompts, in their own order, by the SHA-256 of their ids: chosen by nobody."""
    by_hash = sorted(prompts, key=lambda prompt: sha256_text(f"repeat-check|{prompt.example_id}"))
    kept = {prompt.example_id for prompt in by_hash[:count]}
    return [prompt for prompt in prompts if prompt.example_id in kept]


def plan_way(
    way: str, backend: Backend, slices: Slices, *, chosen: Sequence[Prompt], sampled: bool
) -> RepeatPlan | str:
    """What one way sends to a backend; where it is not possible, the reason.

    Args:
        way: one of `WAYS`.
        backend: the one that answered.
        slices: all prompts of the run: they decide which prompts share a batch.
        chosen: the prompts to repeat, in the order of the run.
        sampled: whether answers are drawn, each under a seed of its own.
    """
    if not chosen:
        return "the run has no answer that could be repeated"
    if way == "batched":
        return _plan_other_batches(backend, chosen, sampled=sampled)
    usual = _plan_as_in_run(backend, slices, chosen)
    if way != "permuted":
        where = "a new process" if way == "fresh" else "the same process"
        return RepeatPlan(f"{where}, {usual.how}", usual.batches, usual.together)
    if len(usual.batches) < 2:
        return f"one {'batch' if usual.together else 'prompt'} has one order only"
    how = f"the same process, {usual.how}, in the reverse order"
    return RepeatPlan(how, usual.batches[::-1], usual.together)


def _plan_as_in_run(backend: Backend, slices: Slices, chosen: Sequence[Prompt]) -> RepeatPlan:
    """Batches are those of the run, whole, since who shares a batch can change a token."""
    if isinstance(backend, BatchedBackend) and backend.batch_size > 1:
        wanted = {prompt.example_id for prompt in chosen}
        batches = [tuple(prompt for _, prompt in batch) for batch in plan_batches(backend, slices)]
        kept = [batch for batch in batches if wanted & {prompt.example_id for prompt in batch}]
        return RepeatPlan(f"the run's own batches of up to {backend.batch_size}", tuple(kept), together=True)
    how = "one by one"
    if isinstance(backend, ServedBackend) and backend.in_flight > 1:
        how = f"up to {backend.in_flight} requests in flight"
    return RepeatPlan(how, tuple((prompt,) for prompt in chosen))


def _plan_other_batches(backend: Backend, chosen: Sequence[Prompt], *, sampled: bool) -> RepeatPlan | str:
    if isinstance(backend, ServedBackend):
        return "the server decides which requests share a batch"
    if not isinstance(backend, BatchedBackend):
        return "the backend answers one prompt at a time"
    if sampled and not isinstance(backend, ScheduledBackend):
        return "sampled.v1 has no batches: each answer is drawn under a seed of its own"
    if backend.batch_size > 1:
        how = f"one by one, where the run had batches of up to {backend.batch_size}"
        return RepeatPlan(how, tuple((prompt,) for prompt in chosen))
    if len(chosen) < 2:
        return "one prompt makes no batch"
    size = min(len(chosen), BATCH)
    batches = [
        tuple(prompt for _, prompt in batch) for batch in plan_batches(backend, {"": chosen}, size=size)
    ]
    return RepeatPlan(
        f"batches of up to {size}, where the run went one by one", tuple(batches), together=True
    )


def repeat_here(backend: Backend, plan: RepeatPlan, *, earlier: Mapping[str, Generation]) -> RepeatedWay:
    """Carry out a plan in this process; an error of the backend ends this way, not the check."""
    try:
        repeats = repeat_answers(backend, plan, earlier=earlier)
    except FaircallError as fault:
        return RepeatedWay("failed", plan.how, fault.message)
    return RepeatedWay("made", plan.how, None, tuple(repeat.to_dict() for repeat in repeats))


def repeat_answers(backend: Backend, plan: RepeatPlan, *, earlier: Mapping[str, Generation]) -> list[Repeat]:
    """The answers to the prompts that have one in `earlier`, in its order; others only fill a batch."""
    answers = {answer.example_id: answer for answer in _answer(backend, plan)}
    return [
        Repeat(answers[name], _locate(first, answers[name], backend))
        for name, first in earlier.items()
        if name in answers
    ]


def _answer(backend: Backend, plan: RepeatPlan) -> list[Generation]:
    prompts = [prompt for batch in plan.batches for prompt in batch]
    if plan.together and isinstance(backend, BatchedBackend):
        return [answer for batch in plan.batches for answer in backend.generate_batch(batch)]
    if isinstance(backend, ServedBackend) and backend.in_flight > 1:
        with ThreadPoolExecutor(backend.in_flight) as pool:
            return list(pool.map(backend.generate, prompts))
    return [backend.generate(prompt) for prompt in prompts]


def _locate(first: Generation, again: Generation, backend: Backend) -> Divergence | None:
    return None if again.failure is not None else locate_divergence(first, again, backend=backend)
