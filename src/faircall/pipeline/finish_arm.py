"""The end of an arm: generations and telemetry, then its report, then the manifest that makes it count."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from faircall.config import Config
from faircall.generating.journal import Entry, require_same_conditions
from faircall.generating.sequential import SequentialRun
from faircall.generating.telemetry import NO_DEVICE, Allocation, build_telemetry
from faircall.pipeline.arms import ArmFacts, assemble_arm, eval_stage, facts_of
from faircall.pipeline.evaluation_report import build_evaluation_report
from faircall.pipeline.generations import read_generations, write_generations
from faircall.pipeline.telemetry_record import read_telemetry
from faircall.store.atomic import write_json
from faircall.store.files import read_json
from faircall.store.layout import RunFolder
from faircall.store.manifest import require_stage, stage_is_done, write_stage_manifest


@dataclass(frozen=True, slots=True)
class ArmOutcome:
    """A finished arm: where its report lies, what it says, and whether anything was generated for it now."""

    report_file: Path
    report: Mapping[str, Any]
    generated: int

    def tell(self) -> str:
        """What was there and what was generated, or taken from stored answers."""
        total = self.report["examples"]
        replayed = self.report["inference_efficiency"]["allocation"]["device"] == NO_DEVICE
        how = "replayed" if replayed else "generated"
        return f"{total - self.generated} of {total} answers were there, {self.generated} {how}"


def write_artifacts(
    run: RunFolder,
    facts: ArmFacts,
    finished: SequentialRun,
    *,
    memory: Mapping[str, Any] | None = None,
) -> None:
    """Write the generations, slice by slice in prompt order, and the telemetry."""
    for name in facts.conditions["prompts"]["sets"]:
        rows = [entry.generation for entry in finished.entries if entry.slice_name == name]
        write_generations(run.generations_file(facts.arm, name), rows)
    backend = facts.conditions["backend"]
    device, engine = str(backend["device"]), backend.get("started_with", {})
    allocation = Allocation(
        device,
        threads=backend.get("threads"),
        configured_gpus=int(device.startswith("cuda")) * engine.get("tensor_parallel_size", 1),
    )
    telemetry = build_telemetry(
        finished,
        allocation=allocation,
        decoding=facts.conditions["decoding"],
        memory=memory,
    )
    write_json(run.telemetry_file(facts.arm), telemetry)


def finish_arm(
    run: RunFolder, config: Config, facts: ArmFacts, *, repeats: Mapping[str, Any] | None = None
) -> None:
    """Report and manifest; the manifest is what makes the arm count, so it comes last.

    `repeats` is a new repeat check. It is written after the report is made, so that a stop while that takes
    its time leaves the arm as it was.
    """
    report = build_evaluation_report(assemble_arm(run, config, facts, repeats=repeats))
    if repeats is not None:
        write_json(run.repeat_check_file(facts.arm), repeats)
    write_json(run.evaluation_report_file(facts.arm), report)
    files = [run.generations_file(facts.arm, name) for name in facts.conditions["prompts"]["sets"]]
    files += [path for path in (run.repeat_check_file(facts.arm),) if path.is_file()]
    write_stage_manifest(
        run,
        eval_stage(facts.arm),
        outputs=[*files, run.telemetry_file(facts.arm), run.evaluation_report_file(facts.arm)],
        inputs=[run.formatted_file(config.eval.split)],
        facts=facts.to_dict(),
    )


def rebuild_evaluation_report(run: RunFolder, config: Config, arm: str) -> ArmOutcome:
    """Build the report of a finished arm again from its stored generations."""
    manifest = require_stage(run, eval_stage(arm), hint=f"run `faircall eval run --arm {arm}` first")
    facts = facts_of(manifest)
    finish_arm(run, config, facts)
    return outcome_of(run, facts, generated=0)


def outcome_of(run: RunFolder, facts: ArmFacts, *, generated: int) -> ArmOutcome:
    """The outcome of an arm whose report is written."""
    file = run.evaluation_report_file(facts.arm)
    return ArmOutcome(file, read_json(file), generated)


def finished_entries(run: RunFolder, facts: ArmFacts) -> list[Entry] | None:
    """The entries of a finished arm; None when the arm is not finished.

    Raises:
        EvaluationError: it is finished under other conditions, so it is not this arm's result.
    """
    stage = eval_stage(facts.arm)
    if not stage_is_done(run, stage):
        return None
    stored = facts_of(require_stage(run, stage))
    require_same_conditions(stored.conditions, facts.conditions, place=str(run.eval_folder(facts.arm)))
    timing = {row["example_id"]: row for row in read_telemetry(run.telemetry_file(facts.arm))["examples"]}
    return [
        Entry(name, row, timing[row.example_id]["duration_ns"], timing[row.example_id]["session"])
        for name in stored.conditions["prompts"]["sets"]
        for row in read_generations(run.generations_file(facts.arm, name))
    ]
