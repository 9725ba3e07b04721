"""Diagnosis: where the misses come from. It stands beside the metrics and never changes one."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Final

from faircall.records import Example, Parsed, Scores, ToolCall
from faircall.scoring.match import is_equal
from faircall.scoring.schema_validity import Verdict, describe_validity, validity
from faircall.tools import find_tool

MAX_ARGUMENT_ROWS: Final = 50
STATUSES: Final = ("ok", "no_json", "invalid_json", "invalid_shape")


@dataclass
class DiagnosisCounts:
    """What a diagnosis is made of: counts that add up, row by row or block by block.

    Attributes:
        predicted: gold tool, kind of prediction (`tool`, `no_call`, `unknown_tool`) and its name.
        seen, missing, wrong: gold tool and argument, over calls of the right tool.
    """

    examples: int = 0
    trailing_json: int = 0
    truncated: int = 0
    backend_failed: int = 0
    statuses: Counter[str] = field(default_factory=Counter)
    causes: Counter[str] = field(default_factory=Counter)
    predicted: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    seen: Counter[tuple[str, str]] = field(default_factory=Counter)
    missing: Counter[tuple[str, str]] = field(default_factory=Counter)
    wrong: Counter[tuple[str, str]] = field(default_factory=Counter)
    validity: Counter[Verdict] = field(default_factory=Counter)

    def add(
        self, examples: Sequence[Example], parsed: Sequence[Parsed], causes: Sequence[str | None]
    ) -> None:
        """Count rows; row i of each argument belongs to the same example."""
        for row in zip(examples, parsed, causes, strict=True):
            self.add_row(*row)

    def add_row(self, example: Example, parsed: Parsed, cause: str | None) -> None:
        """Count one row; its cause is None when the call is the gold call."""
        self.examples += 1
        self.trailing_json += parsed.trailing_json
        self.statuses[parsed.status] += 1
        if cause is not None:
            self.causes[cause] += 1
        if parsed.call is not None:
            self.validity[validity(example.tools, parsed.call)] += 1
        if example.gold is not None:
            self._count_call(example, example.gold, parsed.call, right=cause is None)

    def add_golds(self, golds: Sequence[ToolCall], *, trailing_json: int = 0) -> None:
        """Count rows whose offered tools are not known, and whose prediction is their gold call."""
        self.trailing_json += trailing_json
        self.examples += len(golds)
        self.statuses["ok"] += len(golds)
        self.validity["no_schema"] += len(golds)
        by_tool: defaultdict[str, list[Mapping[str, Any]]] = defaultdict(list)
        for gold in golds:
            by_tool[gold.name].append(gold.arguments)
        for tool, calls in by_tool.items():
            self.predicted[tool, "tool", tool] += len(calls)
            for name, count in Counter(chain.from_iterable(calls)).items():
                self.seen[tool, name] += count

    def merge(self, other: DiagnosisCounts) -> None:
        """Add what was counted over other rows."""
        for name, counted in vars(other).items():
            mine = getattr(self, name)
            if isinstance(mine, Counter):
                mine.update(counted)
            else:
                setattr(self, name, mine + counted)

    def _count_call(self, example: Example, gold: ToolCall, call: ToolCall | None, *, right: bool) -> None:
        self.predicted[gold.name, *_column(example, call)] += 1
        if call is None or call.name != gold.name:
            return
        for name, value in gold.arguments.items():
            self.seen[gold.name, name] += 1
            if right:
                continue
            if name not in call.arguments:
                self.missing[gold.name, name] += 1
            elif not is_equal(value, call.arguments[name]):
                self.wrong[gold.name, name] += 1

    def to_dict(self) -> dict[str, Any]:
        """The diagnosis, ready for JSON: see `diagnose`."""
        return {
            **self.outcomes(),
            "confusion": self._confusion(),
            "worst_arguments": self._worst_arguments(),
            "schema_validity": describe_validity(self.validity),
        }

    def outcomes(self) -> dict[str, Any]:
        """Of the diagnosis, what needs neither gold calls nor offered tools."""
        return {
            "examples": self.examples,
            "statuses": {name: self.statuses[name] for name in STATUSES},
            "causes": dict(_ranked(self.causes)),
            "trailing_json": self.trailing_json,
            "truncated": self.truncated,
            "backend_failed": self.backend_failed,
        }

    def _confusion(self) -> list[dict[str, Any]]:
        """Gold against predicted tool, with columns of their own for no call and for tools not offered."""
        rows: dict[str, Counter[tuple[str, str]]] = {}
        for (gold, *column), count in self.predicted.items():
            rows.setdefault(gold, Counter())[column[0], column[1]] += count
        return [
            {
                "gold": name,
                "examples": counts.total(),
                "predicted": {label: n for (kind, label), n in _ranked(counts) if kind == "tool"},
                "no_call": counts["no_call", ""],
                "unknown_tool": counts["unknown_tool", ""],
            }
            for name, counts in sorted(rows.items())
        ]

    def _worst_arguments(self) -> list[dict[str, Any]]:
        """Top-level gold arguments that calls of the right tool left out or got wrong, worst first."""
        return [
            {
                "tool": key[0],
                "argument": key[1],
                "examples": self.seen[key],
                "missing": self.missing[key],
                "wrong": self.wrong[key],
            }
            for key, _ in _ranked(self.missing + self.wrong)[:MAX_ARGUMENT_ROWS]
        ]


def diagnose(examples: Sequence[Example], scores: Scores) -> dict[str, Any]:
    """Everything descriptive that a report says about one arm, ready for JSON.

    Keys:
        examples: rows. statuses: count per parse status. causes: count per cause, largest first.
        trailing_json, truncated, backend_failed: counts.
        confusion: per gold tool `{gold, examples, predicted: {name: count}, no_call, unknown_tool}`.
        worst_arguments: `{tool, argument, examples, missing, wrong}` over calls of the right tool.
        schema_validity: see `describe_validity`.
    """
    counts = DiagnosisCounts(truncated=len(scores.truncated), backend_failed=len(scores.backend_failed))
    counts.add(examples, scores.parsed, scores.causes)
    return counts.to_dict()


def count_outcomes(scores: Scores) -> dict[str, Any]:
    """Examples, statuses, causes, trailing_json, truncated and backend_failed, as `diagnose` counts them."""
    return DiagnosisCounts(
        examples=len(scores.ids),
        trailing_json=sum(parsed.trailing_json for parsed in scores.parsed),
        truncated=len(scores.truncated),
        backend_failed=len(scores.backend_failed),
        statuses=Counter(parsed.status for parsed in scores.parsed),
        causes=Counter(cause for cause in scores.causes if cause is not None),
    ).outcomes()


def _column(example: Example, call: ToolCall | None) -> tuple[str, str]:
    """A pair, so that a tool that is really called `no_call` keeps a column of its own."""
    if call is None:
        return "no_call", ""
    if example.tools is not None and find_tool(example.tools, call.name) is None:
        return "unknown_tool", ""
    return "tool", call.name


def _ranked(counts: Counter[Any]) -> list[tuple[Any, int]]:
    """Largest first, then by name, so that row order changes nothing."""
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))
