"""report experiment: all arms of a run under one identity, pair by pair, with what each answer cost."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from faircall.comparing.costs import efficiency_differences
from faircall.comparing.deltas import Resampling
from faircall.config import Config, arms_of, every_pair, is_about, pairs_of
from faircall.errors import UsageError
from faircall.pipeline.arms import StoredArm, evaluated_arms, load_config_of, read_arm
from faircall.pipeline.comparison import compare_stored, record_reports
from faircall.pipeline.evaluation_report import build_evaluation_report, inference_efficiency
from faircall.pipeline.families import hold_families
from faircall.reporting.experiment_view import view_experiment
from faircall.reporting.to_html import experiment_page
from faircall.reporting.to_json import to_json
from faircall.reporting.to_markdown import to_markdown
from faircall.store.atomic import write_bytes_atomically
from faircall.store.layout import RunFolder

SCHEMA: Final = "faircall.experiment_report.v1"
_ARM_FIELDS: Final = (
    "model_kind",
    "identity_sha256",
    "examples",
    "roots",
    "metrics",
    "slices",
    "paired_slices",
    "adapter_source",
    "inference_efficiency",
    "warnings",
)


def build_experiment_report(
    run: RunFolder,
    arms: Sequence[str] = (),
    *,
    pairs: Sequence[tuple[str, str]] = (),
    read: Callable[[RunFolder, str], StoredArm] = read_arm,
) -> dict[str, Any]:
    """The whole report: every arm, every pair (or the declared ones), the config's claims.

    Args:
        run: the run.
        arms: which arms, in this order, the reference first; when left out, those of the config's
            `experiment`, or all that are finished.
        pairs: baseline and candidate of each comparison; when left out, those of the config's `experiment`
            where `arms` was left out as well, else all pairs in the order of the arms.
        read: how an arm is read; the default checks its files against its manifest.

    Raises:
        UsageError: fewer than two arms, or a pair of an arm that is not there.
        Incomparable: two arms differ where they may not.
    """
    config = load_config_of(run)
    names = list(arms) or _declared_arms(config) or evaluated_arms(run)
    chosen = list(pairs) or (every_pair if arms else pairs_of)(config, names)
    _require_arms(run, names, chosen)
    stored = {name: read(run, name) for name in names}
    reports = [_compare(stored, config, pair, names=names) for pair in chosen]
    claims = _adjust_claims(reports)
    how = Resampling(seed=config.project.seed)
    return {
        "schema_version": SCHEMA,
        "run_id": run.run_id,
        "config_sha256": config.sha256,
        "arm_order": names,
        "arms": {name: _arm(arm) for name, arm in stored.items()},
        "resampling": {
            "seed": how.seed,
            "resamples": how.resamples,
            "level": how.level,
            "plan": "one per scope",
        },
        "pairs": reports,
        "claims": claims,
        "inference_efficiency": compare_efficiency(stored),
    }


def _declared_arms(config: Config) -> list[str]:
    return list(arms_of(config)) if config.experiment else []


def _require_arms(run: RunFolder, names: Sequence[str], pairs: Sequence[tuple[str, str]]) -> None:
    if len(names) < 2:
        found = ", ".join(names) or "none"
        raise UsageError(
            f"run {run.run_id} has too few finished arms ({found})", hint="run `faircall eval run`"
        )
    for name in (name for pair in pairs for name in pair):
        if name not in names:
            raise UsageError(f"no arm {name!r} in this experiment", hint=f"arms: {', '.join(names)}")


def _compare(
    stored: Mapping[str, StoredArm], config: Config, pair: tuple[str, str], *, names: Sequence[str]
) -> dict[str, Any]:
    baseline, candidate = pair
    claims = [
        claim.model_dump(mode="json") for claim in config.claims if is_about(claim, pair, reference=names[0])
    ]
    report = compare_stored(stored[baseline], stored[candidate], claims=claims)
    for claim in report["claims"]:
        claim.update(baseline=baseline, candidate=candidate)
    return report


def _adjust_claims(reports: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """All claims, each family adjusted over every pair; the pairs then carry the same verdicts."""
    claims = hold_families([claim for report in reports for claim in report["claims"]])
    rest = iter(claims)
    for report in reports:
        report["claims"] = [next(rest) for _ in report["claims"]]
    return claims


def _arm(arm: StoredArm) -> dict[str, Any]:
    report = build_evaluation_report(arm)
    return {name: report[name] for name in _ARM_FIELDS}


def compare_efficiency(stored: Mapping[str, StoredArm]) -> dict[str, Any]:
    """What an answer and a full match cost, per arm; cross-comparable only under equal conditions."""
    arms = {name: inference_efficiency(arm) for name, arm in stored.items()}
    reasons = efficiency_differences(arms)
    return {"arms": arms, "cross_comparable": not reasons, "reasons": reasons}


def write_experiment(run: RunFolder, report: Mapping[str, Any]) -> Path:
    """Write `experiment_report.json` and its renderings into the run, and record the stage."""
    forms = {
        run.experiment_report_file("json"): to_json(report),
        run.experiment_report_file("md"): to_markdown(view_experiment(report), title="Experiment"),
        run.experiment_report_file("html"): experiment_page(report),
    }
    for path, text in forms.items():
        write_bytes_atomically(path, text.encode("utf-8"))
    pairs = [[pair["baseline"]["arm"], pair["candidate"]["arm"]] for pair in report["pairs"]]
    record_reports(run, {"kind": "experiment", "arms": report["arm_order"], "pairs": pairs}, list(forms))
    return run.experiment_report_file("json")
