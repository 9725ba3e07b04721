"""The two arms of a comparison without gold: files of rows, replayed logs, or arms of runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from faircall.api.load import arm_name
from faircall.api.partitioned import name_rows
from faircall.api.stored import arm_folder, open_arm
from faircall.errors import DataError, EvaluationError, IdMismatch, Incomparable, UsageError
from faircall.importing.from_jsonl import ImportedRows, import_rows
from faircall.parsing import readers
from faircall.records import PARSER_VERSION, Example, Generation, Parsed
from faircall.store.partitions import open_rows

OUTPUTS: Final = "outputs.jsonl"


@dataclass(frozen=True, slots=True, eq=False)
class PlainArm:
    """One arm without scores: rows in one order for both arms."""

    name: str
    examples: tuple[Example, ...]
    generations: tuple[Generation, ...]
    parsed: tuple[Parsed, ...]


def load_pair(
    baseline: Path | str,
    candidate: Path | str,
    *,
    names: tuple[str | None, str | None] = (None, None),
    columns: dict[str, str] | None = None,
    reader: str = PARSER_VERSION,
) -> tuple[PlainArm, PlainArm]:
    """Both arms, joined by id in the order of the baseline.

    Args:
        baseline: rows of outputs in one file or several, the folder of a replayed log, or that of an arm of a
            run.
        candidate: the same.
        names: what to call the arms.
        columns: field -> column, for rows.
        reader: what finds the calls in rows; a run has its own.

    Raises:
        InputError: a file cannot be used, or their ids differ.
        Incomparable: an id stands for another task in the other file.
        EvaluationError: a reader of texts, and answers whose calls are in `tool_calls`.
    """
    first = _load(baseline, name=names[0], columns=columns, reader=reader)
    second = _load(candidate, name=names[1], columns=columns, reader=reader)
    order = {example.example_id: row for row, example in enumerate(second.examples)}
    _require_same_ids(first, second, order)
    rows = [order[example.example_id] for example in first.examples]
    second = PlainArm(
        second.name,
        tuple(second.examples[row] for row in rows),
        tuple(second.generations[row] for row in rows),
        tuple(second.parsed[row] for row in rows),
    )
    _require_same_tasks(first, second)
    return first, second


def _load(path: Path | str, *, name: str | None, columns: dict[str, str] | None, reader: str) -> PlainArm:
    replayed = Path(path) / OUTPUTS
    named = str(replayed if replayed.is_file() else path)
    folder = arm_folder(named)
    if folder is not None:
        if columns or reader != PARSER_VERSION:
            raise UsageError(f"{path} is an arm of a run", hint="--map and --reader are for files of rows")
        return _load_arm(folder, name)
    lines, label = open_rows(named)
    rows = import_rows(lines, label=label, columns=columns, gold_needed=False)
    if not rows.ids_given:
        raise DataError(f"{label}: the rows have no ids", hint="--map id=COLUMN")
    known = name or (arm_name(path) if replayed.is_file() else name_rows(named))
    return PlainArm(known, rows.examples, rows.generations, _read(rows, reader, label))


def _load_arm(folder: Path, name: str | None) -> PlainArm:
    """An arm of a run; what was asked comes from the prepared rows, whatever template rendered it."""
    from faircall.pipeline.arms import read_arm
    from faircall.pipeline.examples import read_examples
    from faircall.store.manifest import require_stage

    run, arm = open_arm(folder)
    stored = read_arm(run, arm)
    require_stage(run, "data")
    tasks = {task.example_id: task for task in read_examples(run.data_file(stored.config.eval.split))}
    unsampled = stored.config.eval.sampling is None
    asked = [tasks[_prompt_id(row.example_id, unsampled)] for row in stored.examples]
    examples = tuple(
        replace(row, query=task.query, messages=task.messages)
        for row, task in zip(stored.examples, asked, strict=True)
    )
    return PlainArm(name or arm, examples, stored.generations, tuple(stored.scores.parsed))


def _prompt_id(example_id: str, unsampled: bool) -> str:
    return example_id if unsampled else example_id.rpartition("#")[0]


def _read(rows: ImportedRows, name: str, label: str) -> tuple[Parsed, ...]:
    reader = readers.get(name)
    if not reader.native:
        _require_texts(rows.generations, label)
    inputs = readers.inputs_of(rows.examples, rows.generations, prompts=rows.prompts)
    return tuple(reading.parsed for reading in readers.read_rows(reader, inputs))


def _require_texts(generations: Sequence[Generation], label: str) -> None:
    """A call in `tool_calls` is invisible to a reader of texts: no silent `no_json`."""
    for generation in generations:
        message = generation.message or {}
        if message.get("tool_calls") or message.get("function_call"):
            raise EvaluationError(
                f"{label}: the answer to {generation.example_id!r} has its call in `tool_calls`",
                hint="--reader openai_chat.native.v1 reads such messages",
            )


def _require_same_ids(first: PlainArm, second: PlainArm, known: dict[str, int]) -> None:
    missing = [e.example_id for e in first.examples if e.example_id not in known]
    if missing or len(first.examples) != len(second.examples):
        own = {example.example_id for example in first.examples}
        extra = [name for name in known if name not in own]
        raise IdMismatch(
            f"{len(missing)} ids are only in {first.name}, {len(extra)} only in {second.name}, "
            f"first {(missing or extra)[0]!r}",
            hint="both files must hold the same requests",
        )


def _require_same_tasks(first: PlainArm, second: PlainArm) -> None:
    for one, other in zip(first.examples, second.examples, strict=True):
        for name in ("messages", "tools", "query"):
            mine, theirs = getattr(one, name), getattr(other, name)
            if mine is not None and theirs is not None and mine != theirs:
                raise Incomparable(
                    f"{one.example_id!r} has other {name} in {first.name} than in {second.name}",
                    hint="replay the same requests against both",
                )
