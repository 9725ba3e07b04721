"""`faircall data prepare`: rows to the splits of a new run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, TypeAlias

import typer

from faircall.cli import options
from faircall.cli.console import JsonFlag, new_group, print_json, print_text, print_written

app = new_group(help="Validate, pair and split rows, and start a run with them.")

RunId: TypeAlias = Annotated[
    str | None, typer.Option("--run-id", help="The id of the new run; a timestamp and 8 digits by default.")
]


@app.command(epilog="Example: faircall data prepare -c faircall.yaml")
def prepare(config: options.ConfigOfRun, run_id: RunId = None, as_json: JsonFlag = False) -> None:
    """Validate, pair and split rows, and start a run with them."""
    from faircall.config import load_config
    from faircall.pipeline.prepare import prepare_data
    from faircall.store.files import read_json

    run = prepare_data(load_config(config), run_id=run_id)
    summary = read_json(run.drop_summary_file)
    if as_json:
        print_json({"run": str(run.path), **summary})
    else:
        for line in _lines(summary):
            print_text(line)
    print_written(run.path, json_on_stdout=as_json)


def _lines(summary: Mapping[str, Any]) -> Iterator[str]:
    for dataset in summary["datasets"]:
        splits = ", ".join(f"{split} {count}" for split, count in dataset["splits"].items() if count)
        yield f"{dataset['language']}: {dataset['seen']} seen, {dataset['kept']} kept ({splits or 'none'})"
        for reason, count in sorted(dataset["reasons"].items(), key=lambda entry: -entry[1]):
            yield f"    {count} dropped: {reason}"
