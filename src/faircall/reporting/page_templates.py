"""The templates of the pages under `html/`: their environment, their policy and what they ask."""

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
from faircall.reporting import forest, verdict
from faircall.reporting.example_rows import ExampleRow, pack_rows, script_json
from faircall.reporting.example_table import encodable
from faircall.reporting.figures import Figures, at
from faircall.reporting.heat_map import draw_heat_map
from faircall.reporting.reading_view import finds_nothing
from faircall.reporting.repeats_view import WAY_WORDS
from faircall.reporting.to_terminal import clean
from faircall.stats.intervals import deciding_interval
from faircall.stats.p_names import name_claim_test, name_test

Json = Mapping[str, Any]

STYLES: Final = {"baseline": "arm-a", "candidate": "arm-b"}


class ArmPlace(NamedTuple):
    """An arm as a template shows it: its name, a place in the report, and the class of its colour."""

    name: str
    place: str
    style: str


def render_page(
    template: str,
    figures: Figures,
    rows: Sequence[ExampleRow] | None = None,
    *,
    redacted: bool = False,
    live: bool = False,
    **content: Any,
) -> str:
    """One page, or a part of one.

    Args:
        template: its name under `html/`.
        figures: the numbers of the report that it shows.
        rows: examples to embed.
        redacted: whether their texts stay out.
        live: whether the page asks the server that it came from for news.
        content: what the template takes beside these.
    """
    style, script = _asset("report.css"), _asset("report.js") + (_asset("live.js") if live else "")
    page = (
        _environment()
        .get_template(template)
        .render(
            report=figures.report,
            n=figures.show,
            get=figures.find,
            deciding=lambda place: _deciding(figures, place),
            arms_at=lambda place: _arms_at(figures.report, place),
            cause_order=lambda arms: _order_causes([figures.find(arm.place)["causes"] for arm in arms]),
            rows_json=Markup(script_json(pack_rows(rows, redacted=redacted))) if rows else "",
            redacted=redacted,
            style=Markup(style),
            script=Markup(script),
            policy=security_policy(style, script, connect=live),
            **content,
        )
    )
    # The place of a figure names slices and tools as they are, lone surrogates too.
    return encodable(page)


def security_policy(*inline: str, connect: bool = False) -> str:
    """The Content-Security-Policy of a page: its own inline style and script by their hashes, nothing else.

    >>> security_policy("a {}", "1")[:38]
    "default-src 'none'; style-src 'sha256-"
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
        way_words=WAY_WORDS,
        headline_first=(HEADLINE, *(name for name in METRIC_NAMES if name != HEADLINE)),
        binary_metrics=BINARY_METRIC_NAMES,
        judge=verdict.judge,
        finds_nothing=finds_nothing,
        name_test=name_test,
        name_claim_test=name_claim_test,
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
    if not all(blocks.get(side) for side in STYLES):
        return []
    return [ArmPlace(report[side]["arm"], place + at(side), style) for side, style in STYLES.items()]


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
