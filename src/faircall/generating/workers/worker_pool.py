"""A pool of workers that each hold one replica, seen as a backend: the driver asks, whoever is free answers.

driver threads --> answer(prompt) --> a free seat --> its worker --> TimedAnswer
                                          |
                      the worker is gone: the seat gets a new one, the prompt goes to another free seat

The pool decides nothing about order, journal or files. A seat whose workers keep dying ends the run, and so
does a worker whose conditions differ: what was answered is in the driver's journal.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import Any, Final

from faircall.errors import EnvironmentProblem
from faircall.generating.backend import BackendRequest, Description
from faircall.generating.batched_run import Task
from faircall.generating.journal import TimedAnswer
from faircall.generating.workers.agreement import (
    pooled_description,
    require_local_sources,
    require_same_description,
    require_same_software,
)
from faircall.generating.workers.engine import Engine, Worker, WorkerLost
from faircall.generating.workers.replica import ReplicaFacts
from faircall.records import Generation, Prompt

MAX_LOSSES: Final = 3
"""So many workers may die at one seat, or under one prompt, without an answer in between."""


_PATIENCE: Final = 5.0  # seconds for a thread that opens a worker to see that it is gone


@dataclass(eq=False)
class Seat:
    """A place for one worker. `request` is what its replica is opened from, `share` how many prompts it takes
    at a time, where the backend could take more."""

    number: int
    request: BackendRequest
    share: int = 1
    worker: Worker | None = None
    opening: Worker | None = None
    losses: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def name(self) -> str:
        """How messages call it."""
        return f"worker {self.number + 1}"


@dataclass(frozen=True, slots=True)
class _Free:
    """A seat that can take a prompt, with the worker that it had when it became free."""

    seat: Seat
    worker: Worker


class WorkerPool:
    """All seats of one arm. `answer` may be called from `in_flight` threads at a time."""

    def __init__(self, engine: Engine, backend: str, seats: Sequence[Seat], *, base_urls: Sequence[str] = ()):
        """Open the first replica, and then the others behind the scenes; all servers of a pool at once.

        Raises:
            EvaluationError: the first replica is not what this machine knows of the arm, or servers differ.
            EnvironmentProblem: its workers keep dying.
        """
        self._engine, self._backend, self._seats, self._base_urls = engine, backend, seats, base_urls
        self._free: SimpleQueue[_Free | BaseException] = SimpleQueue()
        self._facts: ReplicaFacts | None = None
        self._lengths: dict[str, int] = {}
        self._closed = False
        self._failure: BaseException | None = None
        self._openers: list[threading.Thread] = []
        self._open(seats[0])
        for seat in seats[1:]:
            self._open_later(seat)
        if len(base_urls) > 1:  # to ask a server what it serves costs nothing
            self._wait_for_all()

    @property
    def in_flight(self) -> int:
        """How many prompts may be under way at a time."""
        return sum(min(seat.share, self._first.in_flight) for seat in self._seats)

    @property
    def batch_size(self) -> int:
        """How many prompts a replica answers in one pass."""
        return self._first.batch_size

    @property
    def synchronisation(self) -> str | None:
        """How a replica's device is waited for; None where that is not told."""
        return self._first.synchronisation

    @property
    def _first(self) -> ReplicaFacts:
        assert self._facts is not None  # the first replica is open
        return self._facts

    @property
    def workers(self) -> int:
        """How many replicas there are when all are open."""
        return len(self._seats)

    def describe(self) -> Description:
        """The conditions of every replica."""
        return pooled_description(self._first.description, self._base_urls)

    def check(self, prompts: Sequence[Prompt]) -> None:
        """All replicas are alike, so one of them checks the prompts, and measures them for batches."""
        self._run("check", list(prompts), what="the check of the prompts")
        if self.batch_size > 1:
            lengths = self._run("measure", list(prompts), what="the lengths of the prompts")
            self._lengths = {p.prompt_sha256: n for p, n in zip(prompts, lengths, strict=True)}

    def prompt_length(self, prompt: Prompt) -> int:
        """Tokens of a prompt that was checked."""
        return self._lengths[prompt.prompt_sha256]

    def generate(self, prompt: Prompt) -> Generation:
        """The answer of whoever is free."""
        return self.answer([("", prompt)])[0].generation

    def answer(self, batch: Sequence[Task]) -> list[TimedAnswer]:
        """The answers of whoever is free, timed by the worker: of one prompt, or of a batch in one pass.

        Raises:
            EnvironmentProblem: workers keep dying, at one seat or under this prompt.
            EvaluationError: a worker's conditions differ.
        """
        first = batch[0][1].example_id
        over = repr(first) if len(batch) == 1 else f"the batch of {first!r}"
        answered: list[TimedAnswer] = self._run("answer", list(batch), what=over)
        return answered

    def close(self) -> None:
        """End all workers; whoever waits for one is told."""
        self._closed = True
        self._free.put(_closed())
        for seat in self._seats:
            with seat.lock:
                if seat.opening is not None:
                    seat.opening.stop()
                if seat.worker is not None:
                    seat.worker.release()
        for opener in self._openers:
            opener.join(_PATIENCE)
        self._engine.close()

    def _run(self, method: str, *arguments: Any, what: str) -> Any:
        for _ in range(MAX_LOSSES):
            free = self._take()
            try:
                result = free.worker.call(method, *arguments)
            except WorkerLost as lost:
                last = lost
                self._replace(free, lost)
                continue
            except BaseException:
                self._free.put(free)
                raise
            free.seat.losses = 0
            self._free.put(free)
            return result
        raise EnvironmentProblem(
            f"{MAX_LOSSES} workers died over {what}, last: {last}",
            hint="look at the memory of the machines; what was answered is kept, the same command goes on",
        )

    def _take(self) -> _Free:
        """The next free seat; an error that ends the run is for everybody."""
        while True:
            item = self._free.get()
            if isinstance(item, BaseException):
                self._free.put(item)
                raise item
            if item.seat.worker is item.worker:  # else that worker is gone, and the seat will come again
                return item

    def _replace(self, free: _Free, lost: WorkerLost) -> None:
        """Give a seat another worker, once for each that is lost."""
        with free.seat.lock:
            if self._closed or free.seat.worker is not free.worker:
                return
            free.seat.worker = None
        try:
            _count_loss(free.seat, lost)
        except EnvironmentProblem as ended:
            self._fail(ended)
        else:
            self._open_later(free.seat)

    def _open_later(self, seat: Seat) -> None:
        def work() -> None:
            try:
                self._open(seat)
            except BaseException as error:
                self._fail(error)

        self._openers.append(threading.Thread(target=work, daemon=True))
        self._openers[-1].start()

    def _wait_for_all(self) -> None:
        for opener in self._openers:
            opener.join()
        if self._failure is not None:
            raise self._failure

    def _fail(self, error: BaseException) -> None:
        """End the run: whoever asks next is told."""
        self._failure = error
        self._free.put(error)

    def _open(self, seat: Seat) -> None:
        """A worker with an open replica takes its seat, unless its conditions differ."""
        worker, facts = self._start(seat)
        try:
            self._require_fit(seat, facts)
        except BaseException:
            worker.stop()
            raise
        with seat.lock:
            seat.worker, seat.opening = worker, None
        for _ in range(min(seat.share, self._first.in_flight)):
            self._free.put(_Free(seat, worker))

    def _start(self, seat: Seat) -> tuple[Worker, ReplicaFacts]:
        while True:
            with seat.lock:
                if self._closed:
                    raise _closed()
                seat.opening = worker = self._engine.start(seat.number)
            try:
                return worker, worker.call("open", self._backend, seat.request, os.getcwd())
            except WorkerLost as lost:
                _count_loss(seat, lost)
            except BaseException:
                worker.stop()
                raise

    def _require_fit(self, seat: Seat, facts: ReplicaFacts) -> None:
        name = f"{seat.name} on {facts.place}" if facts.place else seat.name
        require_same_software(facts, name=name)
        description = pooled_description(facts.description, self._base_urls)
        if self._facts is None:
            require_local_sources(description, seat.request)
            self._facts = facts
        require_same_description(self.describe(), description, name=name)


def _closed() -> EnvironmentProblem:
    return EnvironmentProblem("the pool of workers is closed")


def _count_loss(seat: Seat, lost: WorkerLost) -> None:
    seat.losses += 1
    if seat.losses >= MAX_LOSSES:
        raise EnvironmentProblem(
            f"{seat.name} died {seat.losses} times in a row, last: {lost}",
            hint="look at the memory of the machines; what was answered is kept, the same command goes on",
        )


def open_pool(
    engine: Callable[[], Engine], backend: str, seats: Sequence[Seat], *, base_urls: Sequence[str] = ()
) -> WorkerPool:
    """Start an engine and a pool on it; when the pool cannot be opened, the engine is closed again."""
    started = engine()
    try:
        return WorkerPool(started, backend, seats, base_urls=base_urls)
    except BaseException:
        started.close()
        raise
