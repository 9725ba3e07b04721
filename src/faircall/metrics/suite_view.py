"""The report of a suite as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from faircall.canonical import canonical_json
from faircall.reporting import numbers


def view_report(report: Mapping[str, Any]) -> str:
    """One unit metric's report: a line per value, indented under the metric that gave it."""
    lines = [f"{_title(report['unit'])}: {report['correct']} of {report['results']} correct"]
    for aggregate in report["aggregates"]:
        lines.append(f"  {_title(aggregate)}")
        lines.extend(_value_lines(aggregate["values"], indent=4))
    return "\n".join(lines)


def _title(named: Mapping[str, Any]) -> str:
    options = ", ".join(f"{name}={canonical_json(value)}" for name, value in named["options"].items())
    return f"{named['name']} ({options})" if options else str(named["name"])


def _value_lines(values: Mapping[str, Any], *, indent: int) -> Iterator[str]:
    shown = {name: value for name, value in values.items() if name not in ("interval", "intervals")}
    width = max(map(len, shown), default=0)
    intervals = values.get("intervals", {})
    for name, value in shown.items():
        interval = intervals.get(name) or (values.get("interval") if name == next(iter(shown)) else None)
        if isinstance(value, Mapping):
            yield f"{' ' * indent}{name}"
            yield from _value_lines(value, indent=indent + 2)
        else:
            yield f"{' ' * indent}{name:<{width}}  {_spell(value)}{_spell_interval(interval)}"


def _spell(value: Any) -> str:
    if value is None:
        return numbers.UNDEFINED
    if isinstance(value, float):
        return numbers.rate(value) if 0.0 <= value <= 1.0 else numbers.plain(value)
    return value if isinstance(value, str) else canonical_json(value)


def _spell_interval(interval: Mapping[str, Any] | None) -> str:
    if interval is None:
        return ""
    bounds = numbers.rate_interval(interval["lower"], interval["upper"])
    return f"  {numbers.level(interval['level'])} {bounds}"
