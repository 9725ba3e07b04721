"""`faircall.compare`: two arms under the gate, and the report that both give."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from faircall import __version__
from faircall.api.evaluation import Evaluation
from faircall.comparing.comparability import Treatment, check
from faircall.comparing.comparison import compare_arms
from faircall.comparing.costs import compare_costs
from faircall.digest import sha256_json
from faircall.records import HEADLINE, Arm
from faircall.scoring.call_metrics import METRIC_PROTOCOL
from faircall.scoring.totals import metric_block
from faircall.stats.intervals import deciding_interval
from faircall.stats.signature import format_signature

SCHEMA_VERSION: Final = "faircall.comparison_report.v1"


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """A comparison report: its JSON is authoritative, everything else is a rendering of it."""

    report: Mapping[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """The JSON of `comparison_report.json`."""
        return dict(self.report)

    def table(self) -> str:
        """The comparison as plain text."""
        from faircall.reporting.comparison_view import view_comparison
        from faircall.reporting.to_terminal import to_plain_text

        return to_plain_text(view_comparison(self.report))


def compare(
    baseline: Evaluation,
    candidate: Evaluation,
    *,
    level: float = 0.95,
    resamples: int = 9999,
    seed: int = 42,
    vary: str | Sequence[str] = (),
    claims: Sequence[Mapping[str, Any]] = (),
) -> Comparison:
    """Compare two evaluations of the same examples; deltas are candidate minus baseline.

    Args:
        baseline: what is compared against.
        candidate: what is in question.
        level: confidence level of every interval.
        resamples: resamples of the bootstrap that stands beside the deciding intervals.
        seed: chooses the random streams; the same seed gives the same bytes.
        vary: what may differ beside the adapter, and then must; one name or several.
        claims: declared claims, with the keys of the config's `claims`.

    Raises:
        Incomparable: the arms differ where they may not; every field is named.
        InputError: a claim, a declaration or a number that cannot be used.

    >>> from faircall import score
    >>> gold = [{"name": "f", "arguments": {"x": x}} for x in range(3)]
    >>> before = score(gold, ["no"] * 3, ids="abc", name="before")
    >>> after = score(gold, ['{"name": "f", "arguments": {"x": 0}}'] * 3, ids="abc", name="after")
    >>> compare(before, after).to_dict()["overall"]["metrics"]["full_call_exact_match"]["delta"]
    0.3333333333333333
    """
    arms = _named_apart(baseline.arm, candidate.arm)
    report = build_comparison_report(
        *arms,
        level=level,
        resamples=resamples,
        seed=seed,
        vary=(vary,) if isinstance(vary, str) else vary,
        claims=claims,
    )
    return Comparison(report)


def build_comparison_report(
    baseline: Arm,
    candidate: Arm,
    *,
    level: float = 0.95,
    resamples: int = 9999,
    seed: int = 42,
    vary: Sequence[str] = (),
    claims: Sequence[Mapping[str, Any]] = (),
    reference_label: str | None = None,
) -> dict[str, Any]:
    """The whole comparison report of two arms: gate first, then numbers.

    Args:
        baseline: what is compared against.
        candidate: what is in question.
        level: confidence level of every interval.
        resamples: resamples of the bootstrap.
        seed: chooses the random streams.
        vary: what may differ beside the adapter.
        claims: declared claims.
        reference_label: the reference language, where the rows should not be asked.

    Raises:
        Incomparable: the arms differ where they may not.
        InputError: a claim, a declaration or a number that cannot be used.
    """
    treatment = check(baseline, candidate, vary)
    body = compare_arms(
        baseline,
        candidate,
        level=level,
        resamples=resamples,
        seed=seed,
        claims=claims,
        reference_label=reference_label,
    )
    return {
        "schema_version": SCHEMA_VERSION,
        "signature": _signature(baseline, candidate, treatment, overall=body["overall"]),
        "treatment": treatment.to_dict(),
        "not_attested": list(treatment.not_attested),
        "shared": dict(treatment.shared),
        "baseline": _side(baseline, level, digests=treatment.digests[0]),
        "candidate": _side(candidate, level, digests=treatment.digests[1]),
        **body,
        "diagnosis": {"baseline": baseline.diagnosis, "candidate": candidate.diagnosis},
        "inference_efficiency": compare_costs(baseline, candidate, level=level),
    }


def _named_apart(baseline: Arm, candidate: Arm) -> tuple[Arm, Arm]:
    if baseline.name != candidate.name:
        return baseline, candidate
    return replace(baseline, name="baseline"), replace(candidate, name="candidate")


def _side(arm: Arm, level: float, *, digests: Mapping[str, str | None]) -> dict[str, Any]:
    return {
        "arm": arm.name,
        "identity_sha256": dict(digests),
        "metrics": metric_block(arm.scores, level=level),
        "adapter_source": arm.adapter_source,
    }


def _signature(baseline: Arm, candidate: Arm, treatment: Treatment, *, overall: Mapping[str, Any]) -> str:
    """One line that says what the headline number is: it parses back, and unknown conditions are named."""
    delta = overall["metrics"][HEADLINE]
    interval = deciding_interval(delta)
    fields: dict[str, object] = {
        "metric": HEADLINE,
        "d": f"{candidate.name}-{baseline.name}",
        "treat": treatment.name,
        "n": overall["examples"],
        "roots": overall["roots"],
        "ci": f"{interval['method']}{100 * interval['level']:g}",
        "reader": treatment.shared.get("reader.name", "varied"),
    }
    if overall["prompt_set_sha256"]:
        fields["prompts"] = overall["prompt_set_sha256"][:6]
    protocol = treatment.shared.get("metrics.protocol", METRIC_PROTOCOL)
    if protocol != METRIC_PROTOCOL:
        fields["protocol"] = protocol
    decoding = _decoding_word(baseline, candidate)
    if decoding:
        fields["dec"] = decoding
    if treatment.not_attested:
        fields["unattested"] = "+".join(_sections(treatment.not_attested))
    return format_signature({**fields, "ver": __version__})


def _decoding_word(baseline: Arm, candidate: Arm) -> str | None:
    """`greedy512`, or a digest of another decoding; None where it is not known."""
    known = [dict(arm.identity.get("decoding", {})) for arm in (baseline, candidate)]
    if not any(known):
        return None
    if known[0] != known[1]:
        return "varied"
    decoding = known[0]
    if decoding.get("temperature") == 0 and not decoding.get("do_sample"):
        return f"greedy{decoding.get('max_new_tokens') or ''}"
    return sha256_json(decoding)[:6]


def _sections(paths: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(path.partition(".")[0] for path in paths))
