"""What a comparison shows, in the order in which it is read: treatment, verdict, numbers, small print.

The JSON holds everything; a view shows one interval per number, the one that decides.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from faircall.records import BINARY_METRIC_NAMES, HEADLINE, METRIC_NAMES
from faircall.reporting import numbers
from faircall.reporting.blocks import Block, Line, Table, Tone, View
from faircall.reporting.efficiency_view import efficiency_tables
from faircall.reporting.evidence import tell_few, tell_p
from faircall.reporting.gaps_view import gap_tables
from faircall.reporting.reading_view import reading_blocks
from faircall.reporting.repeats_view import repeat_tables
from faircall.stats.intervals import deciding_interval
from faircall.stats.p_names import tell_value

Json = Mapping[str, Any]

_SPLIT: Final = ("gained_by_parsing", "gained_by_content", "lost_by_parsing", "lost_by_content")
_LONG_DIGEST: Final = re.compile(r"\b([0-9a-f]{12})[0-9a-f]{52}\b")
_NOT_ATTESTED: Final = "the files do not record what differs between the arms"


def view_comparison(report: Json) -> View:
    """The blocks of a comparison report (section 6 of the contract)."""
    return tuple(_blocks(report))


def tell_treatment(report: Json) -> str:
    """The first line: what was compared with what.

    >>> differs = {"adapter.source": {"baseline": "none", "candidate": "tuned"}}
    >>> tell_treatment({"treatment": {"kind": "declared", "sections": ["adapter"], "differs": differs}})
    'Treatment: adapter (adapter.source: none -> tuned)'
    """
    treatment = report["treatment"]
    if treatment["kind"] == "A/A":
        return "Treatment: none (A/A: the arms are equal in all that is recorded)"
    if treatment["kind"] == "not_attested":
        return f"Treatment: not attested ({_NOT_ATTESTED})"
    changes = "; ".join(
        f"{path}: {_side(v, 'baseline')} -> {_side(v, 'candidate')}"
        for path, v in _telling(treatment["differs"]).items()
    )
    return f"Treatment: {' and '.join(treatment['sections'])} ({changes})"


def _telling(differs: Json) -> Json:
    """The fields worth a reader's first line: what one side lacks altogether follows from its source."""
    named = {path.partition(".")[0] for path in differs if path.endswith(".source")}
    return {
        path: sides
        for path, sides in differs.items()
        if path.endswith(".source") or path.partition(".")[0] not in named or None not in sides.values()
    }


def tell_verdict(report: Json) -> str:
    """One sentence on the strictest metric, in the words of its deciding interval."""
    delta = report["overall"]["metrics"][HEADLINE]
    found = f"{numbers.points(delta['delta'])} points, {_tell_interval(delta)}"
    word = _word(delta)
    if report["treatment"]["kind"] == "A/A":
        word = (
            "A/A, equal arms" if word == "no difference shown" else "A/A, equal arms, yet the outputs differ"
        )
    return f"{HEADLINE}: {word}: {found}"


def _word(delta: Json) -> str:
    bounds = deciding_interval(delta)
    if bounds["lower"] is None:
        return "no difference shown"
    return "better" if bounds["lower"] > 0 else "worse" if bounds["upper"] < 0 else "no difference shown"


def _tone(report: Json) -> Tone:
    tones: dict[str, Tone] = {"better": "good", "worse": "bad"}
    return tones.get(_word(report["overall"]["metrics"][HEADLINE]), "heading")


def _tell_interval(delta: Json) -> str:
    bounds = deciding_interval(delta)
    text = f"{numbers.level(bounds['level'])} CI {numbers.interval(bounds['lower'], bounds['upper'])}"
    return f"no discordant pairs, {text}" if delta["discordant_roots"] == 0 else text


def _blocks(report: Json) -> Iterator[Block]:
    overall = report["overall"]
    names = (report["baseline"]["arm"], report["candidate"]["arm"])
    yield Line(tell_treatment(report), tone="heading")
    yield Line(f"{names[0]} -> {names[1]}: {_tell_size(overall)}")
    if protocol := (report.get("diagnosis") or {}).get("baseline", {}).get("protocol"):
        yield Line(f"scored under {protocol['name']}")
    yield Line(tell_verdict(report), tone=_tone(report))
    if few := tell_few(report):
        yield Line(few)
    yield _metrics_table(overall, names)
    if report.get("diagnosis"):
        yield from reading_blocks(_readings(report["diagnosis"], names))
        yield _causes_table(report["diagnosis"], names)
    yield _split_table(overall["metrics"])
    if report.get("slices"):
        yield _slices_table(report["slices"], names)
    yield from gap_tables(report, names)
    yield from efficiency_tables(report.get("inference_efficiency"), names)
    efficiency = report.get("inference_efficiency") or {}
    sides = [efficiency.get(side) for side in ("baseline", "candidate")]
    yield from repeat_tables(zip(names, sides, strict=True))
    if report.get("claims"):
        yield _claims_table(report["claims"])
    if report.get("conditions"):
        yield _conditions_table(report["conditions"])
    yield from _small_print(report)


def _readings(diagnosis: Json, names: tuple[str, str]) -> dict[str, Json]:
    sides = zip(("baseline", "candidate"), names, strict=True)
    return {name: reading for side, name in sides if (reading := diagnosis[side].get("reading"))}


def _tell_size(scope: Json) -> str:
    examples, roots = scope["examples"], scope["roots"]
    shown = numbers.counted(examples, "example")
    return shown if roots == examples else f"{shown} of {numbers.counted(roots, 'root')}"


def _metrics_table(scope: Json, names: tuple[str, str]) -> Table:
    deltas = scope["metrics"]
    rows = tuple((name, *_delta_cells(deltas[name])) for name in METRIC_NAMES if name in deltas)
    methods = dict.fromkeys(deciding_interval(delta)["method"] for delta in deltas.values())
    return Table(
        "Metrics", ("metric", *names, *_delta_columns(deltas)), rows, note=f"intervals: {', '.join(methods)}"
    )


def _delta_columns(deltas: Json) -> tuple[str, str]:
    level = next(iter(deltas.values()))["interval"]["level"]
    return "points", f"{numbers.level(level)} CI"


def _delta_cells(delta: Json) -> tuple[str, str, str, str]:
    bounds = deciding_interval(delta)
    text = numbers.interval(bounds["lower"], bounds["upper"])
    evidence = "no discordant pairs " if delta["discordant_roots"] == 0 else ""
    return (
        _value(delta["baseline"]),
        _value(delta["candidate"]),
        numbers.points(delta["delta"]),
        evidence + text,
    )


def _value(metric: Json) -> str:
    if not metric["denominator"]:
        return numbers.UNDEFINED
    return f"{numbers.counts(metric['numerator'], metric['denominator'])} {numbers.rate(metric['value'])}"


def _causes_table(diagnosis: Json, names: tuple[str, str]) -> Table:
    left, right = diagnosis["baseline"]["causes"], diagnosis["candidate"]["causes"]
    causes = sorted({*left, *right}, key=lambda cause: (-left.get(cause, 0) - right.get(cause, 0), cause))
    rows = [(cause, str(left.get(cause, 0)), str(right.get(cause, 0))) for cause in causes]
    rows.append(("all misses", str(sum(left.values())), str(sum(right.values()))))
    return Table("Causes of the misses", ("cause", *names), tuple(rows))


def _split_table(deltas: Json) -> Table:
    rows = tuple(
        (name, *(str(deltas[name]["decomposition"][part]) for part in _SPLIT))
        for name in BINARY_METRIC_NAMES
        if name in deltas
    )
    return Table("Format or content", ("metric", *(part.replace("_", " ") for part in _SPLIT)), rows)


def _slices_table(slices: Json, names: tuple[str, str]) -> Table:
    rows = tuple(
        (name, str(scope["examples"]), *_delta_cells(scope["metrics"][HEADLINE]))
        for name, scope in slices.items()
    )
    columns = ("slice", "examples", *names, *_delta_columns(next(iter(slices.values()))["metrics"]))
    return Table(f"Slices: {HEADLINE}", columns, rows)


def _claims_table(claims: list[Json]) -> Table:
    rows = tuple(
        (
            claim["id"],
            f"{claim['slice'] or 'overall'}/{claim['metric']}",
            claim["kind"] + (f" {numbers.plain(claim['margin'])}" if claim.get("margin") is not None else ""),
            tell_p(claim),
            claim["verdict"],
        )
        for claim in claims
    )
    return Table("Declared claims", ("claim", "about", "kind", "p", "verdict"), rows, names=3)


def _conditions_table(conditions: list[Json]) -> Table:
    rows = tuple(
        (one["text"], tell_value(one), "holds" if one["holds"] else "does not hold") for one in conditions
    )
    return Table("Conditions to fail on", ("condition", "value", "result"), rows)


def _small_print(report: Json) -> Iterator[Line]:
    released = report["treatment"].get("released")
    if released:
        yield Line(f"Released as a consequence: {', '.join(released)}", tone="quiet")
    if report.get("not_attested"):
        yield Line(f"Not attested by either arm: {tell_not_attested(report)}", tone="quiet")
    yield Line(f"Signature: {report['signature']}", tone="quiet")


def tell_not_attested(report: Json) -> str:
    """The fields that neither arm knows; a section of which nothing is known stands for its fields.

    >>> tell_not_attested({"not_attested": ["model.dtype", "prompt.policy"], "shared": {"prompt.sets": "x"}})
    'model, prompt.policy'
    """
    known = {
        path.partition(".")[0]
        for path in (*report["shared"], *report.get("treatment", {}).get("differs", ()))
    }
    sections = ((path.partition(".")[0], path) for path in report["not_attested"])
    return ", ".join(dict.fromkeys(path if section in known else section for section, path in sections))


def _side(values: Json, side: str) -> str:
    value = values[side]
    return "unknown" if value is None else _LONG_DIGEST.sub(r"\1...", str(value))
