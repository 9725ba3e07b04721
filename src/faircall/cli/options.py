"""Arguments that several verbs share, spelt once."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final, TypeAlias

import typer

from faircall.errors import UsageError

Baseline: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="BASELINE",
        help="Rows of outputs (a file, or a quoted pattern, folder or URL of several), a `score -o` file, or "
        "the folder of an arm of a run; - is standard input.",
    ),
]
Candidate: TypeAlias = Annotated[
    str, typer.Argument(metavar="CANDIDATE", help="The same, of the arm in question.")
]
Gold: TypeAlias = Annotated[
    Path | None, typer.Option("--gold", metavar="FILE", help="Rows with the gold calls, joined by id.")
]
Maps: TypeAlias = Annotated[
    list[str] | None, typer.Option("--map", metavar="FIELD=COLUMN", help="Where a field is; repeatable.")
]
Labels: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--label", metavar="NAME", help="Name the arms: once for the baseline, once for the candidate."
    ),
]
Vary: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--vary",
        metavar="SECTION",
        help="What else was changed: model, prompt, quantization, decoding, backend or reader; repeatable.",
    ),
]
Reader: TypeAlias = Annotated[
    str,
    typer.Option(
        "--reader", metavar="NAME", help="How calls are found; `faircall readers list` has them all."
    ),
]
Protocol: TypeAlias = Annotated[
    str,
    typer.Option(
        "--protocol",
        metavar="NAME",
        help="How calls meet their gold: multi_call.v1, multi_call_ordered.v1 or accepted_values.v1.",
    ),
]
DEFAULT_PROTOCOL: Final = "faircall.call_metrics.v1"
ConfigFile: TypeAlias = Annotated[Path, typer.Option("--config", "-c", help="The config.")]
ConfigOfRun: TypeAlias = Annotated[Path, typer.Option("--config", "-c", help="The config of the run.")]
StartedRun: TypeAlias = Annotated[
    str | None, typer.Option("--run-id", help="A run of this config; the newest when left out.")
]
Level: TypeAlias = Annotated[
    float, typer.Option(min=0.5, max=0.9999, help="The confidence level of every interval.")
]
Resamples: TypeAlias = Annotated[int, typer.Option(min=1, help="Bootstrap resamples.")]
Seed: TypeAlias = Annotated[int, typer.Option(help="The seed of the bootstrap.")]


class Redacted(StrEnum):
    """What a page can leave out."""

    TEXTS = "texts"


Redact: TypeAlias = Annotated[
    Redacted | None,
    typer.Option(help="Keep prompts, outputs and argument values out of the HTML; counts stay."),
]


Forms: TypeAlias = Annotated[
    str,
    typer.Option(
        "--format",
        metavar="NAMES",
        help="With commas: json, md, html, card, csv, parquet, junit, hf, eval_results, png, svg.",
    ),
]
HubDataset: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--dataset",
        metavar="OWNER/NAME[@REVISION]",
        help="The data's name on the Hub, for hf and eval_results.",
    ),
]
HubTask: TypeAlias = Annotated[
    str, typer.Option("--task", metavar="NAME", help="The task within that dataset, for eval_results.")
]


def read_forms(text: str) -> tuple[str, ...]:
    """The names of a `--format`.

    Raises:
        InputError: one of them is no form.
    """
    from faircall.reporting.renderers import read_forms as read

    return read(text)


def read_maps(maps: list[str] | None) -> dict[str, str]:
    """`FIELD=COLUMN` pairs as a mapping.

    Raises:
        UsageError: a pair without "=", or a field that is mapped twice.

    >>> read_maps(["raw_text=output"])
    {'raw_text': 'output'}
    """
    found: dict[str, str] = {}
    for pair in maps or ():
        field, _, column = pair.partition("=")
        if not field or not column:
            raise UsageError(f"not a column map: {pair!r}", hint="for example --map raw_text=output")
        if field in found:
            raise UsageError(f"{field!r} is mapped twice", hint="give one column for each field")
        found[field] = column
    return found


def read_labels(labels: list[str] | None) -> tuple[str | None, str | None]:
    """The names of the two arms, None where `--label` gives none.

    Raises:
        UsageError: not exactly two names, or twice the same.
    """
    if not labels:
        return None, None
    if len(labels) != 2 or len(set(labels)) != 2 or not all(labels):
        hint = "--label BASELINE --label CANDIDATE"
        raise UsageError("--label takes two different names, one for each arm", hint=hint)
    return labels[0], labels[1]
