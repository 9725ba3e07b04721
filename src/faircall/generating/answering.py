"""Which way prompts are answered: told by what the backend can do."""

from __future__ import annotations

from faircall.generating.backend import Backend, BatchedBackend, ScheduledBackend, ServedBackend
from faircall.generating.batched_run import generate_in_batches
from faircall.generating.concurrent_run import generate_concurrently, generate_distributed
from faircall.generating.journal import Journal
from faircall.generating.sequential import Clock, Listener, SequentialRun, Slices, generate_sequentially
from faircall.generating.workers.worker_pool import WorkerPool


def answer_prompts(
    backend: Backend,
    slices: Slices,
    *,
    journal: Journal,
    clock: Clock,
    listener: Listener = lambda entry: None,
) -> SequentialRun:
    """Answer every prompt that the journal does not hold yet: one by one, in batches or in flight."""
    if isinstance(backend, WorkerPool):
        return generate_distributed(backend, slices, journal=journal, listener=listener)
    if isinstance(backend, BatchedBackend) and backend.batch_size > 1:
        mode = "engine" if isinstance(backend, ScheduledBackend) else "batched"
        return generate_in_batches(
            backend, slices, journal=journal, clock=clock, listener=listener, mode=mode
        )
    if isinstance(backend, ServedBackend):
        return generate_concurrently(
            backend,
            slices,
            journal=journal,
            clock=clock,
            in_flight=backend.in_flight,
            listener=listener,
        )
    return generate_sequentially(backend, slices, journal=journal, clock=clock, listener=listener)
