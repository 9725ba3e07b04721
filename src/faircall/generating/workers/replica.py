"""One replica of a backend, as it lives in a worker's process: opened from the very request of the driver."""

from __future__ import annotations

import contextlib
import os
import platform
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from faircall.generating.accelerator import synchronised, tell_synchronisation
from faircall.generating.backend import (
    BACKENDS,
    Backend,
    BackendRequest,
    BatchedBackend,
    Description,
    ServedBackend,
)
from faircall.generating.batched_run import Task, answer_batch, answer_one
from faircall.generating.journal import TimedAnswer
from faircall.records import Prompt


class Software(NamedTuple):
    """What both ends of a connection must have in the same version."""

    faircall: str
    python: str


@dataclass(frozen=True, slots=True)
class ReplicaFacts:
    """What a replica states once it is open.

    Attributes:
        description: the conditions under which it answers.
        in_flight: calls that it takes at a time.
        software: what it runs on.
        place: the name of its machine.
        batch_size: prompts that it answers in one pass; 1 is no batching.
        synchronisation: how its device is waited for; None where that is not told.
    """

    description: Description
    in_flight: int
    software: Software
    place: str = ""
    batch_size: int = 1
    synchronisation: str | None = None


def installed_software() -> Software:
    """The versions in this process; of Python the feature release, by which pickles and wheels go."""
    package = sys.modules[__name__.partition(".")[0]]  # an import would reach for the layers above
    return Software(package.__version__, ".".join(platform.python_version_tuple()[:2]))


class Replica:
    """A backend in a process of its own."""

    def __init__(self) -> None:
        """Load nothing yet, so that a worker that finds no model can still say so."""
        self._backend: Backend | None = None

    def open(self, backend: str, request: BackendRequest, folder: str) -> ReplicaFacts:
        """Open the backend, in the driver's `folder` if it is here: paths then mean what they mean there."""
        with contextlib.suppress(OSError):
            os.chdir(folder)
        self._backend = opened = BACKENDS.get(backend)(request)
        in_flight = opened.in_flight if isinstance(opened, ServedBackend) else 1
        return ReplicaFacts(
            opened.describe(),
            in_flight,
            installed_software(),
            platform.node(),
            batch_size=opened.batch_size if isinstance(opened, BatchedBackend) else 1,
            synchronisation=tell_synchronisation(opened),
        )

    def check(self, prompts: Sequence[Prompt]) -> None:
        """Refuse prompts that cannot be answered honestly."""
        self._opened.check(prompts)

    def measure(self, prompts: Sequence[Prompt]) -> list[int]:
        """Tokens of each prompt, for the plan of the batches."""
        backend = self._opened
        assert isinstance(backend, BatchedBackend)  # the driver asks replicas that have batches
        return [backend.prompt_length(prompt) for prompt in prompts]

    def answer(self, batch: Sequence[Task]) -> list[TimedAnswer]:
        """Answer one prompt, or a batch in one pass, timed here: the way to the driver is left out."""
        backend, clock = self._opened, synchronised(self._opened, time.monotonic_ns)
        if isinstance(backend, BatchedBackend) and backend.batch_size > 1:
            return answer_batch(backend, batch, clock=clock)
        return [answer_one(backend, *task, clock=clock) for task in batch]

    def close(self) -> None:
        """Give back what the backend holds."""
        if self._backend is not None:
            self._backend.close()

    @property
    def _opened(self) -> Backend:
        assert self._backend is not None, "the driver opens a replica before it asks"
        return self._backend
