"""The batched run: prompts of like length together, each batch journalled with one wait for the disk."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeAlias

from faircall.generating.accelerator import synchronised, tell_synchronisation
from faircall.generating.backend import Backend, BatchedBackend
from faircall.generating.journal import Journal, TimedAnswer
from faircall.generating.sequential import Clock, Listener, SequentialRun, Slices
from faircall.records import Prompt

Task: TypeAlias = tuple[str, Prompt]


def generate_in_batches(
    backend: BatchedBackend,
    slices: Slices,
    *,
    journal: Journal,
    clock: Clock,
    listener: Listener = lambda entry: None,
    mode: str = "batched",
) -> SequentialRun:
    """Answer every prompt that the journal does not hold yet, batch by batch.

    Which prompts share a batch can change a token, so the batches are planned over all prompts, whatever the
    journal holds: a batch of which one answer is missing is generated whole, and only that answer is kept.
    Each answer is timed with its share of the batch. `mode` says what the times are called.
    """
    read_clock = synchronised(backend, clock)
    for batch in plan_batches(backend, slices):
        missing = [task for task in batch if journal.find(task[0], task[1].example_id) is None]
        answers = answer_batch(backend, batch, clock=read_clock) if missing else []
        journal.append_all(answer for answer, task in zip(answers, batch, strict=False) if task in missing)
        for name, prompt in batch:
            entry = journal.find(name, prompt.example_id)
            if entry is not None:
                listener(entry)
    found = [journal.find(name, prompt.example_id) for name, prompts in slices.items() for prompt in prompts]
    entries = tuple(entry for entry in found if entry is not None)
    sessions = max((entry.session for entry in entries), default=1)
    return SequentialRun(
        entries,
        sessions,
        0,
        None,
        mode=mode,
        in_flight=backend.batch_size,
        synchronisation=tell_synchronisation(backend),
    )


class Measurer(Protocol):
    """What a plan of batches needs to know."""

    @property
    def batch_size(self) -> int:
        """How many prompts make a full batch."""
        ...

    def prompt_length(self, prompt: Prompt) -> int:
        """Tokens of a prompt."""
        ...


def plan_batches(backend: Measurer, slices: Slices, *, size: int | None = None) -> list[list[Task]]:
    """All prompts, longest first (what does not fit into memory fails at once), cut into batches.

    Batches are of the backend's own size when none is given.
    """
    tasks = [(name, prompt) for name, prompts in slices.items() for prompt in prompts]
    tasks.sort(key=lambda task: (-backend.prompt_length(task[1]), task[1].example_id, task[0]))
    size = size or backend.batch_size
    return [tasks[start : start + size] for start in range(0, len(tasks), size)]


def answer_one(backend: Backend, slice_name: str, prompt: Prompt, *, clock: Clock) -> TimedAnswer:
    """One prompt alone, timed."""
    started = clock()
    generation = backend.generate(prompt)
    return TimedAnswer(slice_name, generation, clock() - started)


def answer_batch(backend: BatchedBackend, batch: Sequence[Task], *, clock: Clock) -> list[TimedAnswer]:
    """A batch in one pass; each answer has its share of the time."""
    started = clock()
    generations = backend.generate_batch([prompt for _, prompt in batch])
    share = (clock() - started) // len(batch)
    return [
        TimedAnswer(name, generation, share) for (name, _), generation in zip(batch, generations, strict=True)
    ]
