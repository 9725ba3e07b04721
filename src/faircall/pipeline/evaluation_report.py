"""evaluation_report.json: one arm's scores, slice by slice, under the conditions that produced them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from faircall.comparing.deltas import Resampling
from faircall.comparing.gaps import marginal_full_slices, paired_gaps
from faircall.comparing.identity import digest_sections, identify, known_fields
from faircall.pipeline.arms import StoredArm
from faircall.pipeline.prompts import prompt_set_digest
from faircall.pipeline.repeat_summary import summarise_repeats
from faircall.records import METRIC_NAMES, Arm
from faircall.scoring.diagnosis import diagnose
from faircall.scoring.totals import metric_block, metric_values, rows_by_label
from faircall.stats.pass_at_k import summarise_samples
from faircall.store.fingerprints import record_file

if TYPE_CHECKING:
    from faircall.records import IntArray

SCHEMA: Final = "faircall.evaluation_report.v3"
_FULL: Final = "full_call_exact_match"


def build_evaluation_report(stored: StoredArm) -> dict[str, Any]:
    """The whole report of an arm; the same files give the same report."""
    arm = Arm(stored.facts.arm, stored.scores, stored.identity)
    identity = known_fields(identify(arm))
    return {
        "schema_version": SCHEMA,
        "run_id": stored.run.run_id,
        "arm": stored.facts.arm,
        "model_kind": stored.facts.model_kind,
        "identity": identity,
        "identity_sha256": digest_sections(identity),
        "examples": len(stored.examples),
        "roots": len(set(stored.scores.roots)),
        "metrics": metric_block(stored.scores),
        "prompt_set_sha256": prompt_set_digest(list(stored.prompts)),
        "slices": {name: _slice(stored, name, rows) for name, rows in rows_by_label(stored.scores).items()},
        **_language_gaps(stored),
        **_sampling(stored),
        "diagnosis": diagnosis_of(stored),
        "inference_efficiency": inference_efficiency(stored),
        "adapter_source": adapter_source(stored),
        "warnings": warnings_of(stored),
    }


def to_arm(stored: StoredArm) -> Arm:
    """The arm as comparisons take it."""
    return Arm(
        name=stored.facts.arm,
        scores=stored.scores,
        identity=stored.identity,
        adapter_source=adapter_source(stored),
        inference_efficiency=inference_efficiency(stored),
        diagnosis=diagnosis_of(stored),
        raw_texts=tuple(generation.raw_text for generation in stored.generations),
        durations_ns=_durations(stored),
        config=stored.config.resolved(),
    )


def _durations(stored: StoredArm) -> tuple[int, ...]:
    """How long each answer took, in the order of the rows."""
    timed = {row["example_id"]: row["duration_ns"] for row in stored.telemetry["examples"]}
    return tuple(timed[generation.example_id] for generation in stored.generations)


def diagnosis_of(stored: StoredArm) -> dict[str, Any]:
    """What the misses are made of, and what a declared reader passed over."""
    diagnosis = diagnose(stored.examples, stored.scores)
    return diagnosis if stored.reading is None else {**diagnosis, "reading": dict(stored.reading)}


def _slice(stored: StoredArm, name: str, rows: IntArray) -> dict[str, Any]:
    file = stored.run.generations_file(stored.facts.arm, name)
    return {
        "examples": len(rows),
        "metrics": metric_block(stored.scores, rows),
        "prompt_set_sha256": prompt_set_digest(stored.prompts.slices[name]),
        "generations": record_file(stored.run, file).to_dict(),
    }


def _language_gaps(stored: StoredArm) -> dict[str, Any]:
    """The matched-pair gap of every language, and the older full-slice gap, which is descriptive only."""
    reference = stored.config.reference_language
    if reference not in stored.scores.labels:
        return {"reference_language": None, "paired_slices": {}, "marginal_full_slices": {}}
    how = Resampling(seed=stored.config.project.seed)
    gaps = paired_gaps(stored.scores, how, reference_label=reference)
    return {
        "reference_language": reference,
        "paired_slices": {language: gap.to_dict() for language, gap in gaps.items()},
        "marginal_full_slices": marginal_full_slices(stored.scores, reference),
    }


def _sampling(stored: StoredArm) -> dict[str, Any]:
    """Under `sampled.v1`: how often one of k answers is a full match, and how often all of them are."""
    sampling = stored.config.eval.sampling
    if sampling is None:
        return {}
    full = stored.scores.components[:, METRIC_NAMES.index(_FULL), 0]
    right = full.reshape(-1, sampling.samples).sum(axis=1).tolist()  # the samples of a prompt lie together
    prompts = [row.example_id.rpartition("#")[0] for row in stored.examples[:: sampling.samples]]
    languages = [row.language for row in stored.examples[:: sampling.samples]]
    slices = {
        name: summarise_samples(
            [count for count, language in zip(right, languages, strict=True) if language == name],
            sampling.samples,
        )
        for name in stored.prompts.slices
    }
    return {
        "sampling": {
            "protocol": "sampled.v1",
            **summarise_samples(right, sampling.samples),
            "slices": {name: _values_of(summary) for name, summary in slices.items()},
            "right_by_item": dict(zip(prompts, right, strict=True)),
        }
    }


def _values_of(summary: Mapping[str, Any]) -> dict[str, Any]:
    return {name: summary[name] for name in ("items", "pass_at_k", "pass_hat_k")}


def adapter_source(stored: StoredArm) -> Mapping[str, Any] | None:
    """Where the adapter's weights came from; None for the base model."""
    source: Mapping[str, Any] | None = stored.facts.conditions.get("source", {}).get("adapter")
    return source


def warnings_of(stored: StoredArm) -> list[str]:
    """What a reader must know before believing the numbers."""
    found = []
    if stored.identity["adapter"].get("changes_nothing"):
        found.append("the adapter changes nothing: every lora_B is zero")
    if stored.scores.backend_failed:
        found.append(
            f"examples on which the backend failed: {len(stored.scores.backend_failed)}; they count as wrong"
        )
    return found + _failed_repeats(stored)


def _failed_repeats(stored: StoredArm) -> list[str]:
    ways = ((summarise_repeats(stored) or {}).get("ways") or {}).items()
    return [f"repeat check, {way}: {done['reason']}" for way, done in ways if done["status"] == "failed"]


def inference_efficiency(stored: StoredArm) -> dict[str, Any]:
    """Seconds per example and per full match, from the telemetry; null at zero matches, with the reason."""
    telemetry, matches = stored.telemetry, metric_values(stored.scores)[_FULL].numerator
    overall, gpus = telemetry["overall"], telemetry["allocation"]["configured_gpus"]
    none_right = "no example was a full match" if matches == 0 else None
    no_gpu = "no GPU was configured" if gpus == 0 else None
    return {
        "contract": telemetry["contract"]["name"],
        "scenario": telemetry["contract"]["scenario"],
        "allocation": telemetry["allocation"],
        "decoding": telemetry["decoding"],
        "resumed": telemetry["resumed"],
        "cross_comparable": telemetry["cross_comparable"],
        "cross_comparable_reason": telemetry["cross_comparable_reason"],
        "examples": overall["examples"],
        "full_matches": matches,
        "seconds": overall["seconds"],
        "seconds_per_example": overall["seconds_per_example"],
        "seconds_per_full_match": None if none_right else overall["seconds"] / matches,
        "seconds_per_full_match_reason": none_right,
        "configured_gpu_seconds_per_full_match": (
            None if none_right or no_gpu else gpus * overall["seconds"] / matches
        ),
        "configured_gpu_seconds_per_full_match_reason": none_right or no_gpu,
        "median_ns": overall["median_ns"],
        "p90_ns": overall["p90_ns"],
        "prompt_tokens": overall["prompt_tokens"],
        "new_tokens": overall["new_tokens"],
        "memory": telemetry.get("memory"),
        "repeat_check": summarise_repeats(stored),
    }
