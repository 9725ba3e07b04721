"""Reports as one HTML file each: no network, no framework, everything from data escaped.

A page is a template under `html/` over the JSON of a report. Its numbers go through `figures.py`, so each
names its place in that JSON; the examples behind it travel beside as compact JSON (`example_rows.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from markupsafe import Markup

from faircall.reporting import verdict
from faircall.reporting.comparison_view import tell_treatment
from faircall.reporting.example_rows import OTHER_TOOL, ExampleRow
from faircall.reporting.figures import Figures, at
from faircall.reporting.page_templates import STYLES, ArmPlace, render_page
from faircall.reporting.renderers import Renderer, Subject
from faircall.reporting.to_terminal import clean

Json = Mapping[str, Any]


def comparison_page(report: Json, rows: Sequence[ExampleRow] | None = None, *, redacted: bool = False) -> str:
    """The page of a comparison report.

    Args:
        report: the JSON of `comparison_report.json`.
        rows: the examples behind it, baseline's answer first; None leaves out the list of examples.
        redacted: whether prompts, outputs and argument values stay out.
    """
    report = redact_names(report) if redacted else report
    figures = Figures(report)
    return render_page(
        "comparison.html.j2",
        figures,
        rows,
        redacted=redacted,
        word=verdict.word_of(report),
        verdict=verdict.title(report),
        counts=verdict.tell_counts(report, figures),
        evidence=verdict.tell_evidence(report, figures),
        split=verdict.tell_split(figures),
        limits=list(verdict.tell_limits(report, figures)),
        treatment=clean(tell_treatment(report)).replace(" -> ", " → "),
        both_arms=[ArmPlace(report[side]["arm"], "", style) for side, style in STYLES.items()],
        digested=[
            ArmPlace(report[side]["arm"], at(side, "identity_sha256"), style)
            for side, style in STYLES.items()
            if "identity_sha256" in report[side]
        ],
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
    return render_page(
        "evaluation.html.j2",
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
        _Sentence(
            verdict.title(pair),
            verdict.tell_counts(pair, figures, at("pairs", place)),
            verdict.tell_evidence(pair, figures, at("pairs", place)),
        )
        for place, pair in enumerate(report["pairs"])
    ]
    efficiency = (report.get("inference_efficiency") or {}).get("arms") or {}
    return render_page(
        "experiment.html.j2",
        figures,
        None,
        redacted=redacted,
        sentences=sentences,
        measured=[
            ArmPlace(name, at("inference_efficiency", "arms", name), "")
            for name in report["arm_order"]
            if name in efficiency
        ],
        digested=[
            ArmPlace(name, at("arms", name, "identity_sha256"), "")
            for name in report["arm_order"]
            if "identity_sha256" in report["arms"][name]
        ],
    )


class _Sentence(NamedTuple):
    title: Markup
    counts: Markup
    evidence: Markup | None


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


def _render_subject(subject: Subject) -> bytes:
    draw = comparison_page if subject.kind == "comparison" else evaluation_page
    return draw(subject.report, subject.listed, redacted=subject.redacted).encode("utf-8")


RENDERER: Final = Renderer(".html", _render_subject)
