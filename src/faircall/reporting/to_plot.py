"""The intervals of a report as a picture, PNG or SVG, drawn by matplotlib (extra `plots`).

The same report gives the same bytes under one version of matplotlib: no date, no random names inside.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, Final, NamedTuple

from faircall.errors import DependencyMissing
from faircall.records import HEADLINE, METRIC_NAMES
from faircall.reporting import numbers
from faircall.reporting.comparison_view import tell_treatment, tell_verdict
from faircall.reporting.renderers import Renderer, Subject
from faircall.reporting.to_terminal import clean
from faircall.stats.intervals import deciding_interval

Json = Mapping[str, Any]

MOST_ROWS: Final = 60
"""A picture with more slices than this is not read by anybody; the tables have them all."""

_STYLE: Final = {"svg.hashsalt": "faircall", "svg.fonttype": "path", "text.parse_math": False, "font.size": 9}
_COLOURS: Final = {"better": "#1a7f37", "worse": "#b3261e", "open": "#57606a"}
_METADATA: Final = {"png": {"Software": None}, "svg": {"Date": None, "Creator": "faircall"}}


class Row(NamedTuple):
    """One interval: shares, None where it is undefined."""

    label: str
    value: float | None
    lower: float | None
    upper: float | None
    text: str


def plot_rows(subject: Subject) -> list[Row]:
    """The rows of the picture, in the order of the report: every metric, then the strictest one per slice."""
    make = _difference if subject.kind == "comparison" else _share
    return [make(label, block) for label, block in _blocks(subject)][:MOST_ROWS]


def _blocks(subject: Subject) -> Iterator[tuple[str, Json]]:
    report = subject.report
    overall = report["overall"] if subject.kind == "comparison" else report
    for name in METRIC_NAMES:
        if name in overall["metrics"]:
            yield name, overall["metrics"][name]
    for name, scope in (report.get("slices") or {}).items():
        yield f"{name}: {HEADLINE}", scope["metrics"][HEADLINE]


def _difference(label: str, delta: Json) -> Row:
    bounds = deciding_interval(delta)
    lower, upper = bounds["lower"], bounds["upper"]
    text = f"{numbers.points(delta['delta'])}  {numbers.interval(lower, upper)}"
    return Row(label, delta["delta"], lower, upper, text)


def _share(label: str, metric: Json) -> Row:
    interval = metric.get("interval") or {"lower": None, "upper": None}
    lower, upper = interval["lower"], interval["upper"]
    value = metric["value"] if metric["denominator"] else None
    return Row(label, value, lower, upper, f"{numbers.rate(value)}  {numbers.rate_interval(lower, upper)}")


def to_plot(subject: Subject, *, form: str) -> bytes:
    """The picture. `form` is `png` or `svg`.

    Raises:
        DependencyMissing: matplotlib is not installed.
    """
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError as error:
        hint = "pip install 'faircall[plots]'"
        raise DependencyMissing("drawing needs matplotlib", hint=hint) from error
    rows = plot_rows(subject)
    with matplotlib.rc_context(_STYLE), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # characters that the font lacks are drawn as boxes
        figure = Figure(figsize=(9.0, 1.6 + 0.32 * len(rows)), layout="constrained")
        _draw(figure.add_subplot(), subject, rows)
        file = io.BytesIO()
        figure.savefig(file, format=form, dpi=150, metadata=_METADATA[form])
    return file.getvalue()


def _draw(axes: Any, subject: Subject, rows: list[Row]) -> None:
    comparison = subject.kind == "comparison"
    for place, row in enumerate(rows):
        if row.value is None:
            continue
        colour = _COLOURS[_side(row) if comparison else "open"]
        if row.lower is not None and row.upper is not None:
            axes.plot([100 * row.lower, 100 * row.upper], [place, place], color=colour, linewidth=2)
        axes.plot([100 * row.value], [place], marker="o", color=colour, markersize=5)
    axes.set_yticks(range(len(rows)), [clean(row.label) for row in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    if comparison:
        axes.axvline(0.0, color="#24292f", linewidth=0.8)
    else:
        axes.set_xlim(-2, 102)
    _write_numbers(axes, rows)
    title, label = _words(subject)
    axes.set_title("\n".join(map(clean, title)), loc="left", fontsize=9)
    axes.set_xlabel(clean(label))
    axes.grid(axis="x", color="#d0d7de", linewidth=0.5)
    axes.spines[["top", "right", "left"]].set_visible(False)


def _side(row: Row) -> str:
    if row.lower is None or row.upper is None:
        return "open"
    return "better" if row.lower > 0 else "worse" if row.upper < 0 else "open"


def _write_numbers(axes: Any, rows: list[Row]) -> None:
    """The numbers beside the intervals, on a second axis, so that the layout leaves room for them."""
    right = axes.twinx()
    right.set_ylim(axes.get_ylim())
    right.set_yticks(range(len(rows)), [row.text for row in rows])
    right.tick_params(length=0)
    right.spines[["top", "right", "left", "bottom"]].set_visible(False)


def _words(subject: Subject) -> tuple[tuple[str, ...], str]:
    """The lines of the title, and what the axis measures."""
    report = subject.report
    if subject.kind == "evaluation":
        return (f"{report['name']}: {numbers.counted(report['examples'], 'example')}",), "per cent"
    names = f"{report['candidate']['arm']} minus {report['baseline']['arm']}"
    return (_short(tell_treatment(report)), _short(tell_verdict(report))), f"points, {names}"


def _short(text: str, limit: int = 110) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"


PNG: Final = Renderer(".png", partial(to_plot, form="png"))
SVG: Final = Renderer(".svg", partial(to_plot, form="svg"))
