"""Reports as one HTML file each: no network, no framework, everything from data escaped.

A page is a template under `html/` over the JSON of a report. Its numbers go through `figures.py`, so each
names its place in that JSON; the examples behind it travel beside as compact JSON (`example_rows.py`).
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, Final, NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from faircall.records import BINARY_METRIC_NAMES, HEADLINE, METRIC_NAMES
from faircall.reporting import comparison_view, forest, verdict
from faircall.reporting.example_rows import OTHER_TOOL, ExampleRow, pack_rows, script_json
from faircall.reporting.figures import Figures, at
from faircall.reporting.heat_map import draw_heat_map
from faircall.reporting.renderers import Renderer, Subject
from faircall.reporting.to_terminal import clean
from faircall.stats.intervals import deciding_interval

Json = Mapping[str, Any]

_STYLES: Final = {"baseline": "arm-a", "candidate": "arm-b"}


class ArmPlace(NamedTuple):
    """An arm as a template shows it: its name, a place in the report, and the class of its colour."""

    name: str
    place: str
    style: str


def comparison_page(report: Json, rows: Sequence[ExampleRow] | None = None, *, redacted: bool = False) -> str:
    """The page of a comparison report.

    Args:
        report: the JSON of `comparison_report.json`.
        rows: the examples behind it, baseline's answer first; None leaves out the list of examples.
        redacted: whether prompts, outputs and argument values stay out.
    """
    report = redact_names(report) if redacted else report
    figures = Figures(report)
    return _render(
        "comparison.html.j2",
        report,
        figures,
        rows,
        redacted=redacted,
        word=verdict.word_of(report),
        verdict=verdict.title(report),
        counts=verdict.tell_counts(report, figures),
        split=verdict.tell_split(figures),
        limits=list(verdict.tell_limits(report, figures)),
        treatment=clean(comparison_view.tell_treatment(report)).replace(" -> ", " → "),
        both_arms=[ArmPlace(report[side]["arm"], "", style) for side, style in _STYLES.items()],
    )


def evaluation_page(report: Json, rows: Sequence[ExampleRow] | None = None, *, redacted: bool = False) -> str:
    """The page of one arm: an evaluation with `name`, or the `evaluation_report.json` of a run.

    Args:
        report: its JSON.
        rows: the examples behind it; None leaves out the list of examples.
        redacted: whether prompts, outputs and argument values stay out.
    """
    report = redact_names(report) if redacted else report
    name = str(report.get("name", report.get("arm")))
    return _render(
        "evaluation.html.j2",
        report,
        Figures(report),
        rows,
        redacted=redacted,
        name=name,
        arms=[ArmPlace(name, "/diagnosis", "arm-b")] if report.get("diagnosis") else [],
        measured=[ArmPlace(name, "/inference_efficiency", "arm-b")]
        if report.get("inference_efficiency")
        else [],
        both_arms=[ArmPlace(name, "", "arm-b")],
    )


def experiment_page(report: Json, *, redacted: bool = False) -> str:
    """The page of an experiment: all arms of a run, pair by pair; it holds no texts."""
    report = redact_names(report) if redacted else report
    figures = Figures(report)
    sentences = [
        _Sentence(verdict.title(pair), verdict.tell_counts(pair, figures, at("pairs", place)))
        for place, pair in enumerate(report["pairs"])
    ]
    efficiency = (report.get("inference_efficiency") or {}).get("arms") or {}
    return _render(
        "experiment.html.j2",
        report,
        figures,
        None,
        redacted=redacted,
        sentences=sentences,
        measured=[
            ArmPlace(name, at("inference_efficiency", "arms", name), "")
            for name in report["arm_order"]
            if name in efficiency
        ],
    )


class _Sentence(NamedTuple):
    title: Markup
    counts: Markup


def redact_names(report: Json) -> dict[str, Any]:
    """The report with tool names that only a model's answer can have brought in put together as another tool.

    >>> row = {"gold": "f", "predicted": {"f": 1, "g": 2, "h": 3}}
    >>> redact_names({"diagnosis": {"confusion": [row]}})["diagnosis"]["confusion"][0]["predicted"]
    {'f': 1, '(another tool)': 5}
    """
    known = _gold_tools(report)

    def redact(value: Any) -> Any:
        if isinstance(value, list):
            return [redact(member) for member in value]
        if not isinstance(value, Mapping):
            return value
        if "predicted" in value and "gold" in value:
            return {**value, "predicted": _fold_names(value["predicted"], known)}
        return {key: redact(member) for key, member in value.items()}

    redacted: dict[str, Any] = redact(report)
    return redacted


def _gold_tools(value: Any) -> set[str]:
    if isinstance(value, list):
        return set().union(*(_gold_tools(member) for member in value))
    if not isinstance(value, Mapping):
        return set()
    if "predicted" in value and "gold" in value:
        return {value["gold"]}
    return set().union(*(_gold_tools(member) for member in value.values()))


def _fold_names(predicted: Mapping[str, int], known: set[str]) -> dict[str, int]:
    others = sum(count for name, count in predicted.items() if name not in known)
    kept = {name: count for name, count in predicted.items() if name in known}
    return {**kept, OTHER_TOOL: others} if others else kept


# --- Rendering


def _render(
    template: str,
    report: Json,
    figures: Figures,
    rows: Sequence[ExampleRow] | None,
    *,
    redacted: bool,
    **content: Any,
) -> str:
    style, script = _asset("report.css"), _asset("report.js")
    return (
        _environment()
        .get_template(template)
        .render(
            report=report,
            n=figures.show,
            get=figures.find,
            deciding=lambda place: _deciding(figures, place),
            arms_at=lambda place: _arms_at(report, place),
            cause_order=lambda arms: _order_causes([figures.find(arm.place)["causes"] for arm in arms]),
            rows_json=Markup(script_json(pack_rows(rows, redacted=redacted))) if rows else "",
            redacted=redacted,
            style=Markup(style),
            script=Markup(script),
            policy=security_policy(style, script),
            **content,
        )
    )


def security_policy(*inline: str, connect: bool = False) -> str:
    """The Content-Security-Policy of a page: its own inline style and script by their hashes, nothing else.

    >>> security_policy("a {}", "1")[:49]
    "default-src 'none'; style-src 'sha256-8rIYpWvYPDT"
    """
    style, *scripts = (f"'sha256-{_digest(text)}'" for text in inline)
    more = "; connect-src 'self'" if connect else ""
    return (
        f"default-src 'none'; style-src {style}; script-src {' '.join(scripts)}{more}; "
        "base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")


@cache
def _asset(name: str) -> str:
    return files("faircall.reporting").joinpath("html", name).read_text(encoding="utf-8")


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("faircall.reporting", "html"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["clean"] = lambda text: clean(str(text))
    environment.globals.update(
        at=at,
        headline=HEADLINE,
        metric_order=METRIC_NAMES,
        headline_first=(HEADLINE, *(name for name in METRIC_NAMES if name != HEADLINE)),
        binary_metrics=BINARY_METRIC_NAMES,
        judge=verdict.judge,
        scale_of=_scale_of,
        tick_label=forest.tick_label,
        rates=forest.RATES,
        draw_heat_map=draw_heat_map,
        split_parts=_split_parts,
        bar=_bar,
    )
    return environment


# --- What templates ask


def _deciding(figures: Figures, place: str) -> str:
    """The place of the interval that decides."""
    return place + at("guarded" if figures.find(place).get("guarded") else "interval")


def _arms_at(report: Json, place: str) -> list[ArmPlace]:
    """Both arms with their blocks under `/diagnosis` and the like; empty when one of them has none."""
    key = place.removeprefix("/")
    blocks = report.get(key) or {}
    if not all(blocks.get(side) for side in _STYLES):
        return []
    return [ArmPlace(report[side]["arm"], place + at(side), style) for side, style in _STYLES.items()]


def _scale_of(comparison: Json) -> forest.Scale:
    """One scale for every interval of a comparison, and so for all of its rows."""
    scopes = [comparison["overall"], *(comparison.get("slices") or {}).values()]
    deltas = [delta for scope in scopes for delta in scope["metrics"].values()]
    return forest.scale_for(deciding_interval(delta) for delta in deltas)


class _Causes(NamedTuple):
    causes: list[str]
    largest: int


def _order_causes(counts: Sequence[Mapping[str, int]]) -> _Causes:
    """All causes, those with most examples first, and the largest count of one arm."""
    names = {name for arm in counts for name in arm}
    ranked = sorted(names, key=lambda name: (-sum(arm.get(name, 0) for arm in counts), name))
    return _Causes(ranked, max((count for arm in counts for count in arm.values()), default=0))


class _Part(NamedTuple):
    name: str
    x: str
    width: str


def _split_parts(decomposition: Mapping[str, int]) -> list[_Part]:
    """The decomposition as stretches of one bar."""
    total = sum(decomposition.values()) or 1
    parts, start = [], 0.0
    for name in ("gained_by_parsing", "gained_by_content", "lost_by_parsing", "lost_by_content"):
        share = 100 * decomposition[name] / total
        parts.append(_Part(name, f"{start:.2f}%", f"{share:.2f}%"))
        start += share
    return parts


def _bar(count: int, largest: int) -> str:
    return f"{100 * count / largest:.2f}%" if largest else "0%"


def _render_subject(subject: Subject) -> bytes:
    draw = comparison_page if subject.kind == "comparison" else evaluation_page
    return draw(subject.report, subject.listed, redacted=subject.redacted).encode("utf-8")


RENDERER: Final = Renderer(".html", _render_subject)
