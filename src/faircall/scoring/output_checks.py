"""What outputs show without gold: readable, valid, offered, invented, cut off, repeated, and called when due.

Every check is a share of the rows that it applies to, with Wilson's interval over clusters. None is a metric:
a model that calls the wrong tool flawlessly passes them all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from faircall.canonical import canonical_json
from faircall.records import Example, Generation, MetricValue, Parsed
from faircall.scoring.offered import declared_arguments, find_tool
from faircall.scoring.schema_validity import validity
from faircall.scoring.scores import is_truncated
from faircall.stats.cluster import number_roots
from faircall.stats.rates import rate_interval
from faircall.tools import declaration

SHOULD_CALL: Final = "should_call_tool"
"""The column that says whether a row should be answered by a call at all."""

_BFCL_TYPES: Final = {"dict": "object", "float": "number", "tuple": "array"}


class CheckedRow(NamedTuple):
    """One row without gold: its task, its answer, what was read, and the cluster that it belongs to."""

    example: Example
    generation: Generation
    parsed: Parsed
    cluster: str


Verdict = bool | None
"""Whether a check holds for a row; None where it does not apply."""


def check_outputs(rows: Sequence[CheckedRow], *, level: float = 0.95) -> dict[str, Any]:
    """Every check as a share with its interval, and the counts beside them."""
    checks: dict[str, Callable[[CheckedRow], Verdict]] = {
        "readable": lambda row: row.parsed.status == "ok",
        "schema_valid": _is_valid,
        "unknown_tool": _names_unknown_tool,
        "invented_argument": _invents_argument,
        "truncated": lambda row: (
            None if row.generation.finish_reason is None else is_truncated(row.generation)
        ),
    }
    verdicts = {name: [check(row) for row in rows] for name, check in checks.items()}
    verdicts["repeated_call"] = list(_repeats(rows))
    verdicts.update(_call_or_not(rows))
    return {
        "rows": len(rows),
        "clusters": len({row.cluster for row in rows}),
        "checks": {name: _share(rows, found, level=level) for name, found in verdicts.items()},
        "reasons": _counts(row.parsed.reason for row in rows),
        "finish_reasons": _counts(row.generation.finish_reason for row in rows),
        "backend_failed": sum(row.generation.failure is not None for row in rows),
    }


def with_bfcl_types(tools: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Tools whose schemas are written in BFCL's dialect, in JSON Schema's words; `any` says nothing.

    >>> with_bfcl_types([{"name": "f", "parameters": {"type": "dict", "properties": {"x": {"type": "any"}}}}])
    [{'name': 'f', 'parameters': {'type': 'object', 'properties': {'x': {}}}}]
    """
    found = []
    for tool in tools:
        bare = declaration(tool)
        found.append(
            {**bare, "parameters": _translated(bare["parameters"])} if "parameters" in bare else {**bare}
        )
    return found


def _translated(schema: Any) -> Any:
    """A schema or a part of it; under `properties`, a key `type` holds a schema and not a word."""
    if isinstance(schema, list):
        return [_translated(member) for member in schema]
    if not isinstance(schema, Mapping):
        return schema
    found = {key: _translated(member) for key, member in schema.items()}
    if found.get("type") == "any":
        del found["type"]
    elif isinstance(found.get("type"), str):
        found["type"] = _BFCL_TYPES.get(found["type"], found["type"])
    return found


def _is_valid(row: CheckedRow) -> Verdict:
    if row.parsed.call is None:
        return None
    return {"valid": True, "invalid": False}.get(validity(row.example.tools, row.parsed.call))


def _names_unknown_tool(row: CheckedRow) -> Verdict:
    if row.parsed.call is None or row.example.tools is None:
        return None
    return find_tool(row.example.tools, row.parsed.call.name) is None


def _invents_argument(row: CheckedRow) -> Verdict:
    if row.parsed.call is None or row.example.tools is None:
        return None
    tool = find_tool(row.example.tools, row.parsed.call.name)
    declared = None if tool is None else declared_arguments(tool)
    return None if declared is None else not declared.issuperset(row.parsed.call.arguments)


def _repeats(rows: Sequence[CheckedRow]) -> Iterator[Verdict]:
    """Whether a call was made before, for a row of another root: one answer to different requests."""
    first_root: dict[str, str] = {}
    for row in rows:
        if row.parsed.call is None:
            yield None
            continue
        root = first_root.setdefault(canonical_json(row.parsed.call.to_dict()), row.example.root)
        yield root != row.example.root


def _call_or_not(rows: Sequence[CheckedRow]) -> dict[str, list[Verdict]]:
    """Precision and recall of calling at all, where rows say whether they should be."""
    due = [row.example.extra.get(SHOULD_CALL) for row in rows]
    if not any(isinstance(value, bool) for value in due):
        return {}
    # An abstention is marked by `calls=()` when answers are read; malformed output is none.
    called = [row.parsed.calls != () for row in rows]
    pairs = list(zip(due, called, strict=True))
    return {
        "call_precision": [should if made and isinstance(should, bool) else None for should, made in pairs],
        "call_recall": [made if should is True else None for should, made in pairs],
        "no_call_precision": [
            not should if not made and isinstance(should, bool) else None for should, made in pairs
        ],
        "no_call_recall": [not made if should is False else None for should, made in pairs],
    }


def _share(rows: Sequence[CheckedRow], verdicts: Sequence[Verdict], *, level: float) -> dict[str, Any]:
    applies = [
        (row.cluster, verdict) for row, verdict in zip(rows, verdicts, strict=True) if verdict is not None
    ]
    hits = np.array([verdict for _, verdict in applies], dtype=np.int64)
    interval = rate_interval(hits, number_roots([cluster for cluster, _ in applies]), level=level)
    return {**MetricValue(int(hits.sum()), len(applies)).to_dict(), "interval": interval.to_dict()}


def _counts(values: Iterator[str | None]) -> dict[str, int]:
    return dict(Counter(value for value in values if value is not None).most_common())
