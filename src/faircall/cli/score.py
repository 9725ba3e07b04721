"""`faircall score`: outputs, in one file or several, against their gold calls."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from faircall.cli import engines, options
from faircall.cli.console import JsonFlag, new_app, print_json, print_numbered, print_view, print_written
from faircall.errors import UsageError
from faircall.records import PARSER_VERSION

if TYPE_CHECKING:
    from faircall.api.declaration import Declaration
    from faircall.api.evaluation import Evaluation
    from faircall.api.partitioned import Spread
    from faircall.generating.workers.engine import EngineRequest

app = new_app(help="Score stored outputs with the five metrics.")

Files = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE...",
        help="Rows {id, raw_text, gold, ...}; - is standard input. Several files, patterns, folders or "
        "URLs, of JSON Lines or Parquet, are one table.",
    ),
]
Output = Annotated[
    Path | None, typer.Option("-o", "--out", metavar="FILE", help="Write the evaluation, every row included.")
]
Label = Annotated[str | None, typer.Option("--label", metavar="NAME", help="Name the arm.")]

Jobs = Annotated[
    int, typer.Option(min=1, metavar="N", help="Processes that score a file of rows, for the table alone.")
]


@app.command(epilog="Example: faircall score outputs.jsonl --map raw_text=output -o scored.json")
def score(
    files: Files,
    gold: options.Gold = None,
    maps: options.Maps = None,
    reader: options.Reader = PARSER_VERSION,
    protocol: options.Protocol = options.DEFAULT_PROTOCOL,
    label: Label = None,
    out: Output = None,
    forms: options.Forms = "json",
    redact: options.Redact = None,
    dataset: options.HubDataset = None,
    task: options.HubTask = "default",
    jobs: Jobs = 1,
    engine: engines.EngineName = None,
    workers: engines.Workers = None,
    ray_address: engines.RayAddress = None,
    as_json: JsonFlag = False,
) -> None:
    """Score stored outputs with the five metrics.

    The table alone of a file of rows is made without holding the rows, so the file may be of any length.

    Every --format is written beside the JSON, under its name with the ending of the form.
    """
    names = options.read_forms(forms)
    if out is None and names != ("json",):
        raise UsageError("--format says what is written, and nothing says where", hint="add -o FILE")
    if out is not None:
        from faircall.reporting.renderers import require_forms

        require_forms(names, kind="evaluation", dataset=dataset)
    columns = options.read_maps(maps)
    if out is not None and (out.is_dir() or not out.name):
        raise UsageError(f"{out} is a folder", hint="give -o the name of a file, for example scored.json")
    spread = engines.read_engine(engine, workers=workers, address=ray_address)
    source = _Source(files, columns, name=label, gold=gold, reader=reader, protocol=protocol, spread=spread)
    from faircall.api.example_rows import example_rows
    from faircall.api.rendering import write_forms
    from faircall.api.stored import as_result
    from faircall.reporting.evaluation_view import view_evaluation
    from faircall.reporting.renderers import subject_of
    from faircall.store.atomic import write_json

    if not as_json and out is None and source.can_stream:
        summary = source.summarise(jobs)
        print_view(view_evaluation(summary))
        print_numbered(() if summary["ids_given"] else files)
        return
    evaluation = source.evaluate()
    print_numbered(() if evaluation.ids_given else files)
    if as_json:
        print_json(evaluation.to_dict())
    else:
        print_view(view_evaluation(evaluation.summary()))
    if out is not None:
        subject = subject_of(evaluation.to_dict())
        subject = replace(subject, redacted=redact is not None, dataset=dataset, task=task)
        if "html" in names:
            subject = replace(subject, listed=example_rows(as_result(evaluation)))
        others = tuple(name for name in names if name != "json")
        write_forms(subject, others, out.with_name(out.name.removesuffix(".json")))
        write_json(out, evaluation.to_dict())
        print_written(out, json_on_stdout=as_json)


class _Source:
    """What is scored: one file on this machine, or a table in several files, maybe by an engine."""

    def __init__(
        self,
        files: list[str],
        columns: dict[str, str],
        *,
        name: str | None,
        gold: Path | None,
        reader: str,
        protocol: str,
        spread: EngineRequest | None,
    ) -> None:
        from faircall.store.partitions import find_partitions, is_one_plain_file

        self._columns, self._name, self._gold = columns, name, gold
        self._reader, self._protocol, self._engine = reader, protocol, spread
        self._default = gold is None and (reader, protocol) == (PARSER_VERSION, options.DEFAULT_PROTOCOL)
        if spread is not None and not self._default:
            raise UsageError(
                "--engine scores rows that hold their gold, with the default reader and protocol",
                hint="leave --engine out, or --gold, --reader and --protocol",
            )
        self._file = files[0] if spread is None and is_one_plain_file(files) else None
        self._partitions = [] if self._file is not None else find_partitions(files)

    @property
    def can_stream(self) -> bool:
        """Whether the summary can be made block by block."""
        from faircall.store.files import STANDARD_INPUT, is_one_document

        if self._file is None or not self._default:
            return self._default
        return self._file != STANDARD_INPUT and not is_one_document(self._file)

    def summarise(self, jobs: int) -> dict[str, Any]:
        """The table alone."""
        if self._file is not None:
            from faircall.api.streaming import summarise_file

            return summarise_file(self._file, name=self._name, columns=self._columns, jobs=jobs)
        from faircall.api.partitioned import here, summarise_partitions

        spread = self._spread() or here(jobs)
        return summarise_partitions(self._partitions, name=self._name, columns=self._columns, spread=spread)

    def evaluate(self) -> Evaluation:
        """Every row."""
        declared = self._declared()
        if self._file is not None:
            from faircall.api.load import load_declared

            return load_declared(self._file, declared, name=self._name)
        from faircall.api.partitioned import evaluate_partitions, evaluate_spread

        spread = self._spread()
        if spread is None:
            return evaluate_partitions(self._partitions, declared, name=self._name)
        return evaluate_spread(self._partitions, spread=spread, name=self._name, columns=self._columns)

    def _declared(self) -> Declaration:
        from faircall.api.declaration import Declaration

        return Declaration(
            columns=self._columns, gold=self._gold, reader=self._reader, protocol=self._protocol
        )

    def _spread(self) -> Spread | None:
        if self._engine is None:
            return None
        from faircall.api.ray_scoring import spread_with_ray

        return spread_with_ray(self._engine)
