"""What an engine is: whatever starts workers in other processes or on other machines, and talks to them.

An engine knows nothing of prompts, journals or files. It starts a worker that holds one replica of a backend
(`replica.py`), runs one method of it at a time, and says when the worker is gone.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Protocol, TypeAlias

from faircall.errors import UsageError
from faircall.registry import Registry


@dataclass(frozen=True, slots=True)
class EngineRequest:
    """Which engine, and what of it. `workers` None: one for each server of a pool, else one.

    Attributes:
        name: the engine.
        workers: replicas of the backend.
        gpus_per_worker: whole GPUs, or a part of one.
        address: the cluster; None is the one that the environment names, else one made here for this run.
    """

    name: str
    workers: int | None = None
    gpus_per_worker: float = 0.0
    address: str | None = None

    def __post_init__(self) -> None:
        if self.workers is not None and self.workers < 1:
            raise UsageError(f"{self.workers} workers: at least 1 is needed")
        gpus = self.gpus_per_worker
        if not (0 <= gpus < math.inf):
            raise UsageError(
                f"{gpus:g} GPUs per worker", hint="0, a part of one such as 0.5, or a whole number"
            )
        if gpus > 1 and gpus != round(gpus):
            raise UsageError(
                f"{gpus:g} GPUs per worker: above one GPU there are no parts", hint="for example 0.5, 1 or 2"
            )


@dataclass(frozen=True, slots=True)
class WorkerNeeds:
    """What one worker takes of its machine. `calls`: how many methods may run in it at a time."""

    cpus: float
    gpus: float = 0.0
    calls: int = 1


class WorkerLost(Exception):
    """A worker's process or machine is gone; what it was doing was not done."""


class Worker(Protocol):
    """One worker; `call` may be used from several threads."""

    def call(self, method: str, *arguments: Any) -> Any:
        """Run one method of the worker's replica and wait for what it returns.

        Raises:
            WorkerLost: the worker is gone.
            FaircallError: what the method raised.
        """
        ...

    def release(self) -> None:
        """Ask the replica to close, without waiting: what it holds outside its process goes with it."""
        ...

    def stop(self) -> None:
        """End the worker's process, whatever it is doing."""
        ...


class Engine(Protocol):
    """Starts workers."""

    def start(self, number: int) -> Worker:
        """Ask for worker `number`; its first call waits until it has found a place."""
        ...

    def close(self) -> None:
        """Give released workers a moment and stop them; a cluster that was there before stays."""
        ...


EngineOpener: TypeAlias = Callable[[EngineRequest, int, WorkerNeeds], Engine]
"""Takes the request, how many workers there will be, and what each of them needs."""

ENGINES: Final[Registry[EngineOpener]] = Registry(
    "engine",
    builtin={"ray": "faircall.generating.workers.ray_workers:open_ray"},
    entry_points="faircall.engines",
)
