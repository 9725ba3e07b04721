"""A file of rows as one summary, block by block: memory holds a few numbers per row.

file --> blocks of lines --> score_block (in one process or several) --> ScoredBlock --> FileTally --> summary

What a block alone cannot tell (an id twice, rows without ids, conditions that change on the way) is left to
the whole file: it is then scored at once, which gives the same numbers or the exact error.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from operator import is_
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import numpy as np

from faircall.api.evaluation import SCHEMA_VERSION
from faircall.api.load import arm_name, score_file
from faircall.api.reading import describe_notice
from faircall.api.scored_block import ScoredBlock, score_block
from faircall.canonical import spell
from faircall.errors import FaircallError
from faircall.parsing import readers
from faircall.records import METRIC_NAMES, PARSER_VERSION, Identity
from faircall.scoring.call_metrics import METRIC_PROTOCOL
from faircall.scoring.diagnosis import DiagnosisCounts
from faircall.scoring.totals import describe_metrics
from faircall.stats.cluster import Roots, separate_roots
from faircall.store.files import describe_path, read_blocks

if TYPE_CHECKING:
    from faircall.api.scored_block import Codes
    from faircall.records import IntArray

Task = TypeVar("Task")
Result = TypeVar("Result")
BLOCK_BYTES: Final = 1_000_000


class NotHere(Exception):
    """Only the whole file can tell."""


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
        if block is None:
            raise NotHere
        if not self.blocks:
            self.identity = block.identity
        elif spell(block.identity) != spell(self.identity):
            raise NotHere
        self.blocks += 1
        self.diagnosis.merge(block.diagnosis)
        self.marks.update(block.marks)
        self._ids.append(block.ids)
        self._roots.append(block.roots)
        self._label_of_row.append(_renumber(self._labels, block.labels)[block.label_of_row])
        self._kind_of_row.append(_renumber(self._kinds, map(bytes, block.kinds))[block.kind_of_row])

    def summary(self) -> dict[str, Any]:
        """What `Evaluation.summary` says of the same rows, but for the name."""
        rows = self.diagnosis.examples
        if not rows or not _are_distinct(self._ids):
            raise NotHere  # no row at all, or an id twice
        are_own = all(map(is_, self._ids, self._roots))  # no row of the file names a root
        roots = separate_roots(rows) if are_own else _number_roots(self._roots)
        self._ids.clear()
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


def _are_distinct(digests: Sequence[IntArray]) -> bool:
    ordered = np.concatenate(digests)
    ordered.sort()
    return not np.any(ordered[1:] == ordered[:-1])


def _number_roots(digests: Sequence[IntArray]) -> Roots:
    """The root of each row; no sum over roots depends on their order."""
    if _are_distinct(digests):
        return separate_roots(sum(map(len, digests)))
    distinct, root_of_row = np.unique(np.concatenate(digests), return_inverse=True)
    return Roots(root_of_row.astype(np.int64), len(distinct))


def _describe(kinds: IntArray, kind_of_row: Codes, roots: Roots) -> dict[str, Any]:
    columns = (
        (kinds[kind_of_row, place, 0], kinds[kind_of_row, place, 1]) for place in range(len(METRIC_NAMES))
    )
    return describe_metrics(columns, roots)


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
