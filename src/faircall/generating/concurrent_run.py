"""The run against a server or a pool of workers: several prompts in flight, each journalled as it comes."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from queue import Empty, SimpleQueue
from typing import TypeAlias

from faircall.generating.backend import Backend
from faircall.generating.batched_run import Task, answer_one, plan_batches
from faircall.generating.journal import Entry, Journal, TimedAnswer
from faircall.generating.sequential import Clock, Listener, SequentialRun, Slices
from faircall.generating.workers.worker_pool import WorkerPool

_Answer: TypeAlias = Callable[[Sequence[Task]], list[TimedAnswer]]
_Outcome: TypeAlias = list[TimedAnswer] | BaseException


def generate_concurrently(
    backend: Backend,
    slices: Slices,
    *,
    journal: Journal,
    clock: Clock,
    in_flight: int,
    listener: Listener = lambda entry: None,
) -> SequentialRun:
    """Answer every prompt that the journal does not hold yet, `in_flight` at a time; no warm-up call.

    Answers are journalled in the order in which they come, and the run lists them in slice and prompt order,
    so files do not depend on who was faster. The listener is called from this thread only.
    """
    batches = _one_by_one(slices)
    entries = _run(
        slices, batches, journal, in_flight=in_flight, listener=listener, answer=_timed(backend, clock)
    )
    return SequentialRun(entries, _sessions(entries), 0, None, mode="served", in_flight=in_flight)


def generate_distributed(
    pool: WorkerPool, slices: Slices, *, journal: Journal, listener: Listener = lambda entry: None
) -> SequentialRun:
    """The same with a pool of workers, each timing what it answers; journal, order and batches stay here."""
    batches = plan_batches(pool, slices) if pool.batch_size > 1 else _one_by_one(slices)
    entries = _run(slices, batches, journal, in_flight=pool.in_flight, listener=listener, answer=pool.answer)
    return SequentialRun(
        entries,
        _sessions(entries),
        0,
        None,
        mode="distributed",
        in_flight=pool.in_flight * pool.batch_size,
        synchronisation=pool.synchronisation,
    )


def _one_by_one(slices: Slices) -> list[list[Task]]:
    return [[(name, prompt)] for name, prompts in slices.items() for prompt in prompts]


def _run(
    slices: Slices,
    batches: Iterable[Sequence[Task]],
    journal: Journal,
    *,
    in_flight: int,
    listener: Listener,
    answer: _Answer,
) -> tuple[Entry, ...]:
    """A batch of which one answer is missing is answered whole, and only what is missing is kept."""
    tasks: deque[Sequence[Task]] = deque()
    for batch in batches:
        known = [journal.find(name, prompt.example_id) for name, prompt in batch]
        if None in known:
            tasks.append(batch)
        for entry in known:
            if entry is not None:
                listener(entry)
    _answer_all(tasks, journal=journal, in_flight=in_flight, listener=listener, answer=answer)
    found = [journal.find(name, prompt.example_id) for name, prompts in slices.items() for prompt in prompts]
    return tuple(entry for entry in found if entry is not None)


def _sessions(entries: Sequence[Entry]) -> int:
    return max((entry.session for entry in entries), default=1)


def _timed(backend: Backend, clock: Clock) -> _Answer:
    return lambda batch: [answer_one(backend, *task, clock=clock) for task in batch]


def _answer_all(
    tasks: deque[Sequence[Task]],
    *,
    journal: Journal,
    in_flight: int,
    listener: Listener,
    answer: _Answer,
) -> None:
    left = len(tasks)
    outcomes: SimpleQueue[_Outcome] = SimpleQueue()

    def work() -> None:
        while True:
            try:
                batch = tasks.popleft()
            except IndexError:
                return
            try:
                outcomes.put(answer(batch))
            except BaseException as error:
                outcomes.put(error)
                return

    try:
        for _ in range(min(in_flight, left)):
            threading.Thread(target=work, daemon=True).start()
        while left:
            arrived = _take_all(outcomes)
            answered = [outcome for outcome in arrived if not isinstance(outcome, BaseException)]
            for entry in journal.append_all(_missing(answered, journal)):
                listener(entry)
            left -= len(answered)
            for outcome in arrived:
                if isinstance(outcome, BaseException):
                    raise outcome
    finally:
        tasks.clear()  # after an error or an interruption nobody starts another prompt


def _missing(answered: Iterable[Sequence[TimedAnswer]], journal: Journal) -> list[TimedAnswer]:
    answers = (answer for answers in answered for answer in answers)
    return [a for a in answers if journal.find(a.slice_name, a.generation.example_id) is None]


def _take_all(outcomes: SimpleQueue[_Outcome]) -> list[_Outcome]:
    """What has arrived, at least one: together they cost one write to the disk."""
    arrived = [outcomes.get()]
    try:
        while True:
            arrived.append(outcomes.get_nowait())
    except Empty:
        return arrived
