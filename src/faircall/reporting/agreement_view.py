"""What `faircall compare --no-gold` shows: agreement, classes of disagreement, each arm on its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from faircall.reporting import numbers
from faircall.reporting.blocks import Line, Table, View

_FAILURES: Final = ("no_json", "invalid_json", "invalid_shape")


def view_agreement(report: Mapping[str, Any]) -> View:
    """The blocks of an agreement report."""
    agreement, sides = report["agreement"], (report["baseline"], report["candidate"])
    interval = agreement["interval"]
    names = tuple(side["arm"] for side in sides)
    return (
        Line(
            f"{names[0]} -> {names[1]}: {numbers.counted(report['examples'], 'example')}, no gold",
            tone="heading",
        ),
        Line(
            f"agreement: {numbers.counts(agreement['numerator'], agreement['denominator'])} "
            f"{numbers.rate(agreement['value'])}, {numbers.level(interval['level'])} CI "
            f"{numbers.rate_interval(interval['lower'], interval['upper'])}"
        ),
        Line("Agreement is not accuracy: both can be wrong alike.", tone="quiet"),
        Table(
            "Classes",
            ("class", "examples"),
            tuple((name, str(count)) for name, count in report["classes"].items()),
        ),
        Table("Each arm", ("", *names), tuple(_facts(sides))),
    )


def _facts(sides: tuple[Mapping[str, Any], ...]) -> list[tuple[str, ...]]:
    rows = [("calls", *(str(side["statuses"]["ok"]) for side in sides))]
    rows += [(name, *(str(side["statuses"][name]) for side in sides)) for name in _FAILURES]
    validity = [side["schema_validity"] for side in sides]
    rows.append(("calls of tools that were not offered", *(str(found["unknown_tool"]) for found in validity)))
    rows.append(("valid by the tool's schema", *map(_validity, validity)))
    rows += [(name, *(str(side[name]) for side in sides)) for name in ("truncated", "backend_failed")]
    return rows


def _validity(found: Mapping[str, Any]) -> str:
    if not found["denominator"]:
        return "no call with a schema"
    return f"{numbers.counts(found['numerator'], found['denominator'])} {numbers.rate(found['value'])}"
