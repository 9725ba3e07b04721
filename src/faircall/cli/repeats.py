"""The options of the repeat check, and what they say."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from faircall.errors import UsageError

if TYPE_CHECKING:
    from faircall.store.layout import RunFolder

WAYS_HELP = "How to repeat, of same,fresh,permuted,batched; all of them when left out."

Repeats: TypeAlias = Annotated[
    int,
    typer.Option("--repeat-check", metavar="K", min=0, help="Answer K prompts again and compare."),
]
RepeatIn: TypeAlias = Annotated[str | None, typer.Option("--repeat-in", metavar="WAYS", help=WAYS_HELP)]


def warn_of_older_report(run: RunFolder) -> None:
    """A report of the run that was made before the check does not tell of it."""
    from faircall.store.manifest import stage_is_done

    if stage_is_done(run, "report"):
        print(
            f"faircall: warning: the report of run {run.run_id} was made before this check; make it again",
            file=sys.stderr,
        )


def read_ways(written: str | None, *, count: int) -> tuple[str, ...]:
    """The ways that `--repeat-in` names, in their usual order; all of them when it is not given.

    Raises:
        UsageError: a way that there is not, or nothing to repeat.

    >>> read_ways("permuted,same", count=5)
    ('same', 'permuted')
    """
    from faircall.generating.repeating.repeats import WAYS

    if written is None:
        return WAYS
    if count == 0:
        raise UsageError("--repeat-in goes with --repeat-check", hint="for example --repeat-check 59")
    named = [name.strip() for name in written.split(",")]
    for name in named:
        if name not in WAYS:
            raise UsageError(f"there is no way {name!r} to repeat", hint=f"ways: {', '.join(WAYS)}")
    return tuple(way for way in WAYS if way in named)
