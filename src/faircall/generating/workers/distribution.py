"""Which workers an arm gets: how many, what each needs, and which server each of them asks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from faircall.errors import UsageError
from faircall.generating.backend import BackendRequest
from faircall.generating.servers.server_settings import ServerSettings
from faircall.generating.workers.engine import ENGINES, EngineRequest, WorkerNeeds
from faircall.generating.workers.worker_pool import Seat, WorkerPool, open_pool

_ANY_SHARE: Final = 1 << 20


def open_workers(backend: str, request: BackendRequest, engine: EngineRequest) -> WorkerPool:
    """The replicas of an arm on an engine.

    Raises:
        UsageError: there are fewer workers than servers.
        ConfigError: there is no such engine.
    """
    opener = ENGINES.get(engine.name)
    seats = plan_seats(request, engine.workers)
    needs = needs_of(request, engine, seats)
    server = request.options.get("server")
    base_urls = server.base_urls if isinstance(server, ServerSettings) else ()
    return open_pool(lambda: opener(engine, len(seats), needs), backend, seats, base_urls=base_urls)


def plan_seats(request: BackendRequest, workers: int | None) -> list[Seat]:
    """One seat for each worker; those of a server share its limits.

    Raises:
        UsageError: there are more servers than workers.
    """
    server = request.options.get("server")
    if not isinstance(server, ServerSettings):
        return [Seat(number, request, share=_ANY_SHARE) for number in range(workers or 1)]
    urls = server.base_urls
    count = workers or len(urls)
    if count < len(urls):
        raise UsageError(f"{count} workers for {len(urls)} servers", hint="every server needs a worker")
    return [_seat_at(number, request, server, urls, count) for number in range(count)]


def _seat_at(
    number: int, request: BackendRequest, server: ServerSettings, urls: Sequence[str], count: int
) -> Seat:
    place = number % len(urls)
    sharers = len(range(place, count, len(urls)))
    own = replace(
        server,
        base_url=urls[place],
        mirrors=(),
        requests_per_minute=_part(server.requests_per_minute, sharers),
        tokens_per_minute=_part(server.tokens_per_minute, sharers),
    )
    share = max(1, server.in_flight // sharers)
    return Seat(number, replace(request, options={**request.options, "server": own}), share=share)


def _part(limit: int | None, sharers: int) -> int | None:
    return None if limit is None else max(1, limit // sharers)


def needs_of(request: BackendRequest, engine: EngineRequest, seats: Sequence[Seat]) -> WorkerNeeds:
    """What each worker takes: a model its threads and GPUs, a client of a server next to nothing."""
    server: Any = request.options.get("server")
    if isinstance(server, ServerSettings):
        return WorkerNeeds(0.0, engine.gpus_per_worker, calls=max(seat.share for seat in seats))
    return WorkerNeeds(float(request.threads), engine.gpus_per_worker)
