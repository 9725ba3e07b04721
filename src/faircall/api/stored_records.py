"""The records of a stored evaluation as columns again; what `to_dict` cannot have written is refused."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, NamedTuple, get_args

import msgspec
import numpy as np

from faircall.digest import sha256_bytes
from faircall.records import METRIC_NAMES, Gold, Parsed, ParseStatus, Scores, ToolCall
from faircall.scoring.protocols import Protocol
from faircall.scoring.scores import gold_digest

if TYPE_CHECKING:
    from faircall.records import IntArray

_STATUSES: Final = get_args(ParseStatus)
_encode: Final = msgspec.json.Encoder(order="deterministic").encode
_SPELLED_OTHERWISE: Final = re.compile(rb"[^ -\[\]-~]|[0-9]e|0\.0000")
_TEXT: Final = (str,)
_TEXT_OR_NONE: Final = (str, type(None))
TYPES: Final[Mapping[str, tuple[type, ...]]] = {
    "id": _TEXT,
    "root": _TEXT,
    "language": _TEXT_OR_NONE,
    "slices": (list,),
    "status": _TEXT,
    "reason": _TEXT_OR_NONE,
    "trailing_json": (bool,),
    "truncated": (bool,),
    "backend_failed": (bool,),
    "cause": _TEXT_OR_NONE,
    "components": (list,),
    "gold_sha256": _TEXT,
    "tasks_sha256": _TEXT_OR_NONE,
    "prompt_sha256": _TEXT_OR_NONE,
    "raw_text": _TEXT,
}
"""What each key of a record may hold, as far as the type alone says it."""


class StoredRows(NamedTuple):
    """What the records of an evaluation hold, by column."""

    scores: Scores
    gold: tuple[Gold, ...]
    raw_texts: tuple[str, ...]
    asked: tuple[str | None, ...]


def read_rows(records: Sequence[Mapping[str, Any]], protocol: Protocol) -> StoredRows:
    """The records of an evaluation that was decoded without a look at their form.

    Raises:
        KeyError, TypeError, ValueError, OverflowError: a record without the form of `Evaluation.records`.
    """
    columns = {name: read_column(records, name) for name in TYPES}
    if not set(map(type, chain.from_iterable(columns["slices"]))) <= {str}:
        raise ValueError("the name of a slice is not text")
    scores = build_scores(
        columns,
        components=_components(columns["components"]),
        parsed=tuple(_parsed(record) for record in records),
        gold_pairs=_gold_pairs(records),
    )
    return StoredRows(
        scores,
        gold=tuple(protocol.load_truth(record["gold"]) for record in records),
        raw_texts=columns["raw_text"],
        asked=tuple(record.get("asked") for record in records),
    )


def build_scores(
    columns: Mapping[str, Sequence[Any]],
    *,
    components: IntArray,
    parsed: tuple[Parsed, ...],
    gold_pairs: IntArray | None,
) -> Scores:
    """Scores of columns whose types were looked at.

    Raises:
        ValueError: an id that occurs twice, or numbers that no row can have.
    """
    ids = tuple(columns["id"])
    if len(set(ids)) != len(ids):
        raise ValueError("an id occurs twice")
    if np.any(components[..., 0] < 0) or np.any(components[..., 0] > components[..., 1]):
        raise ValueError("a component is below 0 or above its denominator")
    if gold_pairs is not None and np.any(gold_pairs <= 0):
        raise ValueError("gold_pairs is not a whole number above 0")
    return Scores(
        ids=ids,
        roots=tuple(columns["root"]),
        labels=tuple(columns["language"]),
        components=components,
        parsed=parsed,
        causes=tuple(columns["cause"]),
        gold_sha256=tuple(columns["gold_sha256"]),
        tasks_sha256=tuple(columns["tasks_sha256"]),
        prompt_sha256=tuple(columns["prompt_sha256"]),
        extra_slices=_extra_slices(columns["slices"]),
        truncated=_marked(columns["truncated"]),
        backend_failed=_marked(columns["backend_failed"]),
        gold_pairs=gold_pairs,
    )


def read_column(records: Sequence[Mapping[str, Any]], name: str) -> tuple[Any, ...]:
    """One key of every record.

    >>> read_column([{"id": "a"}, {"id": 2}], "id")
    Traceback (most recent call last):
        ...
    ValueError: record 2 has the id 2
    """
    values = tuple(record[name] for record in records)
    if not set(map(type, values)) <= set(TYPES[name]):
        number = next(row for row, value in enumerate(values) if type(value) not in TYPES[name])
        raise ValueError(f"record {number + 1} has the {name} {values[number]!r}")
    return values


def _components(tables: Sequence[list[Any]]) -> IntArray:
    """Shape (rows, metrics, 2), of whole numbers alone."""
    if not set(map(type, chain.from_iterable(chain.from_iterable(tables)))) <= {int}:
        raise ValueError("a component is not a whole number")
    return np.array(tables, dtype=np.int64).reshape(len(tables), len(METRIC_NAMES), 2)


def _gold_pairs(records: Sequence[Mapping[str, Any]]) -> IntArray | None:
    """Gold pairs per row, where a protocol beside the default stored them."""
    if not any("gold_pairs" in record for record in records):
        return None
    counts = [record["gold_pairs"] for record in records]
    if not all(type(count) is int for count in counts):
        raise ValueError("gold_pairs is not a whole number above 0")
    return np.array(counts, dtype=np.int64)


def _marked(column: Sequence[bool]) -> frozenset[int]:
    return frozenset(row for row, marked in enumerate(column) if marked)


def _extra_slices(column: Sequence[Sequence[str]]) -> dict[str, IntArray]:
    if not any(column):
        return {}
    found: dict[str, list[int]] = {}
    for row, names in enumerate(column):
        for name in names:
            found.setdefault(name, []).append(row)
    return {name: np.array(rows, dtype=np.int64) for name, rows in sorted(found.items())}


def _parsed(record: Mapping[str, Any]) -> Parsed:
    status, reason = record["status"], record["reason"]
    call = None if record["call"] is None else _call(record["call"])
    several = record.get("calls")
    calls = None if several is None else tuple(_call(entry) for entry in several)
    if status not in _STATUSES or (status == "ok") != (reason is None):
        raise ValueError(f"record {record['id']!r} has the status {status!r} and the reason {reason!r}")
    if (status == "ok") == (call is None):
        raise ValueError(f"record {record['id']!r} has a status that its call denies")
    span = record["span"]
    return Parsed(
        call,
        status,
        reason,
        None if span is None else (int(span[0]), int(span[1])),
        record["trailing_json"],
        calls,
    )


def _call(value: Mapping[str, Any]) -> ToolCall:
    name, arguments = value["name"], value["arguments"]
    if type(name) is not str or type(arguments) is not dict:
        raise ValueError(f"not a call: {value!r:.80}")
    return ToolCall(name, arguments)


def is_digested(gold: Gold, digest: str) -> bool:
    """Whether a stored digest is that of the stored gold beside it.

    msgspec's spelling of a gold is the canonical one where nothing in it has a second spelling: no letter
    beyond ASCII, no escape, no exponent and no small fraction, of which Python makes an exponent.
    """
    try:
        spelled = _encode(gold.to_dict())
    except (ValueError, OverflowError, RecursionError):
        return gold_digest(gold) == digest
    quick = sha256_bytes(spelled) == digest and _SPELLED_OTHERWISE.search(spelled) is None
    return quick or gold_digest(gold) == digest
