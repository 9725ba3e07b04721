"""A table in several files as one arm: the rows of all partitions, one after the other.

partitions --> parts --> score_part (here, in processes, or by workers of an engine) --> FileTally --> summary

Parts are scored anywhere and added in order, so the summary does not depend on who scored them. What a part
cannot tell alone (an id twice, rows without ids, a broken row) is left to the whole table, read here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeAlias

from faircall.api.declaration import NOTHING_DECLARED, Declaration
from faircall.api.evaluation import SCHEMA_VERSION, Evaluation, evaluate
from faircall.api.load import arm_name, score_lines
from faircall.api.scored_block import ScoredBlock, score_block
from faircall.api.streaming import BLOCK_BYTES, FileTally, NotHere, in_order
from faircall.errors import EnvironmentProblem, FaircallError
from faircall.importing.from_jsonl import import_rows
from faircall.store.files import LineBlock, decode_lines
from faircall.store.partitions import (
    Part,
    common_name,
    find_partitions,
    is_one_plain_file,
    plan_parts,
    read_lines,
    read_part,
)

PART_BYTES: Final = 32 * BLOCK_BYTES


@dataclass(frozen=True, slots=True)
class ScoredPart:
    """The blocks of a part, in order; None where the whole table must tell what is wrong.

    `records` are one JSON object per row, where they were asked for.
    """

    blocks: tuple[ScoredBlock | None, ...]
    records: tuple[dict[str, Any], ...] = ()


PartScorer: TypeAlias = Callable[[Part], ScoredPart]
Spread: TypeAlias = Callable[[PartScorer, Sequence[Part]], Iterable[ScoredPart]]
"""Scores parts wherever it likes and gives the results in the order of the parts."""


def here(jobs: int = 1) -> Spread:
    """Score parts in this process, or in several on this machine."""
    return lambda score, parts: in_order(score, parts, jobs)


def summarise_partitions(
    partitions: Sequence[str],
    *,
    name: str | None = None,
    columns: Mapping[str, str] | None = None,
    spread: Spread | None = None,
    part_bytes: int = PART_BYTES,
) -> dict[str, Any]:
    """The summary of one arm whose rows lie in several files; memory holds a few numbers per row.

    Args:
        partitions: the files, as `find_partitions` gives them.
        name: the name of the arm; that of the file or folder by default.
        columns: field -> column, where the recognised names do not fit.
        spread: who scores the parts; this process by default.
        part_bytes: about how much makes a part.

    Raises:
        InputError: a file or one of its rows cannot be used; file and line are named.
    """
    named = name or table_name(partitions)
    try:
        tally = FileTally()
        for _ in _tallied(tally, partitions, partial(score_part, columns=columns), spread, part_bytes):
            pass
        return {"schema_version": SCHEMA_VERSION, "name": named, **tally.summary()}
    except EnvironmentProblem:
        raise  # an engine that cannot be had is no fault of the rows
    except (FaircallError, NotHere):
        return evaluate_partitions(partitions, Declaration(columns=columns), name=named).summary()


def evaluate_spread(
    partitions: Sequence[str],
    *,
    spread: Spread,
    name: str | None = None,
    columns: Mapping[str, str] | None = None,
    part_bytes: int = PART_BYTES,
) -> Evaluation:
    """The whole evaluation, its records made by whoever scores the parts and held here.

    Raises:
        InputError: as `summarise_partitions`.
    """
    named = name or table_name(partitions)
    try:
        tally = FileTally()
        records: list[dict[str, Any]] = []
        score = partial(score_part, columns=columns, with_records=True)
        for part in _tallied(tally, partitions, score, spread, part_bytes):
            records.extend(part.records)
        summary = {"schema_version": SCHEMA_VERSION, "name": named, **tally.summary()}
        return Evaluation.from_dict({**summary, "records": records})
    except EnvironmentProblem:
        raise
    except (FaircallError, NotHere):
        return evaluate_partitions(partitions, Declaration(columns=columns), name=named)


def evaluate_partitions(
    partitions: Sequence[str], declared: Declaration = NOTHING_DECLARED, *, name: str | None = None
) -> Evaluation:
    """The whole evaluation, made in this process.

    Raises:
        InputError: a file or one of its rows cannot be used; file and line are named.
    """
    return score_lines(
        read_lines(partitions),
        declared,
        label=common_name(partitions),
        name=name or table_name(partitions),
    )


def score_part(
    part: Part, *, columns: Mapping[str, str] | None = None, with_records: bool = False
) -> ScoredPart:
    """Read and score a part. Nothing is raised for bad rows or files: the whole table names them exactly."""
    blocks: list[ScoredBlock | None] = []
    records: list[dict[str, Any]] = []
    try:
        for block in read_part(part, size=BLOCK_BYTES):
            blocks.append(score_block(block, label=part.path, columns=columns))
            if with_records and blocks[-1] is not None:
                records.extend(_records(block, part.path, columns))
    except FaircallError:
        blocks.append(None)
    return ScoredPart(tuple(blocks), tuple(records))


def table_name(partitions: Sequence[str]) -> str:
    """The name of an arm after its files: of the one file, else of the folder that holds them.

    >>> table_name(["runs/tuned/part-0.jsonl", "runs/tuned/part-1.jsonl"]), table_name(["runs/tuned.parquet"])
    ('tuned', 'tuned')
    """
    return arm_name(common_name(partitions))


def name_rows(path: str) -> str:
    """The name of an arm after the one path, pattern, folder or URL that names its rows."""
    return arm_name(path) if is_one_plain_file([path]) else table_name(find_partitions([path]))


def _records(block: LineBlock, label: str, columns: Mapping[str, str] | None) -> list[dict[str, Any]]:
    lines = decode_lines(block.lines, label=label, number=block.number)
    rows = import_rows(lines, label=label, columns=columns)
    return evaluate(rows.examples, rows.generations, name=label, prompts=rows.prompts).records


def _tallied(
    tally: FileTally,
    partitions: Sequence[str],
    score: PartScorer,
    spread: Spread | None,
    part_bytes: int,
) -> Iterator[ScoredPart]:
    for part in (spread or here())(score, plan_parts(partitions, size=part_bytes)):
        for block in part.blocks:
            tally.add(block)
        yield part
