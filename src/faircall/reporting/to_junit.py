"""A report as JUnit XML, which CI servers show beside other tests.

A comparison has one test case per declared claim and per `--fail-if`, and one that says that the gate let the
arms through. An evaluation has one test case per example. Times are not measured here, so none are written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple
from xml.etree import ElementTree

from faircall.records import METRIC_NAMES
from faircall.reporting import numbers
from faircall.reporting.comparison_view import tell_treatment, tell_verdict
from faircall.reporting.evidence import tell_few, tell_p
from faircall.reporting.renderers import Renderer, Subject
from faircall.stats.intervals import deciding_interval
from faircall.stats.p_names import tell_value

Json = Mapping[str, Any]

_NOT_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Case(NamedTuple):
    """One test case. `failure` is None when it passed; `kind` is the type of the failure."""

    group: str
    name: str
    failure: str | None = None
    kind: str = ""
    detail: str = ""


def to_junit(subject: Subject) -> bytes:
    """One `testsuite` in a `testsuites`, in the form that the common schema of Jenkins takes."""
    comparison = subject.kind == "comparison"
    cases = list(_comparison_cases(subject.report) if comparison else _evaluation_cases(subject))
    counts = {
        "tests": str(len(cases)),
        "failures": str(sum(case.failure is not None for case in cases)),
        "errors": "0",
    }
    root = ElementTree.Element("testsuites", {"name": "faircall", **counts})
    suite = ElementTree.SubElement(root, "testsuite", {"name": xml_text(_suite_name(subject)), **counts})
    properties = ElementTree.SubElement(suite, "properties")
    for name, value in _properties(subject):
        ElementTree.SubElement(properties, "property", {"name": xml_text(name), "value": xml_text(value)})
    for case in cases:
        _add_case(suite, case)
    ElementTree.indent(root)
    text: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return text + b"\n"


def xml_text(text: str) -> str:
    r"""The text with the characters that XML 1.0 cannot hold spelt out.

    >>> print(xml_text("a\x00b\ud800"))
    a\x00b\ud800
    """
    return _NOT_XML.sub(lambda match: match[0].encode("unicode_escape").decode("ascii"), text)


def _suite_name(subject: Subject) -> str:
    report = subject.report
    if subject.kind == "evaluation":
        return f"faircall.{report['name']}"
    return f"faircall.{report['baseline']['arm']}-{report['candidate']['arm']}"


def _add_case(suite: ElementTree.Element, case: Case) -> None:
    names = {"classname": xml_text(case.group), "name": xml_text(case.name)}
    element = ElementTree.SubElement(suite, "testcase", names)
    if case.failure is not None:
        told = {"message": xml_text(case.failure), "type": xml_text(case.kind)}
        ElementTree.SubElement(element, "failure", told).text = xml_text(case.detail or case.failure)
    elif case.detail:
        ElementTree.SubElement(element, "system-out").text = xml_text(case.detail)


def _comparison_cases(report: Json) -> Iterator[Case]:
    lines = (tell_treatment(report), tell_verdict(report), tell_few(report))
    detail = "\n".join(line for line in lines if line)
    yield Case("faircall.gate", "the arms may be compared", detail=detail)
    for claim in report.get("claims", ()):
        yield _claim_case(claim)
    for condition in report.get("conditions", ()):
        detail = f"it is {tell_value(condition)}"
        told = f"{condition['text']} holds: {detail}"
        failure = told if condition["holds"] else None
        yield Case("faircall.fail_if", condition["text"], failure, "fail_if", detail)


def _claim_case(claim: Json) -> Case:
    bounds = claim["interval"]
    detail = (
        f"{claim['kind']} of {claim['metric']} in {claim['slice']}: {claim['verdict'].replace('_', ' ')}, "
        f"{numbers.level(bounds['level'])} CI {numbers.interval(bounds['lower'], bounds['upper'])}, "
        f"p {tell_p(claim)}"
    )
    failed = claim["verdict"] != "established"
    return Case("faircall.claims", claim["id"], detail if failed else None, claim["verdict"], detail)


def _evaluation_cases(subject: Subject) -> Iterator[Case]:
    if subject.examples is None:
        yield Case("faircall.evaluation", "every example was scored", detail=_tell_metrics(subject.report))
    for record in subject.examples or ():
        cause = record["cause"]
        group = ".".join(name for name in ("faircall", record["arm"], record["language"]) if name)
        yield Case(group, record["id"], cause, cause or "", "" if subject.redacted else _detail(record))


def _detail(record: Json) -> str:
    return "" if record["cause"] is None else f"{record['cause']}\nanswer: {record['raw_text']}"


def _tell_metrics(report: Json) -> str:
    return "\n".join(f"{name}: {_value(report['metrics'][name])}" for name in METRIC_NAMES)


def _properties(subject: Subject) -> Iterator[tuple[str, str]]:
    report = subject.report
    if subject.kind == "evaluation":
        for name in METRIC_NAMES:
            yield name, _value(report["metrics"][name])
        return
    yield "signature", report["signature"]
    for scope_name, scope in {"overall": report["overall"], **report.get("slices", {})}.items():
        for name, delta in scope["metrics"].items():
            yield f"{scope_name}/{name}", _tell_delta(delta)


def _tell_delta(delta: Json) -> str:
    bounds = deciding_interval(delta)
    shown = f"{numbers.level(bounds['level'])} CI {numbers.interval(bounds['lower'], bounds['upper'])}"
    values = f"{_value(delta['baseline'])} -> {_value(delta['candidate'])}"
    return f"{values}: {numbers.points(delta['delta'])} points, {shown}"


def _value(metric: Json) -> str:
    value = metric["value"] if metric["denominator"] else None
    return f"{numbers.counts(metric['numerator'], metric['denominator'])} {numbers.rate(value)}"


RENDERER: Final = Renderer(".junit.xml", to_junit)
