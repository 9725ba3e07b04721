"""The engine `ray`: every worker is an actor that holds one replica, placed by the resources it asks for."""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping
from typing import Any, Final

from faircall.errors import EnvironmentProblem, FaircallError
from faircall.generating.workers.engine import EngineRequest, WorkerLost, WorkerNeeds
from faircall.generating.workers.ray_cluster import Cluster, connect
from faircall.generating.workers.replica import Replica

_REASON_LENGTH: Final = 300
_CLOSING_SECONDS: Final = 5.0
_SILENT_SECONDS: Final = 30.0
_LOG: Final = logging.getLogger(__name__)


def open_ray(request: EngineRequest, workers: int, needs: WorkerNeeds) -> RayEngine:
    """Reach the cluster, or make one here.

    Raises:
        DependencyMissing: Ray is not installed.
        EnvironmentProblem: no such cluster, or it is too small for so many workers.
    """
    cpus = max(1, round(workers * needs.cpus))
    cluster = connect(request.address, cpus=cpus, purpose="--engine ray")
    try:
        _require_room(cluster, workers, needs)
    except BaseException:
        cluster.close()
        raise
    return RayEngine(cluster, needs)


def _require_room(cluster: Cluster, workers: int, needs: WorkerNeeds) -> None:
    """What the cluster does not have, nobody should wait for; what others use at the moment comes back."""
    for name, each in (("CPU", needs.cpus), ("GPU", needs.gpus)):
        there = cluster.resources.get(name, 0.0)
        if each * workers > there:
            raise EnvironmentProblem(
                f"{workers} x {each:g} {name} are needed, and the cluster has {there:g}",
                hint="give fewer --workers or --gpus-per-worker, or add machines first",
            )
    places = sum(_places_on(machine, needs) for machine in cluster.machines)
    if places < workers:
        raise EnvironmentProblem(
            f"{workers} workers with {needs.cpus:g} CPU and {needs.gpus:g} GPU each are asked for, and the "
            f"machines of the cluster have places for {places}",
            hint="a worker stays on one machine: lower --workers, --gpus-per-worker or eval.threads",
        )


def _places_on(machine: Mapping[str, float], needs: WorkerNeeds) -> float:
    """How many workers fit on one machine. A part of a GPU is a part of one and the same."""
    cpus = _fit(machine.get("CPU", 0.0), needs.cpus)
    gpus = machine.get("GPU", 0.0)
    if 0 < needs.gpus < 1:
        return min(cpus, gpus * _fit(1.0, needs.gpus))
    return min(cpus, _fit(gpus, needs.gpus))


def _fit(room: float, each: float) -> float:
    """How often a share goes into what there is: 0.1 goes into 1.0 ten times, whatever floats make of it."""
    return math.floor(room / each + 1e-9) if each else math.inf


class RayEngine:
    """Actors on one cluster."""

    def __init__(self, cluster: Cluster, needs: WorkerNeeds) -> None:
        """Take the cluster; it is left when the engine is closed."""
        self._cluster = cluster
        self._workers: list[RayWorker] = []
        self._actor = cluster.ray.remote(_Host).options(
            num_cpus=needs.cpus,
            num_gpus=needs.gpus,
            max_restarts=0,  # the pool replaces workers: it knows what a new one must agree with
            max_task_retries=0,
            max_concurrency=needs.calls,
            scheduling_strategy="SPREAD",
        )

    def start(self, number: int) -> RayWorker:
        """Ask for an actor."""
        self._workers.append(RayWorker(self._cluster.ray, self._actor.remote()))
        return self._workers[-1]

    def close(self) -> None:
        """Wait a little for what closes by itself, end all actors, and leave the cluster."""
        closing = [worker.closing for worker in self._workers if worker.closing is not None]
        if closing:
            self._cluster.ray.wait(closing, num_returns=len(closing), timeout=_CLOSING_SECONDS)
        for worker in self._workers:
            worker.stop()
        self._cluster.close()


class RayWorker:
    """An actor as a worker."""

    def __init__(self, ray: Any, actor: Any) -> None:
        """Take the handle."""
        self._ray, self._actor = ray, actor
        self._has_place = False
        self.closing: Any = None

    def call(self, method: str, *arguments: Any) -> Any:
        """Run a method there; a process or machine that is gone is a lost worker."""
        if not self._has_place:
            self._wait_for_place()
        try:
            result, error = self._ray.get(self._actor.run.remote(method, *arguments))
        except self._ray.exceptions.RayError as lost:
            raise WorkerLost(_describe(lost)) from None
        if error is not None:
            raise error
        return result

    def _wait_for_place(self) -> None:
        """Ray waits without a word where others use the machines; what goes wrong the next call tells."""
        ready = self._actor.__ray_ready__.remote()
        if not self._ray.wait([ready], timeout=_SILENT_SECONDS)[0]:
            _LOG.warning(
                "faircall: notice: others use the Ray cluster: no place for a worker in %g s; still waiting",
                _SILENT_SECONDS,
            )
        self._has_place = True

    def release(self) -> None:
        """Let the replica close: a model may have processes and devices of its own."""
        self.closing = self._actor.run.remote("close")

    def stop(self) -> None:
        """Kill the actor: it holds nothing that the driver does not have."""
        self._ray.kill(self._actor)


class _Host:
    """The actor. Errors travel as values: what Ray makes of an exception is no longer ours."""

    def __init__(self) -> None:
        """Start with a closed replica."""
        self._replica = Replica()

    def run(self, method: str, *arguments: Any) -> tuple[Any, Exception | None]:
        """What a method of the replica returns, or what it raised."""
        try:
            return getattr(self._replica, method)(*arguments), None
        except FaircallError as error:
            return None, error.with_traceback(None)
        except Exception as error:
            return None, RuntimeError(f"in a worker: {type(error).__name__}: {error}")


def _describe(lost: Exception) -> str:
    """The line that says how it ended; Ray's messages have many."""
    lines = [line.strip() for line in str(lost).splitlines() if line.strip()]
    told = next((line for line in lines if "exit" in line.lower() or "oom" in line.lower()), "")
    return (told or (lines or [type(lost).__name__])[0])[:_REASON_LENGTH]
