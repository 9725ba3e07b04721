"""The options of verbs that can spread their work over an engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from faircall.errors import UsageError

if TYPE_CHECKING:
    from faircall.generating.workers.engine import EngineRequest

EngineName: TypeAlias = Annotated[
    str | None, typer.Option("--engine", metavar="NAME", help="Spread the work over workers: ray.")
]
Workers: TypeAlias = Annotated[
    int | None, typer.Option("--workers", metavar="N", help="With --engine: how many workers.")
]
GpusPerWorker: TypeAlias = Annotated[
    float,
    typer.Option("--gpus-per-worker", metavar="G", help="With --engine: GPUs that each worker asks for."),
]
RayAddress: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--ray-address",
        metavar="ADDRESS",
        help="With --engine: HOST:PORT or auto; else $RAY_ADDRESS, else a cluster on this machine.",
    ),
]


def read_engine(
    name: str | None, *, workers: int | None = None, gpus: float = 0.0, address: str | None = None
) -> EngineRequest | None:
    """What the options say of an engine; None where none is asked for.

    Raises:
        UsageError: options of an engine without one, or counts that make no sense.
    """
    if name is None:
        given = {
            "--workers": workers is not None,
            "--gpus-per-worker": gpus != 0.0,
            "--ray-address": address is not None,
        }
        for flag in (flag for flag, is_given in given.items() if is_given):
            raise UsageError(f"{flag} goes with --engine", hint="add --engine ray")
        return None
    from faircall.generating.workers.engine import EngineRequest

    return EngineRequest(name, workers, gpus, address)
