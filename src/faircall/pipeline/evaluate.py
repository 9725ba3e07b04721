"""eval run: one arm answers the stored prompts, journalled; then files, telemetry, report and manifest."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from time import monotonic_ns
from typing import Any, TypeAlias

from faircall.canonical import canonical_json
from faircall.config import Config
from faircall.errors import UsageError
from faircall.generating.backend import (
    BACKENDS,
    AdapterSettings,
    Backend,
    BackendRequest,
    Decoding,
    ModelSettings,
)
from faircall.generating.journal import Entry, open_journal, require_same_conditions
from faircall.generating.repeats import check_repeats
from faircall.generating.sequential import Clock, SequentialRun, generate_sequentially
from faircall.generating.telemetry import Allocation, build_telemetry
from faircall.parsing.tool_call import parse_generations
from faircall.pipeline.arms import ArmFacts, assemble_arm, eval_stage, facts_of, load_prompts
from faircall.pipeline.conditions import journal_conditions
from faircall.pipeline.evaluation_report import build_evaluation_report
from faircall.pipeline.generations import read_generations, write_generations
from faircall.pipeline.prompts import PromptSet, example_of
from faircall.store.files import read_json, write_json
from faircall.store.layout import RunFolder
from faircall.store.manifest import require_stage, stage_is_done, write_stage_manifest


@dataclass(frozen=True, slots=True)
class Answered:
    """News of one answer, for whoever watches; `total` is how many answers there will be."""

    entry: Entry
    total: int
    valid: bool
    matched: bool


Listener: TypeAlias = Callable[[Answered], None]


@dataclass(frozen=True, slots=True)
class ArmRequest:
    """Which arm to generate, and how. `limit` counts roots, `repeats` counts prompts to generate again."""

    arm: str
    adapter: AdapterSettings | None = None
    backend: str = "transformers"
    replay: Path | None = None
    limit: int | None = None
    repeats: int = 0

    @property
    def model_kind(self) -> str:
        """`adapter` or `base`."""
        return "adapter" if self.adapter else "base"


@dataclass(frozen=True, slots=True)
class ArmOutcome:
    """A finished arm: where its report lies, what it says, and whether anything was generated for it now."""

    report_file: Path
    report: Mapping[str, Any]
    generated: int


def plan_arm(
    config: Config,
    arm: str,
    *,
    adapter: str | None = None,
    revision: str | None = None,
    backend: str | None = None,
    limit: int | None = None,
    repeats: int = 0,
) -> ArmRequest:
    """Join what the config declares about an arm with what the command line adds.

    Raises:
        UsageError: the command line contradicts the config, or names an arm that nothing declares.
    """
    declared = config.arms.get(arm)
    if declared is None and adapter is None:
        raise UsageError(
            f"no arm {arm!r} in the config", hint=f"arms: {', '.join(config.arms)}; or give --adapter"
        )
    if declared is not None and adapter is not None and declared.adapter not in (None, adapter):
        raise UsageError(
            f"arm {arm!r} is declared with the adapter {declared.adapter}, not {adapter}",
            hint="give another --arm name, or change the config",
        )
    location = adapter or (declared.adapter if declared else None)
    revision = revision or (declared.revision if declared else None)
    replay = declared.replay if declared else None
    return ArmRequest(
        arm,
        adapter=AdapterSettings(_locate(config, location), revision) if location else None,
        backend=backend or ("replay" if replay else config.eval.backend),
        replay=config.path_of(replay) if replay else None,
        limit=limit,
        repeats=repeats,
    )


def evaluate_arm(
    run: RunFolder,
    config: Config,
    request: ArmRequest,
    *,
    clock: Clock = monotonic_ns,
    listener: Listener = lambda answered: None,
) -> ArmOutcome:
    """Generate what is missing of an arm and finish it; one that is finished already is left as it is.

    Raises:
        EvaluationError: generations of other conditions are there already, or model and prompts do not fit.
        InvariantViolation: a prompt is not the one that its digest names.
    """
    prompts = load_prompts(run, config, limit=request.limit)
    backend = open_backend(config, request)
    try:
        description = backend.describe()
        conditions = _as_json(
            journal_conditions(description, prompts, config=config, model_kind=request.model_kind)
        )
        facts = ArmFacts(request.arm, request.model_kind, conditions)
        finished = _finished_entries(run, facts)
        if finished is not None and not _needs_work(finished, request):
            run.journal_file(request.arm).unlink(missing_ok=True)
            return _outcome(run, facts, generated=0)
        backend.check(list(prompts))
        return _generate(
            run, config, request, facts, _Work(backend, prompts, finished or [], clock, listener)
        )
    finally:
        backend.close()


@dataclass(frozen=True, slots=True)
class _Work:
    """What generating needs beside the request."""

    backend: Backend
    prompts: PromptSet
    finished: list[Entry]
    clock: Clock
    listener: Listener


def _generate(
    run: RunFolder, config: Config, request: ArmRequest, facts: ArmFacts, work: _Work
) -> ArmOutcome:
    total = sum(len(rows) for rows in work.prompts.slices.values())
    journal_file = run.journal_file(request.arm)
    with open_journal(journal_file, facts.conditions) as journal:
        journal.adopt(work.finished)
        known = len(journal)
        finished = generate_sequentially(
            work.backend,
            work.prompts.slices,
            journal=journal,
            clock=work.clock,
            listener=_watch(work, total),
        )
        repeats = _repeat(work, finished, request.repeats)
        _write_artifacts(run, facts, finished, repeats)
        _finish(run, config, facts)
        journal_file.unlink()
    return _outcome(run, facts, generated=total - known)


def _watch(work: _Work, total: int) -> Callable[[Entry], None]:
    golds = {prompt.example_id: example_of(prompt).gold for prompt in work.prompts}

    def listen(entry: Entry) -> None:
        call = parse_generations([entry.generation])[0].call
        matched = call is not None and call == golds[entry.generation.example_id]
        work.listener(Answered(entry, total, call is not None, matched))

    return listen


def open_backend(config: Config, request: ArmRequest) -> Backend:
    """Open the backend that a request names."""
    model, policy = config.model, config.eval
    options = {} if request.replay is None else {"generations": request.replay}
    return BACKENDS.get(request.backend)(
        BackendRequest(
            ModelSettings(
                _locate(config, model.base_model_id),
                model.base_model_revision,
                model.tokenizer_revision,
                dtype=model.dtype,
                quantization=model.quantization,
                trust_remote_code=model.trust_remote_code,
            ),
            Decoding(policy.max_new_tokens, policy.temperature, policy.do_sample),
            adapter=request.adapter,
            threads=policy.threads,
            options=options,
        )
    )


def _locate(config: Config, written: str) -> str:
    """A folder beside the config if there is one of that name, else what was written: a repository id."""
    folder = config.path_of(written)
    return str(folder) if folder.is_dir() else written


def _repeat(work: _Work, finished: SequentialRun, count: int) -> dict[str, Any] | None:
    if count == 0:
        return None
    earlier = {entry.generation.example_id: entry.generation for entry in finished.entries}
    return check_repeats(work.backend, list(work.prompts), earlier=earlier, count=count)


def _write_artifacts(
    run: RunFolder, facts: ArmFacts, finished: SequentialRun, repeats: Mapping[str, Any] | None
) -> None:
    for name in facts.conditions["prompts"]["sets"]:
        rows = [entry.generation for entry in finished.entries if entry.slice_name == name]
        write_generations(run.generations_file(facts.arm, name), rows)
    device = str(facts.conditions["backend"]["device"])
    allocation = Allocation(
        device,
        threads=facts.conditions["backend"].get("threads"),
        configured_gpus=int(device.startswith("cuda")),
    )
    telemetry = build_telemetry(
        finished, allocation=allocation, decoding=facts.conditions["decoding"], repeat_check=repeats
    )
    write_json(run.telemetry_file(facts.arm), telemetry)


def _finish(run: RunFolder, config: Config, facts: ArmFacts) -> None:
    """Report and manifest; the manifest is what makes the arm count, so it comes last."""
    write_json(
        run.evaluation_report_file(facts.arm), build_evaluation_report(assemble_arm(run, config, facts))
    )
    slices = [run.generations_file(facts.arm, name) for name in facts.conditions["prompts"]["sets"]]
    write_stage_manifest(
        run,
        eval_stage(facts.arm),
        outputs=[*slices, run.telemetry_file(facts.arm), run.evaluation_report_file(facts.arm)],
        inputs=[run.formatted_file(config.eval.split)],
        facts=facts.to_dict(),
    )


def rebuild_evaluation_report(run: RunFolder, config: Config, arm: str) -> ArmOutcome:
    """Build the report of a finished arm again from its stored generations."""
    manifest = require_stage(run, eval_stage(arm), hint=f"run `faircall eval run --arm {arm}` first")
    facts = facts_of(manifest)
    _finish(run, config, facts)
    return _outcome(run, facts, generated=0)


def _outcome(run: RunFolder, facts: ArmFacts, *, generated: int) -> ArmOutcome:
    file = run.evaluation_report_file(facts.arm)
    return ArmOutcome(file, read_json(file), generated)


def _finished_entries(run: RunFolder, facts: ArmFacts) -> list[Entry] | None:
    """The entries of a finished arm; None when the arm is not finished.

    Raises:
        EvaluationError: it is finished under other conditions, so it is not this arm's result.
    """
    stage = eval_stage(facts.arm)
    if not stage_is_done(run, stage):
        return None
    stored = facts_of(require_stage(run, stage))
    require_same_conditions(stored.conditions, facts.conditions, place=str(run.eval_folder(facts.arm)))
    timing = {row["example_id"]: row for row in read_json(run.telemetry_file(facts.arm))["examples"]}
    return [
        Entry(name, row, timing[row.example_id]["duration_ns"], timing[row.example_id]["session"])
        for name in stored.conditions["prompts"]["sets"]
        for row in read_generations(run.generations_file(facts.arm, name))
    ]


def _needs_work(finished: list[Entry], request: ArmRequest) -> bool:
    """Failed generations are asked for again, and a repeat check is work as well."""
    return request.repeats > 0 or any(entry.generation.failure is not None for entry in finished)


def _as_json(value: Mapping[str, Any]) -> dict[str, Any]:
    """The value as it will be read back: tuples are lists."""
    decoded: dict[str, Any] = json.loads(canonical_json(value))
    return decoded
