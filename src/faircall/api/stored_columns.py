"""A stored evaluation from its bytes: decoded by column where every record has the form that is written.

Nothing is refused here. Whatever does not have that form, to the type of each value, is left to
`Evaluation.from_dict`, which takes it or says what is wrong: this way is quicker and never more generous.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypedDict

import msgspec
import numpy as np

from faircall.api.stored_records import TYPES, StoredRows, build_scores
from faircall.records import METRIC_NAMES, Gold, Parsed, ParseStatus, ToolCall
from faircall.scoring.protocols import METRIC_PROTOCOL, Protocol

if TYPE_CHECKING:
    from faircall.records import IntArray

Component: TypeAlias = tuple[int, int]


class StoredRecord(msgspec.Struct, frozen=True, gc=False):
    """One record of an evaluation, as `example_records` makes it."""

    id: str
    root: str
    language: str | None
    slices: list[str]
    status: ParseStatus
    reason: str | None
    span: tuple[int, int] | None
    trailing_json: bool
    truncated: bool
    backend_failed: bool
    cause: str | None
    components: tuple[Component, Component, Component, Component, Component]
    gold_sha256: str
    tasks_sha256: str | None
    prompt_sha256: str | None
    gold: Any
    call: ToolCall | None
    raw_text: str
    asked: str | None
    calls: tuple[ToolCall, ...] | None = None
    gold_pairs: int | msgspec.UnsetType = msgspec.UNSET


class StoredEvaluation(TypedDict, total=False):
    """What is read of the file of an evaluation; beside the records, `Evaluation` looks at each value."""

    schema_version: str
    name: str
    identity: dict[str, dict[str, Any]]
    identity_sha256: dict[str, str | None]
    ids_given: bool
    metrics: dict[str, dict[str, Any]]
    slices: dict[str, dict[str, Any]]
    diagnosis: dict[str, Any]
    records: list[StoredRecord]


_take_columns: Final = attrgetter(*TYPES)
_decode: Final = msgspec.json.Decoder(StoredEvaluation).decode


def decode_evaluation(data: bytes) -> StoredEvaluation:
    """The evaluation in a file.

    Raises:
        ValueError, RecursionError: it does not have the form that is written.
    """
    return _decode(data)


def take_rows(records: Sequence[StoredRecord], protocol: Protocol) -> StoredRows:
    """The records by column.

    Raises:
        ValueError, OverflowError: records of the right form that contradict themselves.
    """
    columns = dict(zip(TYPES, zip(*map(_take_columns, records), strict=True), strict=True))
    for record in records:
        if not (record.status == "ok") == (record.reason is None) == (record.call is not None):
            raise ValueError("a status that its reason or its call denies")
    parsed = [
        Parsed(record.call, record.status, record.reason, record.span, record.trailing_json, record.calls)
        for record in records
    ]
    return StoredRows(
        scores=build_scores(
            columns,
            components=_components(columns["components"]),
            parsed=tuple(parsed),
            gold_pairs=_gold_pairs(records),
        ),
        gold=_gold(records, protocol),
        raw_texts=columns["raw_text"],
        asked=tuple([record.asked for record in records]),
    )


def _gold(records: Sequence[StoredRecord], protocol: Protocol) -> tuple[Gold, ...]:
    values = [record.gold for record in records]
    if protocol.name != METRIC_PROTOCOL:
        return tuple(map(protocol.load_truth, values))
    calls = msgspec.convert(values, tuple[ToolCall, ...])  # by column, what `load_truth` looks at one by one
    if not all(call.name for call in calls):
        raise ValueError("a gold call without a name")
    return calls


def _components(tables: Sequence[Sequence[Component]]) -> IntArray:
    numbers = chain.from_iterable(chain.from_iterable(tables))
    found = np.fromiter(numbers, dtype=np.int64, count=2 * len(METRIC_NAMES) * len(tables))
    return found.reshape(len(tables), len(METRIC_NAMES), 2)


def _gold_pairs(records: Sequence[StoredRecord]) -> IntArray | None:
    counts = [record.gold_pairs for record in records]
    if all(count is msgspec.UNSET for count in counts):
        return None
    return np.array(counts, dtype=np.int64)  # a count that is missing is no number
