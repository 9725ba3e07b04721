"""Diagnosis: where the misses come from. It stands beside the metrics and never changes one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from faircall.records import Example, Parsed, Scores, ToolCall
from faircall.scoring.match import count_matched, count_pairs
from faircall.scoring.schema_validity import count_validity
from faircall.tools import find_tool

MAX_ARGUMENT_ROWS: Final = 50


def diagnose(examples: Sequence[Example], scores: Scores) -> dict[str, Any]:
    """Everything descriptive that a report says about one arm, ready for JSON.

    Keys:
        examples: rows. statuses: count per parse status. causes: count per cause, largest first.
        trailing_json, truncated, backend_failed: counts.
        confusion: per gold tool `{gold, examples, predicted: {name: count}, no_call, unknown_tool}`.
        worst_arguments: `{tool, argument, examples, missing, wrong}` over calls of the right tool.
        schema_validity: see `count_validity`.
    """
    statuses = Counter(found.status for found in scores.parsed)
    return {
        "examples": len(scores.ids),
        "statuses": {name: statuses[name] for name in ("ok", "no_json", "invalid_json", "invalid_shape")},
        "causes": dict(_ranked(Counter(cause for cause in scores.causes if cause is not None))),
        "trailing_json": sum(found.trailing_json for found in scores.parsed),
        "truncated": len(scores.truncated),
        "backend_failed": len(scores.backend_failed),
        "confusion": confusion(examples, scores.parsed),
        "worst_arguments": worst_arguments(examples, scores.parsed),
        "schema_validity": count_validity(examples, scores.parsed),
    }


def confusion(examples: Sequence[Example], parsed: Sequence[Parsed]) -> list[dict[str, Any]]:
    """Gold tool against predicted tool, with columns of their own for no call and for tools not offered."""
    rows: dict[str, Counter[tuple[str, str]]] = {}
    for example, gold, call in _calls(examples, parsed):
        rows.setdefault(gold.name, Counter())[_column(example, call)] += 1
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


def _column(example: Example, call: ToolCall | None) -> tuple[str, str]:
    """A pair, so that a tool that is really called `no_call` keeps a column of its own."""
    if call is None:
        return "no_call", ""
    if example.tools is not None and find_tool(example.tools, call.name) is None:
        return "unknown_tool", ""
    return "tool", call.name


def worst_arguments(examples: Sequence[Example], parsed: Sequence[Parsed]) -> list[dict[str, Any]]:
    """Top-level gold arguments that calls of the right tool left out or got wrong, worst first."""
    seen: Counter[tuple[str, str]] = Counter()
    missing: Counter[tuple[str, str]] = Counter()
    wrong: Counter[tuple[str, str]] = Counter()
    for _, gold, call in _calls(examples, parsed):
        if call is None or call.name != gold.name:
            continue
        for name, value in gold.arguments.items():
            seen[gold.name, name] += 1
            if name not in call.arguments:
                missing[gold.name, name] += 1
            elif not _is_equal(value, call.arguments[name]):
                wrong[gold.name, name] += 1
    return [
        {
            "tool": key[0],
            "argument": key[1],
            "examples": seen[key],
            "missing": missing[key],
            "wrong": wrong[key],
        }
        for key, _ in _ranked(missing + wrong)[:MAX_ARGUMENT_ROWS]
    ]


def _is_equal(gold: Any, predicted: Any) -> bool:
    return count_matched(gold, predicted) == count_pairs(gold) == count_pairs(predicted)


def _calls(
    examples: Iterable[Example], parsed: Iterable[Parsed]
) -> Iterator[tuple[Example, ToolCall, ToolCall | None]]:
    for example, found in zip(examples, parsed, strict=True):
        if example.gold is not None:
            yield example, example.gold, found.call


def _ranked(counts: Counter[Any]) -> list[tuple[Any, int]]:
    """Largest first, then by name, so that row order changes nothing."""
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))
