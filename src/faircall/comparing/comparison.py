"""Two arms, paired: the body of a comparison report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from faircall.comparing.claims import decide_claims, read_claims
from faircall.comparing.deltas import Resampling
from faircall.comparing.gap_change import difference_of_gaps
from faircall.comparing.gaps import marginal_full_slices, paired_gaps, require_reference, same_gaps
from faircall.comparing.pairing import pair_arms
from faircall.comparing.scopes import compare_overall, compare_slices
from faircall.records import Arm, Scores


def compare_arms(
    baseline: Arm,
    candidate: Arm,
    *,
    level: float = 0.95,
    resamples: int = 9_999,
    seed: int = 42,
    claims: Sequence[Mapping[str, Any]] = (),
    reference_label: str | None = None,
) -> dict[str, Any]:
    """Everything that is measured between two arms; whether they may be compared is `comparability`'s to say.

    Args:
        baseline: the arm that is compared against.
        candidate: the arm in question; deltas are candidate minus baseline.
        level: confidence level of every interval.
        resamples: bootstrap resamples; (resamples + 1)(1 - level) / 2 must be whole.
        seed: chooses the random streams; the same seed gives the same bytes.
        claims: declared claims, as mappings with the keys of the config's `claims`.
        reference_label: the reference language, where the rows should not be asked.

    Returns:
        `overall`, `slices`, `paired_language_gaps`, `marginal_full_slices` and `claims` of the report.

    Raises:
        UsageError: resamples that give no exact bounds, or an unknown reference language.
        DuplicateId, IdMismatch, Incomparable: rows that cannot be paired by id.
        ConfigError: a claim that cannot be decided here.
    """
    how, declared = Resampling(level, resamples, seed), read_claims(claims)
    cohort = pair_arms(baseline.scores, candidate.scores)
    reference = require_reference(baseline.scores, reference_label)
    overall, slices = compare_overall(cohort, how), compare_slices(cohort, how)
    verdicts = decide_claims(declared, overall=overall, slices=slices)
    return {
        "overall": overall.to_dict(),
        "slices": {name: scope.to_dict() for name, scope in slices.items()},
        "paired_language_gaps": _compare_gaps(baseline.scores, candidate.scores, how, reference=reference),
        "marginal_full_slices": {
            "cohort": "marginal_full_slices",
            "reference": reference,
            "baseline": marginal_full_slices(baseline.scores, reference),
            "candidate": marginal_full_slices(candidate.scores, reference),
        },
        "claims": [verdict.to_dict() for verdict in verdicts],
    }


def _compare_gaps(
    baseline: Scores, candidate: Scores, how: Resampling, *, reference: str | None
) -> dict[str, dict[str, Any]]:
    before = paired_gaps(baseline, how, reference_label=reference)
    if candidate.ids == baseline.ids:  # then roots and labels are the same, too: the arms were paired
        after = same_gaps(candidate, how, like=before)
    else:
        after = paired_gaps(candidate, how, reference_label=reference)
    return {
        language: {
            "baseline": gap.to_dict(),
            "candidate": after[language].to_dict(),
            "difference_of_gaps": difference_of_gaps(gap, after[language], how),
        }
        for language, gap in before.items()
    }
