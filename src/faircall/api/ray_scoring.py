"""Parts of a table scored by Ray Data, on this machine or on a cluster."""

from __future__ import annotations

import logging
import os
import pickle
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

from faircall.api.partitioned import PartScorer, ScoredPart, Spread
from faircall.errors import EnvironmentProblem, UsageError
from faircall.generating.extras import load_library
from faircall.generating.workers.engine import EngineRequest
from faircall.generating.workers.ray_cluster import Cluster, connect
from faircall.store.partitions import Part

_PURPOSE: Final = "--engine ray"


def spread_with_ray(request: EngineRequest) -> Spread:
    """Score parts as tasks of Ray Data; a worker that dies is replaced by Ray, and its part scored again.

    Raises:
        UsageError: another engine.
    """
    if request.name != "ray":
        raise UsageError(f"{request.name!r} is no engine that scores", hint="--engine ray")
    return lambda score, parts: _score_all(request, score, parts)


def _score_all(request: EngineRequest, score: PartScorer, parts: Sequence[Part]) -> Iterator[ScoredPart]:
    cluster = connect(request.address, cpus=request.workers or os.cpu_count() or 1, purpose=_PURPOSE)
    try:
        data = load_library("ray.data", purpose=_PURPOSE)
        with _quiet(data):
            yield from _run(cluster, data, request, score, parts)
    finally:
        cluster.close()


def _run(
    cluster: Cluster, data: Any, request: EngineRequest, score: PartScorer, parts: Sequence[Part]
) -> Iterator[ScoredPart]:
    """Results travel as pickles in one column: what a table of Arrow would make of them is no concern."""

    def work(row: Mapping[str, Any]) -> dict[str, Any]:
        return {"number": row["number"], "scored": pickle.dumps(score(pickle.loads(row["part"])))}

    rows = [{"number": number, "part": pickle.dumps(part)} for number, part in enumerate(parts)]
    if not rows:
        return
    table = data.from_items(rows, override_num_blocks=len(rows))
    scored = table.map(work, num_cpus=1, concurrency=request.workers)
    expected = 0
    try:
        for row in scored.iter_rows():
            if row["number"] != expected:
                raise EnvironmentProblem("Ray Data gave parts in another order than they were asked for")
            expected += 1
            yield pickle.loads(row["scored"])
    except cluster.ray.exceptions.RayError as error:
        reason = (str(error).strip().splitlines() or [type(error).__name__])[-1][:300]
        raise EnvironmentProblem(
            f"Ray could not score a part: {reason}", hint="faircall must be installed on every machine"
        ) from None
    if expected != len(rows):
        raise EnvironmentProblem(f"Ray Data gave {expected} of {len(rows)} parts", hint="run it again")


@contextmanager
def _quiet(data: Any) -> Iterator[None]:
    """No bars and no plans on the terminal, and results in order; the context is put back as it was."""
    context = data.DataContext.get_current()
    options = context.execution_options
    names = ("enable_progress_bars", "print_on_execution_start")
    before = {name: getattr(context, name) for name in names if hasattr(context, name)}
    order, logger = options.preserve_order, logging.getLogger("ray.data")
    level = logger.level
    for name in before:
        setattr(context, name, False)
    options.preserve_order = True
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)
        options.preserve_order = order
        for name, value in before.items():
            setattr(context, name, value)
