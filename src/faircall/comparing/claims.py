"""Claims: questions declared before the run, each decided on one interval, with a p from its statistic.

    superiority       established when lower > 0,               refuted when upper < 0
    non_inferiority   established when lower > -margin,         refuted when upper < -margin
    equivalence       established inside (-margin, margin),     refuted wholly outside

All inequalities are strict; anything else is `not_established`. The p of superiority is two-sided and
stands against 1 - level; those of non-inferiority and equivalence (the larger of two tests) are one-sided
and stand against half of that. Claims that name one `family` are held to Holm's adjustment: `p_holm` puts
all of them on the two-sided scale, and a claim is established only when it lies below 1 - level, too.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from faircall.comparing.deltas import Delta, Estimate
from faircall.comparing.scopes import OVERALL, ScopeDeltas
from faircall.digest import sha256_json
from faircall.errors import ConfigError
from faircall.records import METRIC_NAMES
from faircall.stats.holm import holm_adjust
from faircall.stats.planning import detectable_difference
from faircall.stats.quantiles import upper_probability
from faircall.stats.tango import ScoreEstimate

KINDS: Final = ("superiority", "non_inferiority", "equivalence")
_FIELDS: Final = frozenset(
    ("id", "kind", "metric", "slice", "margin", "family", "baseline", "candidate", "declared_sha256")
)


@dataclass(frozen=True, slots=True)
class Claim:
    """One declared claim. `margin` is 0 for superiority; the digest is that of the declaration."""

    id: str
    kind: str
    metric: str
    slice_name: str
    margin: float
    family: str | None
    declared_sha256: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """A decided claim. `p` is None where there is nothing to decide on."""

    claim: Claim
    verdict: str
    p: float | None
    alpha: float
    interval: Mapping[str, Any]
    detectable_difference: float | None
    p_holm: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """The CLAIM of a comparison report."""
        claim = self.claim
        report: dict[str, Any] = {"id": claim.id, "kind": claim.kind, "metric": claim.metric}
        report["slice"] = claim.slice_name
        if claim.kind != "superiority":
            report["margin"] = claim.margin
        report |= {"verdict": self.verdict, "p": self.p, "alpha": self.alpha, "interval": dict(self.interval)}
        if claim.family is not None:
            report |= {"family": claim.family, "p_holm": self.p_holm}
        report["detectable_difference"] = self.detectable_difference
        return {**report, "declared_sha256": claim.declared_sha256}


def read_claims(declared: Sequence[Mapping[str, Any]]) -> list[Claim]:
    """Claims from their declarations.

    Raises:
        ConfigError: an unknown field, kind or metric, a repeated or missing id, a margin that is missing,
        no share, or declared for superiority.
    """
    claims = [_read_claim(declaration) for declaration in declared]
    seen: set[str] = set()
    for claim in claims:
        if claim.id in seen:
            raise ConfigError(f"two claims have the id {claim.id!r}", hint="give every claim its own id")
        seen.add(claim.id)
    return claims


def _read_claim(declared: Mapping[str, Any]) -> Claim:
    if not isinstance(declared, Mapping):
        raise ConfigError(
            f"a claim is {declared!r:.60}, not a mapping", hint="{id: ..., metric: ..., kind: ...}"
        )
    name = str(declared.get("id") or "")
    kind, metric = declared.get("kind", "superiority"), declared.get("metric", "full_call_exact_match")
    unknown = sorted(declared.keys() - _FIELDS)
    _demand(bool(name), "a claim has no id", hint="give every claim an id")
    _demand(
        not unknown, f"claim {name!r} has unknown fields: {', '.join(unknown)}", hint=_one_of(sorted(_FIELDS))
    )
    _demand(kind in KINDS, f"claim {name!r} is of unknown kind {kind!r}", hint=_one_of(KINDS))
    _demand(metric in METRIC_NAMES, f"claim {name!r} names no metric: {metric!r}", hint=_one_of(METRIC_NAMES))
    family = declared.get("family")
    _demand(
        family is None or isinstance(family, str),
        f"claim {name!r} has a family that is not text",
        hint="family: NAME",
    )
    return Claim(
        id=name,
        kind=kind,
        metric=metric,
        slice_name=declared.get("slice") or OVERALL,
        margin=_read_margin(name, declared.get("margin"), kind=kind),
        family=family,
        declared_sha256=declared.get("declared_sha256") or sha256_json(dict(declared)),
    )


def _read_margin(name: str, margin: Any, *, kind: str) -> float:
    if kind == "superiority":
        message = f"claim {name!r} is of superiority, which has no margin"
        _demand(margin is None, message, hint="leave margin out, or declare non_inferiority or equivalence")
        return 0.0
    number = isinstance(margin, (int, float)) and not isinstance(margin, bool)
    message = f"claim {name!r} needs a margin between 0 and 1"
    _demand(number and 0.0 < margin < 1.0, message, hint="margin: 0.02")
    return float(margin)


def decide_claims(
    claims: Sequence[Claim], *, overall: ScopeDeltas, slices: Mapping[str, ScopeDeltas]
) -> list[Verdict]:
    """Every claim's verdict, in the order of declaration.

    Raises:
        ConfigError: a claim about a slice that is not there.
    """
    scopes = {**slices, OVERALL: overall}
    for claim in claims:
        _demand(
            claim.slice_name in scopes,
            f"claim {claim.id!r} is about the slice {claim.slice_name!r}, which is not there",
            hint=_one_of(sorted(scopes)),
        )
    return _hold_families([_decide(claim, scopes[claim.slice_name].deltas[claim.metric]) for claim in claims])


def _decide(claim: Claim, delta: Delta) -> Verdict:
    estimate = delta.deciding
    interval = estimate.interval(delta.level)
    two_sided = 2.0 * (1.0 - upper_probability(delta.level))
    alpha = round(two_sided if claim.kind == "superiority" else two_sided / 2.0, 12)
    if interval.lower is None or interval.upper is None:
        return Verdict(claim, "not_established", None, alpha, interval.to_dict(), None)
    verdict = _judge(claim, interval.lower, interval.upper)
    detectable = _detectable(estimate, two_sided) if verdict == "not_established" else None
    return Verdict(claim, verdict, _p_value(claim, estimate), alpha, interval.to_dict(), detectable)


def _judge(claim: Claim, lower: float, upper: float) -> str:
    if claim.kind == "equivalence":
        established = lower > -claim.margin and upper < claim.margin
        refuted = upper < -claim.margin or lower > claim.margin
    else:
        established, refuted = lower > -claim.margin, upper < -claim.margin
    return "established" if established else "refuted" if refuted else "not_established"


def _p_value(claim: Claim, estimate: Estimate) -> float:
    if claim.kind == "superiority":
        return min(1.0, 2.0 * min(estimate.p_above(0.0), estimate.p_below(0.0)))
    if claim.kind == "non_inferiority":
        return estimate.p_above(-claim.margin)
    return max(estimate.p_above(-claim.margin), estimate.p_below(claim.margin))


def _detectable(estimate: Estimate, alpha: float) -> float | None:
    """The smallest difference that these pairs find with 80% power; binary metrics only."""
    if not isinstance(estimate, ScoreEstimate):
        return None
    discordance = (estimate.b + estimate.c) / estimate.n
    return detectable_difference(n=estimate.n, discordance=min(discordance, 1.0), alpha=alpha)


def _hold_families(verdicts: Sequence[Verdict]) -> list[Verdict]:
    families: dict[str, list[int]] = defaultdict(list)
    for place, verdict in enumerate(verdicts):
        if verdict.claim.family is not None:
            families[verdict.claim.family].append(place)
    held = list(verdicts)
    for places in families.values():
        adjusted = holm_adjust([_two_sided(verdicts[place]) for place in places])
        for place, p_holm in zip(places, adjusted, strict=True):
            held[place] = _hold(verdicts[place], p_holm)
    return held


def _two_sided(verdict: Verdict) -> float:
    if verdict.p is None:
        return 1.0
    return verdict.p if verdict.claim.kind == "superiority" else min(1.0, 2.0 * verdict.p)


def _hold(verdict: Verdict, p_holm: float) -> Verdict:
    level = verdict.alpha if verdict.claim.kind == "superiority" else 2.0 * verdict.alpha
    lost = verdict.verdict == "established" and not p_holm < level
    return replace(verdict, p_holm=p_holm, verdict="not_established" if lost else verdict.verdict)


def _demand(condition: bool, message: str, *, hint: str) -> None:
    if not condition:
        raise ConfigError(message, hint=hint)


def _one_of(names: Sequence[str]) -> str:
    return f"one of {', '.join(names)}"
