"""Stage `data`: the rows of the datasets to the splits of a new run."""

from __future__ import annotations

from faircall.config import Config, Dataset, slices_of
from faircall.errors import DataError
from faircall.importing.drop_summary import summarise
from faircall.importing.prepare import SPLITS, Prepared, Source, prepare
from faircall.importing.rows import read_rows
from faircall.pipeline.examples import example_row
from faircall.store.atomic import write_json, write_together
from faircall.store.files import read_json_lines
from faircall.store.layout import RunFolder, new_run_id, run_folder
from faircall.store.manifest import start_run, write_stage_manifest

STAGE = "data"


def prepare_data(config: Config, *, run_id: str | None = None) -> RunFolder:
    """Prepare the data of a config and start a run with them. Nothing is written before everything fits.

    Raises:
        RowInvalid: a line is not JSON.
        DuplicateId: an id stands on two rows.
        DataError: too few rows, or a slice of the evaluation has none.
        UsageError: a run of this id exists already.
    """
    sources = [_read_source(config, dataset) for dataset in config.datasets]
    prepared = prepare(sources, policy=config.data, seed=config.project.seed)
    _require_slices(prepared, config)
    run = run_folder(config.path_of(config.project.artifact_root), run_id or new_run_id())
    start_run(run, config_yaml=config.to_yaml(), config_sha256=config.sha256)
    outputs = [run.data_file(split) for split in SPLITS]
    write_together({run.data_file(split): map(example_row, prepared.splits[split]) for split in SPLITS})
    write_json(run.drop_summary_file, summarise(prepared))
    write_stage_manifest(
        run,
        STAGE,
        outputs=[*outputs, run.drop_summary_file],
        external_inputs=[file.to_dict() for file in config.inputs],
        facts={"examples": {split: len(prepared.splits[split]) for split in SPLITS}},
    )
    return run


def _read_source(config: Config, dataset: Dataset) -> Source:
    lines = read_json_lines(config.path_of(dataset.path))
    outcomes = list(read_rows(lines, language=dataset.language, form=dataset.format))
    return Source(dataset.language, dataset.path, outcomes, paired=dataset.paired)


def _require_slices(prepared: Prepared, config: Config) -> None:
    """A declared slice without rows is an error now, not an empty section later."""
    split = config.eval.split
    found = {example.language for example in prepared.splits[split]}
    for name in slices_of(config):
        if name not in found:
            hint = "translations must name roots of that split, with the same tools and gold"
            raise DataError(f"the slice {name!r} has no {split} rows", hint=hint)
