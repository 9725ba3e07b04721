"""Yes or no: the claims and conditions of a report, as one answer for scripts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from faircall.errors import ConditionFailed
from faircall.stats.p_names import tell_value


def require_yes(report: Mapping[str, Any]) -> None:
    """Answer "no" when a declared claim was not established, or a condition to fail on holds.

    Raises:
        ConditionFailed: names every claim with its verdict, and every condition with its number.
    """
    failed = [*_failed_claims(report), *_held_conditions(report)]
    if failed:
        hint = "the comparison itself is fair and stands; this status is the answer that was asked for"
        raise ConditionFailed("; ".join(failed), hint=hint)


def _failed_claims(report: Mapping[str, Any]) -> Iterator[str]:
    failed = [claim for claim in report["claims"] if claim["verdict"] != "established"]
    if failed:
        told = ", ".join(f"{claim['id']} {claim['verdict'].replace('_', ' ')}" for claim in failed)
        yield f"declared claims: {told}"


def _held_conditions(report: Mapping[str, Any]) -> Iterator[str]:
    for condition in report.get("conditions", ()):
        if condition["holds"]:
            yield f"--fail-if: {condition['text']} holds: it is {tell_value(condition)}"
