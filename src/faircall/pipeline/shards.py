"""One arm spread over processes or machines without any engine: `--shard i/n`, then `faircall merge`.

eval run --shard 1/3 --> shard-1-of-3.jsonl --.
eval run --shard 2/3 --> shard-2-of-3.jsonl ---> merge --> the same files as one process writes
eval run --shard 3/3 --> shard-3-of-3.jsonl --'
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic_ns
from typing import Any

from faircall.config import Config
from faircall.errors import ArtifactInvalid, EvaluationError, IdMismatch, UsageError
from faircall.generating.answering import answer_prompts
from faircall.generating.journal import Entry, open_journal, read_journal, require_same_conditions
from faircall.generating.sequential import Clock, SequentialRun
from faircall.pipeline.arm_request import ArmRequest, open_backend, plan_backend
from faircall.pipeline.arms import ArmFacts, eval_stage, load_config_of, load_prompts
from faircall.pipeline.evaluate import describe_conditions
from faircall.pipeline.finish_arm import ArmOutcome, finish_arm, outcome_of, write_artifacts
from faircall.pipeline.prompts import PromptSet
from faircall.records import Prompt
from faircall.store.layout import RunFolder
from faircall.store.manifest import stage_is_done

_TEXT = re.compile(r"([1-9][0-9]{0,5})/([1-9][0-9]{0,5})")


@dataclass(frozen=True, slots=True)
class Shard:
    """Every `of`-th prompt, from the `number`-th on (counted from 1)."""

    number: int
    of: int

    def select(self, prompts: PromptSet) -> dict[str, list[Prompt]]:
        """The prompts of this shard by slice; every prompt is in exactly one shard."""
        place = {id(prompt): index for index, prompt in enumerate(prompts)}
        return {
            name: [prompt for prompt in rows if place[id(prompt)] % self.of == self.number - 1]
            for name, rows in prompts.slices.items()
        }


def parse_shard(text: str) -> Shard:
    """Read `i/n`.

    Raises:
        UsageError: it is no shard.

    >>> parse_shard("2/4")
    Shard(number=2, of=4)
    """
    match = _TEXT.fullmatch(text)
    if match is None or int(match[1]) > int(match[2]):
        raise UsageError(f"{text!r} is no shard", hint="for example --shard 2/4: the second of four")
    return Shard(int(match[1]), int(match[2]))


def generate_shard(
    run: RunFolder,
    config: Config,
    request: ArmRequest,
    shard: Shard,
    *,
    clock: Clock = monotonic_ns,
    listener: Callable[[Entry], None] = lambda entry: None,
) -> Path:
    """Answer the prompts of one shard; stopped at any moment, the same call goes on from there.

    Raises:
        UsageError: the arm is finished, a repeat check is asked for, or its prompts are batched: then a shard
            would change the batches.
        EvaluationError: the shard holds generations of other conditions.
    """
    _require_unfinished(run, request.arm)
    if request.repeats:
        raise UsageError(
            "--repeat-check needs a whole arm, and a shard is a part of one",
            hint="merge the shards; then eval run --repeat-check, without --shard",
        )
    if plan_backend(config, request).batch_size > 1:
        raise UsageError(
            "--shard would change which prompts share a batch",
            hint="set eval.batch_size: 1 (for the backend vllm: vllm.chunk_size)",
        )
    prompts = load_prompts(run, config, limit=request.limit)
    backend = open_backend(config, request)
    path = run.shard_file(request.arm, shard.number, of=shard.of)
    try:
        conditions = describe_conditions(backend, prompts, config=config, model_kind=request.model_kind)
        chosen = shard.select(prompts)
        backend.check([prompt for rows in chosen.values() for prompt in rows])
        with open_journal(path, conditions) as journal:
            answer_prompts(backend, chosen, journal=journal, clock=clock, listener=listener)
    finally:
        backend.close()
    return path


def merge_shards(run: RunFolder, arm: str, files: Sequence[Path] = ()) -> ArmOutcome:
    """Put the shards of an arm together and finish it; no model is needed.

    Args:
        run: the run that the prompts are from.
        arm: the arm.
        files: the shards; those in the arm's folder when left out.

    Raises:
        UsageError: there are no shards, or the arm is finished.
        EvaluationError: shards of different conditions, or two answers to one prompt.
        IdMismatch: prompts that no shard has answered.
    """
    _require_unfinished(run, arm)
    paths = list(files) or run.shard_files(arm)
    if not paths:
        raise UsageError(f"arm {arm!r} has no shards in run {run.run_id}", hint="eval run --shard 1/N ...")
    conditions, entries = _read_shards(paths)
    config = load_config_of(run)
    prompts = load_prompts(run, config, limit=conditions["prompts"]["limit"])
    require_same_conditions(
        {"prompts": conditions["prompts"]["sets"]}, {"prompts": prompts.digests()}, place=str(paths[0])
    )
    ordered = _in_order(entries, prompts)
    sessions = max(entry.session for entry in ordered)
    finished = SequentialRun(ordered, sessions, 0, None, mode="sharded", in_flight=len(paths))
    facts = ArmFacts(arm, conditions["arm"]["model_kind"], conditions)
    write_artifacts(run, facts, finished)
    finish_arm(run, config, facts)
    for path in run.shard_files(arm):
        path.unlink()
    return outcome_of(run, facts, generated=0)


def _read_shards(paths: Sequence[Path]) -> tuple[Mapping[str, Any], dict[tuple[str, str], Entry]]:
    conditions: Mapping[str, Any] | None = None
    found: dict[tuple[str, str], Entry] = {}
    for path in paths:
        read = read_journal(path)
        if read is None:
            raise ArtifactInvalid(f"{path} is no shard", hint="name files that eval run --shard wrote")
        if conditions is not None:
            require_same_conditions(conditions, read[0], place=str(path))
        conditions = read[0]
        for entry in read[1]:
            _enter(found, entry, path)
    assert conditions is not None  # there is at least one path
    return conditions, found


def _enter(found: dict[tuple[str, str], Entry], entry: Entry, path: Path) -> None:
    key = entry.slice_name, entry.generation.example_id
    known = found.setdefault(key, entry)
    if known.generation != entry.generation:
        raise EvaluationError(
            f"{path}: {key[1]!r} has another answer in another shard",
            hint="merge the shards of one split into shards",
        )


def _in_order(entries: Mapping[tuple[str, str], Entry], prompts: PromptSet) -> tuple[Entry, ...]:
    wanted = [(name, prompt.example_id) for name, rows in prompts.slices.items() for prompt in rows]
    missing = [key[1] for key in wanted if key not in entries]
    if missing:
        raise IdMismatch(
            f"{len(missing)} of {len(wanted)} prompts are in no shard, first {missing[0]!r}",
            hint="a shard is missing or was stopped: run it again to let it go on",
        )
    return tuple(entries[key] for key in wanted)


def _require_unfinished(run: RunFolder, arm: str) -> None:
    if stage_is_done(run, eval_stage(arm)):
        raise UsageError(f"arm {arm!r} of run {run.run_id} is finished", hint="use another arm or a new run")
