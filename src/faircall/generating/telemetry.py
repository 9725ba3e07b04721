"""inference_telemetry.json: what one arm's sequential run cost, and the boundary of that measurement.

Source of the contract: the seed's bounded inference-efficiency evidence. It is a single-stream scenario:
no batched throughput, no kernel timing, no service-level latency, no invoice.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from faircall.generating.journal import Entry
from faircall.generating.sequential import SequentialRun

SCHEMA: Final = "faircall.inference_telemetry.v1"
UNSTATED: Final = "left to the backend, which states none"
CONTRACT: Final[Mapping[str, Any]] = {
    "name": "faircall.sequential.v1",
    "scenario": "single stream: one request in flight, batch of one",
    "measure": "sum of monotonic wall-clock intervals around single generate calls, in nanoseconds",
    "included": ["prompt tokenisation", "transfer to the device", "generation", "decoding of the new tokens"],
    "excluded": ["model load", "warm-up", "parsing", "artifact reading and writing"],
    "warm_up": "one untimed call on the first prompt of the first slice, output discarded",
    "concurrency": 1,
    "device_synchronisation": UNSTATED,
}

SERVED: Final[Mapping[str, Any]] = {
    "name": "faircall.served.v1",
    "scenario": "requests to a server, several in flight",
    "measure": "monotonic wall-clock interval around each request, waits included, in nanoseconds",
    "included": [
        "network",
        "the server's queue and batching",
        "limits per minute",
        "retries and their waits",
    ],
    "excluded": ["parsing", "artifact reading and writing"],
    "warm_up": "none",
    "device_synchronisation": "the server's affair",
}

BATCHED: Final[Mapping[str, Any]] = {
    "name": "faircall.batched.v1",
    "scenario": "batches of prompts in one process",
    "measure": "monotonic wall-clock interval of each batch divided by its size, in nanoseconds",
    "included": CONTRACT["included"],
    "excluded": CONTRACT["excluded"],
    "warm_up": "none",
    "device_synchronisation": CONTRACT["device_synchronisation"],
}
ENGINE: Final[Mapping[str, Any]] = {
    **BATCHED,
    "name": "faircall.engine.v1",
    "scenario": "chunks of prompts, handed to an engine that schedules each chunk by itself",
    "measure": "monotonic wall-clock interval of each chunk divided by its size, in nanoseconds",
    "device_synchronisation": UNSTATED,
}
SHARDED: Final[Mapping[str, Any]] = {
    "name": "faircall.sharded.v1",
    "scenario": "prompts spread over processes that may have run on different machines",
    "measure": "the interval of each prompt in its own process, in nanoseconds",
    "included": "what the process of the shard measured",
    "excluded": CONTRACT["excluded"],
    "warm_up": "one in each process, where its backend has one",
    "device_synchronisation": "that of each process",
}
DISTRIBUTED: Final[Mapping[str, Any]] = {
    "name": "faircall.distributed.v1",
    "scenario": "prompts spread by an engine over workers, each with a replica, maybe on several machines",
    "measure": "the interval of each prompt in its worker, of a batch divided by its size, in nanoseconds",
    "included": "what the backend does for one prompt; its workers may share machines",
    "excluded": ["the way to the worker and back", "waiting for a free worker", *CONTRACT["excluded"]],
    "warm_up": "none",
    "device_synchronisation": "that of each worker's backend",
}
NO_DEVICE: Final = "none"  # what a backend states that replays answers
_CONTRACTS: Final = {
    "sequential": CONTRACT,
    "served": SERVED,
    "batched": BATCHED,
    "engine": ENGINE,
    "sharded": SHARDED,
    "distributed": DISTRIBUTED,
}
_MODES: Final = {
    "served": "up to {} requests were in flight at a server",
    "batched": "batches of up to {}",
    "engine": "an engine scheduled chunks of up to {} prompts by itself",
    "sharded": "the run was merged from {} shards",
    "distributed": "an engine kept up to {} prompts in flight over its workers",
}


@dataclass(frozen=True, slots=True)
class Allocation:
    """The compute that the arm was given: what makes times of two arms comparable, or not."""

    device: str
    threads: int | None
    configured_gpus: int = 0

    def to_dict(self) -> dict[str, Any]:
        """The form in the telemetry."""
        return {"device": self.device, "threads": self.threads, "configured_gpus": self.configured_gpus}


def build_telemetry(
    run: SequentialRun,
    *,
    allocation: Allocation,
    decoding: Mapping[str, Any],
    memory: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The telemetry of a finished run. A resumed run has times of several processes and is marked so.

    `memory` are the peaks of the process that finished it, None where no process generated anything.
    """
    rows = [_example(entry) for entry in run.entries]
    resumed = run.sessions > 1
    reasons = _why_not_comparable(run, allocation)
    return {
        "schema_version": SCHEMA,
        "contract": contract_of(run),
        "allocation": allocation.to_dict(),
        "decoding": dict(decoding),
        "sessions": run.sessions,
        "resumed": resumed,
        "cross_comparable": not reasons,
        "cross_comparable_reason": "; ".join(reasons) or None,
        "warm_up": {"calls": run.warm_up_calls, "failure": run.warm_up_failure},
        "overall": summarise(rows),
        "slices": {name: summarise(of_slice) for name, of_slice in by_slice(rows).items()},
        "examples": rows,
        "memory": None if memory is None else dict(memory),
    }


def by_slice(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Mapping[str, Any]]]:
    """The rows of each slice, slices in the order in which they come."""
    found: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        found.setdefault(row["slice"], []).append(row)
    return found


def contract_of(run: SequentialRun) -> dict[str, Any]:
    """What the times of a run are, by the way in which its prompts were answered."""
    stated = {**_CONTRACTS[run.mode], "concurrency": run.in_flight}
    if run.synchronisation is not None:
        stated["device_synchronisation"] = run.synchronisation
    return stated


def _why_not_comparable(run: SequentialRun, allocation: Allocation) -> list[str]:
    reasons = []
    if allocation.device == NO_DEVICE:
        reasons.append("stored answers were replayed, so the times are not those of a model")
    if run.sessions > 1:
        reasons.append("the run was resumed, so its times come from several processes")
    if run.mode != "sequential":
        reasons.append(_MODES[run.mode].format(run.in_flight))
    return reasons


def summarise(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Counts, tokens and times of some rows of `examples`: whole nanoseconds, and seconds as floats."""
    durations = sorted(row["duration_ns"] for row in rows)
    total = sum(durations)
    return {
        "examples": len(rows),
        "backend_failures": sum(row["failed"] for row in rows),
        "truncated": sum(row["finish_reason"] == "length" for row in rows),
        "prompt_tokens": _total([row["prompt_tokens"] for row in rows]),
        "new_tokens": _total([row["new_tokens"] for row in rows]),
        "total_ns": total,
        "seconds": total / 1e9,
        "seconds_per_example": total / 1e9 / len(rows) if rows else None,
        "mean_ns": round(Fraction(total, len(durations))) if durations else None,
        "median_ns": quantile(durations, 0.5),
        "p90_ns": quantile(durations, 0.9),
    }


def quantile(ordered: Sequence[int], share: float) -> int | None:
    """The nearest-rank quantile of an ascending sequence: always a value that was observed; None when empty.

    >>> quantile([10, 20, 30, 40], 0.5), quantile([10, 20, 30, 40], 0.9), quantile([], 0.5)
    (20, 40, None)
    """
    return ordered[math.ceil(share * len(ordered)) - 1] if ordered else None


def _total(counts: Sequence[int | None]) -> int | None:
    """A sum, or None when a count is not known: an unknown is no zero."""
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None


def _example(entry: Entry) -> dict[str, Any]:
    generation = entry.generation
    return {
        "example_id": generation.example_id,
        "slice": entry.slice_name,
        "duration_ns": entry.duration_ns,
        "session": entry.session,
        "prompt_tokens": generation.prompt_tokens,
        "new_tokens": generation.new_tokens,
        "finish_reason": generation.finish_reason,
        "failed": generation.failure is not None,
    }
