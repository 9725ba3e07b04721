"""Conditions on a comparison, for gates in scripts: `full_call_exact_match.lower < -0.01`.

    condition := [slice "/"] metric "." field operator number
    operator  := "<" | "<=" | ">" | ">=" | "==" | "!="

A condition is read before any work is done and judged on the JSON of the report. Without a slice, and as
`overall/`, it is about all rows: no slice can have that name. Bounds are those of the deciding interval: the
guarded one where there is one.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from faircall.comparing.scopes import OVERALL
from faircall.errors import UsageError
from faircall.records import METRIC_NAMES
from faircall.stats.intervals import deciding_interval
from faircall.stats.p_names import name_test

_PATTERN: Final = re.compile(
    r"\s*(?:(?P<slice>.+?)/)?(?P<metric>\w+)\.(?P<field>\w+)\s*"
    r"(?P<operator><=|>=|==|!=|<|>)\s*(?P<number>[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?)\s*",
    re.ASCII,
)
_OPERATORS: Final[Mapping[str, Callable[[float, float], bool]]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
_EXAMPLE: Final = 'for example "full_call_exact_match.lower < -0.01" or "fr/argument_f1.delta < 0"'


def _find_test(delta: Mapping[str, Any]) -> str | None:
    """The test whose p a condition is about."""
    return next((key for key in ("mcnemar_exact_p", "sign_flip_p") if key in delta["tests"]), None)


_FIELDS: Final[Mapping[str, Callable[[Mapping[str, Any]], Any]]] = {
    "baseline": lambda delta: delta["baseline"]["value"],
    "candidate": lambda delta: delta["candidate"]["value"],
    "delta": lambda delta: delta["delta"],
    "lower": lambda delta: deciding_interval(delta)["lower"],
    "upper": lambda delta: deciding_interval(delta)["upper"],
    "p": lambda delta: delta["tests"].get(_find_test(delta)),
    "discordant_roots": lambda delta: delta["discordant_roots"],
}


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition, read. `slice_name` is None for the overall scope."""

    text: str
    slice_name: str | None
    metric: str
    field: str
    operator: str
    number: float


def parse_condition(text: str) -> Condition:
    """Read one condition.

    Raises:
        UsageError: it is no condition, or names a metric or field that does not exist.

    >>> parse_condition("fr/argument_f1.delta < -0.01").slice_name
    'fr'
    >>> parse_condition("argument_f1.delta < x")
    Traceback (most recent call last):
        ...
    faircall.errors.UsageError: not a condition: 'argument_f1.delta < x'
    """
    match = _PATTERN.fullmatch(text)
    if match is None:
        raise UsageError(f"not a condition: {text!r}", hint=_EXAMPLE)
    _demand("metric", match["metric"], METRIC_NAMES)
    _demand("field", match["field"], _FIELDS)
    return Condition(
        text=text.strip(),
        slice_name=match["slice"],
        metric=match["metric"],
        field=match["field"],
        operator=match["operator"],
        number=float(match["number"]),
    )


def measure(condition: Condition, report: Mapping[str, Any]) -> float:
    """The number that the condition is about, from a comparison report.

    Raises:
        UsageError: the report has no such slice, or the number is undefined there.
    """
    value = _FIELDS[condition.field](_find_delta(condition, report))
    if value is None:
        raise UsageError(
            f"{condition.metric}.{condition.field} is undefined here",
            hint="the report's JSON gives the reason",
        )
    return float(value)


def _find_delta(condition: Condition, report: Mapping[str, Any]) -> Mapping[str, Any]:
    scopes = {**report["slices"], OVERALL: report["overall"]}
    name = OVERALL if condition.slice_name is None else condition.slice_name
    _demand("slice", name, scopes)
    delta: Mapping[str, Any] = scopes[name]["metrics"][condition.metric]
    return delta


def judge(conditions: Sequence[Condition], report: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Every condition with its number and whether it holds: the `conditions` of a report."""
    return [
        {"text": one.text, "value": measure(one, report), "holds": holds(one, report), **_name_p(one, report)}
        for one in conditions
    ]


def _name_p(condition: Condition, report: Mapping[str, Any]) -> dict[str, str]:
    """The test of a condition about p: a difference has several, and they are not equal."""
    test = _find_test(_find_delta(condition, report)) if condition.field == "p" else None
    return {"test": name_test(test)} if test else {}


def holds(condition: Condition, report: Mapping[str, Any]) -> bool:
    """Whether the condition holds in a comparison report."""
    return _OPERATORS[condition.operator](measure(condition, report), condition.number)


def _demand(kind: str, name: str, known: Any) -> None:
    if name not in known:
        raise UsageError(
            f"unknown {kind} {name!r} in a condition", hint=f"one of {', '.join(known) or 'none'}"
        )
