"""The records of a stored evaluation as columns again; what `to_dict` cannot have written is refused."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, get_args

import numpy as np

from faircall.records import METRIC_NAMES, Parsed, ParseStatus, Scores, ToolCall

if TYPE_CHECKING:
    from faircall.records import IntArray

_STATUSES: Final = get_args(ParseStatus)
_TEXT: Final = (str,)
_TEXT_OR_NONE: Final = (str, type(None))
_TYPES: Final[Mapping[str, tuple[type, ...]]] = {
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


def read_scores(records: Sequence[Mapping[str, Any]]) -> Scores:
    """The scored rows of `records`.

    Raises:
        KeyError, TypeError, ValueError, OverflowError: a record without the form of `Evaluation.records`.
    """
    columns = {name: read_column(records, name) for name in _TYPES}
    if len(set(columns["id"])) != len(records):
        raise ValueError("an id occurs twice")
    return Scores(
        ids=columns["id"],
        roots=columns["root"],
        labels=columns["language"],
        components=_components(columns["components"]),
        parsed=tuple(_parsed(record) for record in records),
        causes=columns["cause"],
        gold_sha256=columns["gold_sha256"],
        tasks_sha256=columns["tasks_sha256"],
        prompt_sha256=columns["prompt_sha256"],
        extra_slices=_extra_slices(columns["slices"]),
        truncated=_marked(columns["truncated"]),
        backend_failed=_marked(columns["backend_failed"]),
        gold_pairs=_gold_pairs(records),
    )


def read_column(records: Sequence[Mapping[str, Any]], name: str) -> tuple[Any, ...]:
    """One key of every record.

    >>> read_column([{"id": "a"}, {"id": 2}], "id")
    Traceback (most recent call last):
        ...
    ValueError: record 2 has the id 2
    """
    values = tuple(record[name] for record in records)
    if not set(map(type, values)) <= set(_TYPES[name]):
        number = next(row for row, value in enumerate(values) if type(value) not in _TYPES[name])
        raise ValueError(f"record {number + 1} has the {name} {values[number]!r}")
    return values


def _components(tables: Sequence[list[Any]]) -> IntArray:
    """Shape (rows, metrics, 2); whole numbers, of which the first of two is never the larger."""
    if not set(map(type, chain.from_iterable(chain.from_iterable(tables)))) <= {int}:
        raise ValueError("a component is not a whole number")
    found = np.array(tables, dtype=np.int64).reshape(len(tables), len(METRIC_NAMES), 2)
    if np.any(found[..., 0] < 0) or np.any(found[..., 0] > found[..., 1]):
        raise ValueError("a component is below 0 or above its denominator")
    return found


def _gold_pairs(records: Sequence[Mapping[str, Any]]) -> IntArray | None:
    """Gold pairs per row, where a protocol beside the default stored them."""
    if not any("gold_pairs" in record for record in records):
        return None
    counts = [record["gold_pairs"] for record in records]
    if not all(type(count) is int and count > 0 for count in counts):
        raise ValueError("gold_pairs is not a whole number above 0")
    return np.array(counts, dtype=np.int64)


def _marked(column: Sequence[bool]) -> frozenset[int]:
    return frozenset(row for row, marked in enumerate(column) if marked)


def _extra_slices(column: Iterable[Sequence[str]]) -> dict[str, IntArray]:
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
