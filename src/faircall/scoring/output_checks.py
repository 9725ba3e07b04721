"""What outputs show without gold: readable, valid, offered, invented, cut off, repeated, and called when due.

Every check is a share of the rows that it applies to, with Wilson's interval over clusters. None is a metric:
a model that calls the wrong tool flawlessly passes them all. An answer of several well-formed calls is
checked call by call.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np

from faircall.canonical import spell
from faircall.records import Example, Generation, MetricValue, Parsed, ToolCall
from faircall.scoring.call_or_not import Verdict, call_or_not
from faircall.scoring.schema_validity import validity
from faircall.scoring.scores import is_truncated
from faircall.stats.cluster import number_roots
from faircall.stats.rates import rate_interval
from faircall.tools import declared_arguments, find_tool

SHOWN_NAMES: Final = 50


@dataclass(frozen=True, slots=True)
class Due:
    """What a row without gold says about calling: whether a call is due, None where it says nothing."""

    should_call_tool: bool | None

    def to_dict(self) -> dict[str, Any]:
        """`{"should_call_tool": ...}`."""
        return {"should_call_tool": self.should_call_tool}


def read_due(row: Mapping[str, Any]) -> Due:
    """What the field `should_call_tool` of a row says; gold is not looked at.

    Raises:
        ValueError: it is neither true nor false.
    """
    flag = row.get("should_call_tool")
    if flag is not None and not isinstance(flag, bool):
        raise ValueError("has a should_call_tool that is neither true nor false")
    return Due(flag)


class CheckedRow(NamedTuple):
    """One row without gold: its task, its answer, what was read, and the cluster that it belongs to."""

    example: Example
    generation: Generation
    parsed: Parsed
    cluster: str

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """Every call of a well-formed answer."""
        return self.parsed.all_calls or ()


def check_outputs(rows: Sequence[CheckedRow], *, level: float = 0.95) -> dict[str, Any]:
    """Every check as a share with its interval, and the counts beside them."""
    checks: dict[str, Callable[[CheckedRow], Verdict]] = {
        "readable": lambda row: bool(row.calls),
        "silent": lambda row: row.parsed.all_calls == (),
        "malformed": lambda row: row.parsed.all_calls is None,
        "schema_valid": _is_valid,
        "unknown_tool": _names_unknown_tool,
        "invented_argument": _invents_argument,
        "truncated": lambda row: (
            None if row.generation.finish_reason is None else is_truncated(row.generation)
        ),
        "repeated_in_answer": lambda row: len(_spellings(row)) < len(row.calls) if row.calls else None,
    }
    verdicts = {name: [check(row) for row in rows] for name, check in checks.items()}
    verdicts["repeated_call"] = list(_repeats(rows))
    verdicts.update(call_or_not([_due(row) for row in rows], [row.parsed for row in rows]))
    return {
        "rows": len(rows),
        "clusters": len({row.cluster for row in rows}),
        "checks": {name: _share(rows, found, level=level) for name, found in verdicts.items()},
        "reasons": _counts(row.parsed.reason for row in rows),
        "finish_reasons": _counts(row.generation.finish_reason for row in rows),
        "unknown_tools": _counts(name for row in rows for name in _unknown_tools(row)),
        "invented_arguments": _counts(name for row in rows for name in _invented(row)),
        "backend_failed": sum(row.generation.failure is not None for row in rows),
    }


def _due(row: CheckedRow) -> bool | None:
    truth = row.example.truth
    return truth.should_call_tool if isinstance(truth, Due) else None


def _is_valid(row: CheckedRow) -> Verdict:
    verdicts = {validity(row.example.tools, call) for call in row.calls}
    return "invalid" not in verdicts if verdicts & {"valid", "invalid"} else None


def _names_unknown_tool(row: CheckedRow) -> Verdict:
    return bool(_unknown_tools(row)) if row.calls and row.example.tools is not None else None


def _unknown_tools(row: CheckedRow) -> list[str]:
    tools = row.example.tools
    return [] if tools is None else [call.name for call in row.calls if find_tool(tools, call.name) is None]


def _invents_argument(row: CheckedRow) -> Verdict:
    known = any(_declared(row, call) is not None for call in row.calls)
    return bool(_invented(row)) if known else None


def _invented(row: CheckedRow) -> list[str]:
    """`tool.argument` for every argument that the tool's schema does not declare."""
    return [
        f"{call.name}.{name}"
        for call in row.calls
        if (declared := _declared(row, call)) is not None
        for name in sorted(call.arguments.keys() - declared)
    ]


def _declared(row: CheckedRow, call: ToolCall) -> frozenset[str] | None:
    tool = find_tool(row.example.tools or (), call.name)
    return None if tool is None else declared_arguments(tool)


def _repeats(rows: Sequence[CheckedRow]) -> Iterator[Verdict]:
    """Whether a call was made before, for a row of another root: one answer to different requests."""
    first_root: dict[str, str] = {}
    for row in rows:
        if not row.calls:
            yield None
            continue
        roots = {first_root.setdefault(spelling, row.example.root) for spelling in _spellings(row)}
        yield roots != {row.example.root}


def _spellings(row: CheckedRow) -> set[str]:
    return {spell(call.to_dict()) for call in row.calls}


def _share(rows: Sequence[CheckedRow], verdicts: Sequence[Verdict], *, level: float) -> dict[str, Any]:
    applies = [
        (row.cluster, verdict) for row, verdict in zip(rows, verdicts, strict=True) if verdict is not None
    ]
    hits = np.array([verdict for _, verdict in applies], dtype=np.int64)
    interval = rate_interval(hits, number_roots([cluster for cluster, _ in applies]), level=level)
    return {**MetricValue(int(hits.sum()), len(applies)).to_dict(), "interval": interval.to_dict()}


def _counts(values: Iterator[str | None]) -> dict[str, int]:
    """Largest first, then by name, so that the order of rows changes nothing."""
    found = Counter(value for value in values if value is not None)
    return dict(sorted(found.items(), key=lambda item: (-item[1], item[0]))[:SHOWN_NAMES])
