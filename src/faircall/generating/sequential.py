"""The sequential run: one prompt after the other, each timed on its own and journalled before the next."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from faircall.generating.accelerator import synchronised, tell_synchronisation
from faircall.generating.backend import Backend
from faircall.generating.journal import Entry, Journal
from faircall.records import Prompt

Slices: TypeAlias = Mapping[str, Sequence[Prompt]]
Clock: TypeAlias = Callable[[], int]
Listener: TypeAlias = Callable[[Entry], None]


@dataclass(frozen=True, slots=True)
class SequentialRun:
    """All entries in slice and prompt order, how many sessions wrote them, and what the warm-up call did.

    `mode` says how prompts were answered: sequential, served, batched or engine, up to `in_flight` at once;
    `synchronisation` how the device was waited for, None where the contract of the mode says it.
    """

    entries: tuple[Entry, ...]
    sessions: int
    warm_up_calls: int
    warm_up_failure: str | None
    mode: str = "sequential"
    in_flight: int = 1
    synchronisation: str | None = None


def generate_sequentially(
    backend: Backend,
    slices: Slices,
    *,
    journal: Journal,
    clock: Clock,
    listener: Listener = lambda entry: None,
) -> SequentialRun:
    """Answer every prompt that the journal does not hold yet.

    One untimed warm-up call on the first prompt of the first slice comes first and is discarded. Each
    interval spans exactly one `generate` call, its device waited for at both ends; loading, parsing and
    writing lie outside.

    Args:
        backend: answers the prompts.
        slices: prompts by slice, in the order in which they run.
        journal: receives every generation, and tells which are already there.
        clock: monotonic time in nanoseconds.
        listener: hears of every entry, those found in the journal included.
    """
    pending = any(
        journal.find(name, p.example_id) is None for name, prompts in slices.items() for p in prompts
    )
    failure = _warm_up(backend, slices) if pending else None
    read_clock = synchronised(backend, clock)
    entries = []
    for name, prompts in slices.items():
        for prompt in prompts:
            entry = journal.find(name, prompt.example_id) or _generate_one(
                backend, prompt, slice_name=name, journal=journal, clock=read_clock
            )
            entries.append(entry)
            listener(entry)
    sessions = max((entry.session for entry in entries), default=1)
    how = tell_synchronisation(backend)
    return SequentialRun(tuple(entries), sessions, int(pending), failure, synchronisation=how)


def _warm_up(backend: Backend, slices: Slices) -> str | None:
    first = next(prompt for prompts in slices.values() for prompt in prompts)
    return backend.generate(first).failure


def _generate_one(
    backend: Backend, prompt: Prompt, *, slice_name: str, journal: Journal, clock: Clock
) -> Entry:
    started = clock()
    generation = backend.generate(prompt)
    duration_ns = clock() - started
    return journal.append(slice_name, generation, duration_ns=duration_ns)
