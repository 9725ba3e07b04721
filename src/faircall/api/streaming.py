"""A file of rows as one summary, block by block: memory holds a few numbers per row.

file --> blocks of lines --> score_block (in one process or several) --> ScoredBlock --> FileTally --> summary

Rows are imported, read and scored by the very functions that score a whole file. What a block alone cannot
tell (an id twice, rows without ids, conditions that change on the way) is left to the whole file: it is then
scored at once, which gives the same numbers or the exact error.
"""

from __future__ import annotations

import gc
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar

import numpy as np

from faircall.api.evaluation import SCHEMA_VERSION
from faircall.api.load import arm_name, score_file
from faircall.api.reading import describe_notice
from faircall.errors import FaircallError
from faircall.importing.from_jsonl import import_rows
from faircall.parsing import readers
from faircall.parsing.tool_call import parse_generations
from faircall.records import METRIC_NAMES, PARSER_VERSION, Identity
from faircall.scoring.call_metrics import METRIC_PROTOCOL
from faircall.scoring.diagnosis import DiagnosisCounts
from faircall.scoring.scores import is_truncated, measure_rows
from faircall.scoring.totals import describe_metrics
from faircall.stats.bootstrap import distinct_rows
from faircall.stats.cluster import Roots
from faircall.store.files import LineBlock, decode_lines, describe_path, read_blocks

if TYPE_CHECKING:
    from faircall.records import IntArray

    Codes: TypeAlias = np.ndarray[tuple[int], np.dtype[np.int32]]

Task = TypeVar("Task")
Result = TypeVar("Result")
BLOCK_BYTES: Final = 1_000_000


class NotHere(Exception):
    """Only the whole file can tell."""


@dataclass(frozen=True, slots=True)
class ScoredBlock:
    """What a summary needs of some rows.

    Attributes:
        ids: digest of the id per row, 64 bits.
        roots: digest of the root per row.
        labels: the distinct slice labels, in order of appearance.
        label_of_row: index into `labels`.
        kinds: the distinct components, shape (kinds, metrics, 2).
        kind_of_row: index into `kinds`.
    """

    ids: IntArray
    roots: IntArray
    labels: tuple[str | None, ...]
    label_of_row: Codes
    kinds: IntArray
    kind_of_row: Codes
    diagnosis: DiagnosisCounts
    marks: Counter[frozenset[str]]
    identity: Identity


def summarise_file(
    path: Path | str, *, name: str | None = None, columns: Mapping[str, str] | None = None, jobs: int = 1
) -> dict[str, Any]:
    """`score_file(...).summary()` with the default reader and protocol, without holding the rows.

    Args:
        path: JSON Lines (gzip too) that can be read twice: not standard input.
        name: the name of the arm; the file's name without its ending by default.
        columns: field -> column, where the recognised names do not fit.
        jobs: processes that score blocks.

    Raises:
        InputError: the file or one of its rows cannot be used; file and line are named.
    """
    score = partial(score_block, label=describe_path(path), columns=columns)
    tally = FileTally()
    try:
        for block in in_order(score, read_blocks(path, size=BLOCK_BYTES), jobs):
            tally.add(block)
        return {"schema_version": SCHEMA_VERSION, "name": name or arm_name(path), **tally.summary()}
    except (FaircallError, NotHere):
        return score_file(path, name=name, columns=columns).summary()


@contextmanager
def _without_collector() -> Iterator[None]:
    """Rows hold no cycles; looking for some among them would take a third of the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


@_without_collector()
def score_block(block: LineBlock, *, label: str, columns: Mapping[str, str] | None) -> ScoredBlock | None:
    """The rows of one block, scored; None where only the whole file can tell what is wrong with them."""
    try:
        rows = import_rows(
            decode_lines(block.lines, label=label, number=block.number), label=label, columns=columns
        )
        if not rows.examples or not rows.ids_given:
            return None
        parsed = parse_generations(rows.generations)
        _, table, causes = measure_rows(rows.examples, parsed)
    except FaircallError:
        return None
    diagnosis = DiagnosisCounts(
        truncated=sum(map(is_truncated, rows.generations)),
        backend_failed=sum(generation.failure is not None for generation in rows.generations),
    )
    diagnosis.add(rows.examples, parsed, causes)
    ids = _digest([example.example_id for example in rows.examples])
    roots = ids.copy()
    translated = [row for row, example in enumerate(rows.examples) if example.source_example_id is not None]
    roots[translated] = _digest([rows.examples[row].root for row in translated])
    labels, label_of_row = _number(example.language for example in rows.examples)
    places, kind_of_row = distinct_rows(table.reshape(len(table), 2 * len(METRIC_NAMES)))
    return ScoredBlock(
        ids=ids,
        roots=roots,
        labels=labels,
        label_of_row=label_of_row,
        kinds=table[places],
        kind_of_row=kind_of_row.astype(np.int32),
        diagnosis=diagnosis,
        marks=readers.count_marks(readers.inputs_of(rows.examples, rows.generations)),
        identity=rows.identity,
    )


@dataclass
class FileTally:
    """All blocks of a file so far."""

    blocks: int = 0
    identity: Identity = field(default_factory=dict)
    diagnosis: DiagnosisCounts = field(default_factory=DiagnosisCounts)
    marks: Counter[frozenset[str]] = field(default_factory=Counter)
    _ids: list[IntArray] = field(default_factory=list)
    _roots: list[IntArray] = field(default_factory=list)
    _labels: dict[str | None, int] = field(default_factory=dict)
    _label_of_row: list[Codes] = field(default_factory=list)
    _kinds: dict[bytes, int] = field(default_factory=dict)
    _kind_of_row: list[Codes] = field(default_factory=list)

    def add(self, block: ScoredBlock | None) -> None:
        """Add the next block of the file."""
        if block is None or (self.blocks and block.identity != self.identity):
            raise NotHere
        self.blocks += 1
        self.identity = block.identity
        self.diagnosis.merge(block.diagnosis)
        self.marks.update(block.marks)
        self._ids.append(block.ids)
        self._roots.append(block.roots)
        self._label_of_row.append(_renumber(self._labels, block.labels)[block.label_of_row])
        self._kind_of_row.append(_renumber(self._kinds, map(bytes, block.kinds))[block.kind_of_row])

    def summary(self) -> dict[str, Any]:
        """What `Evaluation.summary` says of the same rows, but for the name."""
        rows = self.diagnosis.examples
        if not rows or len(np.unique(np.concatenate(self._ids))) < rows:
            raise NotHere  # no row at all, or an id twice
        self._ids.clear()
        distinct, root_of_row = np.unique(np.concatenate(self._roots), return_inverse=True)
        roots = Roots(root_of_row.astype(np.int64), len(distinct))
        self._roots.clear()
        kinds = np.frombuffer(b"".join(self._kinds), dtype=np.int64).reshape(-1, len(METRIC_NAMES), 2)
        kind_of_row, label_of_row = np.concatenate(self._kind_of_row), np.concatenate(self._label_of_row)
        slices = {
            label: np.flatnonzero(label_of_row == number)
            for label, number in self._labels.items()
            if label is not None
        }
        return {
            "examples": rows,
            "roots": roots.count,
            "identity": {
                **self.identity,
                "reader": dict(readers.reader_identity(readers.get(PARSER_VERSION))),
                "metrics": {"protocol": METRIC_PROTOCOL, "names": list(METRIC_NAMES)},
            },
            "ids_given": True,
            "metrics": _describe(kinds, kind_of_row, roots),
            "slices": {
                label: {
                    "examples": len(places),
                    "metrics": _describe(kinds, kind_of_row[places], roots.select(places)),
                }
                for label, places in slices.items()
            },
            "diagnosis": {**self.diagnosis.to_dict(), **self._notice()},
        }

    def _notice(self) -> dict[str, Any]:
        reader = readers.get(PARSER_VERSION)
        notice = readers.notice_of(reader, self.marks)
        return {"reading": {"reader": reader.name, **describe_notice(notice)}} if notice else {}


def _describe(kinds: IntArray, kind_of_row: Codes, roots: Roots) -> dict[str, Any]:
    columns = (
        (kinds[kind_of_row, place, 0], kinds[kind_of_row, place, 1]) for place in range(len(METRIC_NAMES))
    )
    return describe_metrics(columns, roots)


def _digest(names: Sequence[str]) -> IntArray:
    """64 bits of each name; what looks like an id twice is looked for in the whole file."""
    digests = (blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest() for name in names)
    return np.frombuffer(b"".join(digests), dtype=np.int64).copy()


def _number(values: Iterable[str | None]) -> tuple[tuple[str | None, ...], Codes]:
    """The distinct values in order of appearance, and which of them stands in each row."""
    numbers: dict[str | None, int] = {}
    codes = [numbers.setdefault(value, len(numbers)) for value in values]
    return tuple(numbers), np.array(codes, dtype=np.int32)


def _renumber(known: dict[Any, int], values: Iterable[Any]) -> Codes:
    """The number of each value among all that are known; new ones come last."""
    return np.array([known.setdefault(value, len(known)) for value in values], dtype=np.int32)


def in_order(score: Callable[[Task], Result], blocks: Iterable[Task], jobs: int) -> Iterator[Result]:
    """Results in the order of the blocks; a few blocks are under way at a time."""
    if jobs == 1:
        yield from map(score, blocks)
        return
    under_way: deque[Future[Result]] = deque()
    with ProcessPoolExecutor(jobs) as pool:
        for block in blocks:
            under_way.append(pool.submit(score, block))
            if len(under_way) > 2 * jobs:
                yield under_way.popleft().result()
        while under_way:
            yield under_way.popleft().result()
