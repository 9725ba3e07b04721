"""The run against a server: several prompts in flight, each journalled as soon as it is answered."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import TypeAlias

from faircall.generating.backend import Backend
from faircall.generating.journal import Journal, TimedAnswer
from faircall.generating.sequential import Clock, Listener, SequentialRun, Slices
from faircall.records import Prompt

_Outcome: TypeAlias = TimedAnswer | BaseException


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
    tasks: deque[tuple[str, Prompt]] = deque()
    for name, prompts in slices.items():
        for prompt in prompts:
            entry = journal.find(name, prompt.example_id)
            if entry is None:
                tasks.append((name, prompt))
            else:
                listener(entry)
    _answer_all(tasks, journal=journal, in_flight=in_flight, listener=listener, answer=_timed(backend, clock))
    found = [journal.find(name, prompt.example_id) for name, prompts in slices.items() for prompt in prompts]
    entries = tuple(entry for entry in found if entry is not None)
    sessions = max((entry.session for entry in entries), default=1)
    return SequentialRun(entries, sessions, 0, None, mode="served", in_flight=in_flight)


def _timed(backend: Backend, clock: Clock) -> Callable[[str, Prompt], TimedAnswer]:
    def answer(name: str, prompt: Prompt) -> TimedAnswer:
        started = clock()
        generation = backend.generate(prompt)
        return TimedAnswer(name, generation, clock() - started)

    return answer


def _answer_all(
    tasks: deque[tuple[str, Prompt]],
    *,
    journal: Journal,
    in_flight: int,
    listener: Listener,
    answer: Callable[[str, Prompt], TimedAnswer],
) -> None:
    left = len(tasks)
    outcomes: SimpleQueue[_Outcome] = SimpleQueue()

    def work() -> None:
        while True:
            try:
                name, prompt = tasks.popleft()
            except IndexError:
                return
            try:
                outcomes.put(answer(name, prompt))
            except BaseException as error:
                outcomes.put(error)
                return

    try:
        for _ in range(min(in_flight, left)):
            threading.Thread(target=work, daemon=True).start()
        while left:
            arrived = _take_all(outcomes)
            answered = [outcome for outcome in arrived if isinstance(outcome, TimedAnswer)]
            for entry in journal.append_all(answered):
                listener(entry)
            left -= len(answered)
            for outcome in arrived:
                if isinstance(outcome, BaseException):
                    raise outcome
    finally:
        tasks.clear()  # after an error or an interruption nobody starts another prompt


def _take_all(outcomes: SimpleQueue[_Outcome]) -> list[_Outcome]:
    """What has arrived, at least one: together they cost one write to the disk."""
    arrived = [outcomes.get()]
    try:
        while True:
            arrived.append(outcomes.get_nowait())
    except Empty:
        return arrived
