"""One replica of a backend, as it lives in a worker's process: opened from the very request of the driver."""

from __future__ import annotations

import contextlib
import os
import platform
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from faircall.generating.backend import BACKENDS, Backend, BackendRequest, Description, ServedBackend
from faircall.generating.journal import TimedAnswer
from faircall.records import Prompt


class Software(NamedTuple):
    """What both ends of a connection must have in the same version."""

    faircall: str
    python: str


@dataclass(frozen=True, slots=True)
class ReplicaFacts:
    """What a replica states once it is open. `in_flight`: prompts that it takes at a time."""

    description: Description
    in_flight: int
    software: Software
    place: str = field(default="")


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
        return ReplicaFacts(opened.describe(), in_flight, installed_software(), platform.node())

    def check(self, prompts: Sequence[Prompt]) -> None:
        """Refuse prompts that cannot be answered honestly."""
        self._opened.check(prompts)

    def answer(self, slice_name: str, prompt: Prompt) -> TimedAnswer:
        """Answer one prompt, timed where it is answered: the way to the driver and back is left out."""
        started = time.monotonic_ns()
        generation = self._opened.generate(prompt)
        return TimedAnswer(slice_name, generation, time.monotonic_ns() - started)

    @property
    def _opened(self) -> Backend:
        assert self._backend is not None, "the driver opens a replica before it asks"
        return self._backend
