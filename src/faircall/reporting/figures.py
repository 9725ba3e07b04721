"""Numbers on a page: each carries the place in the JSON report that it was read from, and how it is written.

A place is a JSON Pointer (RFC 6901). `<span data-at="/overall/examples" data-as="count">60</span>` says it
all: a reader can look the number up, and a test does so for every one of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from markupsafe import Markup

from faircall.canonical import canonical_json
from faircall.reporting import numbers
from faircall.reporting.to_terminal import clean

Form: TypeAlias = Callable[[Any], str]


def at(*steps: str | int) -> str:
    """The JSON Pointer of a place.

    >>> at("slices", "a/b", "metrics", 0)
    '/slices/a~1b/metrics/0'
    """
    return "".join(f"/{str(step).replace('~', '~0').replace('/', '~1')}" for step in steps)


def find(report: Any, pointer: str) -> Any:
    """The value at a pointer.

    Raises:
        KeyError, IndexError: nothing is there.

    >>> find({"a": [1, {"b/c": 2}]}, "/a/1/b~1c")
    2
    """
    value = report
    for step in pointer.split("/")[1:]:
        key = step.replace("~1", "/").replace("~0", "~")
        value = value[int(key)] if isinstance(value, list) else value[key]
    return value


def spell_value(value: Any) -> str:
    """A value of a report as text: strings as they are, None as unknown, everything else as JSON.

    >>> spell_value("float32"), spell_value(None), spell_value([1, "a"])
    ('float32', 'unknown', '[1,"a"]')
    """
    if value is None:
        return "unknown"
    return clean(value if isinstance(value, str) else canonical_json(value))


def _rate_of(metric: Mapping[str, Any]) -> str:
    return numbers.rate(metric["value"] if metric["denominator"] else None)


def _nanoseconds(value: int | None) -> str:
    return numbers.seconds(None if value is None else value / 1e9)


FORMS: Final[Mapping[str, Form]] = {
    "count": lambda value: numbers.UNDEFINED if value is None else str(value),
    "counts": lambda metric: numbers.counts(metric["numerator"], metric["denominator"]),
    "spoken": lambda metric: f"{metric['numerator']} of {metric['denominator']}",
    "sum": lambda group: str(sum(group.values())),
    "size": lambda group: str(len(group)),
    "rate": numbers.rate,
    "rate of": _rate_of,
    "rate bound": numbers.rate_bound,
    "points": numbers.points,
    "size of points": lambda value: numbers.points(abs(value)).removeprefix("+"),
    "interval": lambda bounds: numbers.interval(bounds["lower"], bounds["upper"]),
    "spoken interval": lambda b: f"{numbers.points(b['lower'])} to {numbers.points(b['upper'])}",
    "rate interval": lambda bounds: numbers.rate_interval(bounds["lower"], bounds["upper"]),
    "level": numbers.level,
    "p": numbers.p_value,
    "seconds": numbers.seconds,
    "nanoseconds": _nanoseconds,
    "ratio": numbers.ratio,
    "ratio interval": lambda bounds: numbers.ratio_interval(bounds["lower"], bounds["upper"]),
    "memory": numbers.size,
    "plain": numbers.plain,
    "text": spell_value,
}


class Figures:
    """The numbers of one report, as marked-up text."""

    def __init__(self, report: Mapping[str, Any]) -> None:
        self.report = report

    def find(self, pointer: str) -> Any:
        """The value at a pointer."""
        return find(self.report, pointer)

    def show(self, pointer: str, form: str) -> Markup:
        """The number at a pointer in one of the `FORMS`, with both written beside it."""
        text = FORMS[form](self.find(pointer))
        tag = "bdi" if form == "text" else "span"
        opening = f'<{tag} class="n" data-at="{{}}" data-as="{{}}">'
        return Markup(opening + f"{{}}</{tag}>").format(pointer, form, text)
