"""An arm as it lies in a run: prompts, stored generations and their scores, under stated conditions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from faircall.api.reading import read_generations as read_with
from faircall.comparing.identity import altered_sections
from faircall.config import Config, load_resolved
from faircall.digest import sha256_json
from faircall.errors import ArtifactInvalid, InvariantViolation, UsageError
from faircall.pipeline.conditions import identity_of
from faircall.pipeline.generations import read_generations, require_consistent
from faircall.pipeline.prompts import PromptSet, draw_samples, example_of, read_prompts, select_slices
from faircall.pipeline.repeat_record import read_record
from faircall.pipeline.telemetry_record import read_telemetry
from faircall.records import Example, Generation, Parsed, Scores
from faircall.scoring.scores import score_rows
from faircall.store.files import read_json
from faircall.store.layout import RunFolder
from faircall.store.manifest import read_index, read_stage_manifest, require_stage

# What the format stage keeps about the prompts that an arm's identity states.
_PROMPT_STYLE: Final = ("template_sha256", "chat_template_kwargs", "system_prompt_sha256")


@dataclass(frozen=True, slots=True)
class ArmFacts:
    """What the eval stage keeps about an arm beside its files: enough to build its report again."""

    arm: str
    model_kind: str
    conditions: Mapping[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """The `facts` of the stage's manifest."""
        return {"arm": self.arm, "model_kind": self.model_kind, "conditions": dict(self.conditions)}


@dataclass(frozen=True, slots=True, eq=False)
class StoredArm:
    """Everything about one arm that its report is made of; rows are in slice and prompt order."""

    run: RunFolder
    config: Config
    facts: ArmFacts
    prompts: PromptSet
    examples: tuple[Example, ...]
    generations: tuple[Generation, ...]
    scores: Scores
    identity: Mapping[str, Mapping[str, Any]]
    telemetry: Mapping[str, Any]
    reading: Mapping[str, Any] | None = None
    repeats: Mapping[str, Any] | None = None


def eval_stage(arm: str) -> str:
    """The name of the stage that generates one arm."""
    return f"eval-{arm}"


def load_config_of(run: RunFolder) -> Config:
    """The resolved config of a run."""
    return load_resolved(run.config_file)


def load_prompts(run: RunFolder, config: Config, *, limit: int | None = None) -> PromptSet:
    """The stored prompts of the evaluated split, by slice.

    Raises:
        UsageError: the run has no formatted prompts yet.
        InvariantViolation: a formatted file is not what the format stage wrote.
    """
    require_stage(run, "format", hint="run `faircall format build` first")
    prompts = read_prompts(run.formatted_file(config.eval.split))
    chosen = select_slices(prompts, slice_names(config, prompts_languages(prompts)), limit=limit)
    sampling = config.eval.sampling
    return chosen if sampling is None else draw_samples(chosen, sampling.samples)


def prompts_languages(prompts: Any) -> list[str]:
    """The languages of the prompts, in order of first appearance."""
    return list(dict.fromkeys(prompt.language for prompt in prompts))


def slice_names(config: Config, languages: list[str]) -> list[str]:
    """The declared slices, or every language of the split."""
    return list(config.eval.slices) or languages


def read_arm(run: RunFolder, arm: str) -> StoredArm:
    """A finished arm, its files checked against its manifest.

    Raises:
        UsageError: the arm was not evaluated in this run.
        InvariantViolation: a file was changed, or generations and prompts do not belong together.
    """
    stage = eval_stage(arm)
    manifest = require_stage(run, stage, hint=f"run `faircall eval run --arm {arm}` first")
    _require_unaltered(run, arm)
    return assemble_arm(run, load_config_of(run), facts_of(manifest))


def _require_unaltered(run: RunFolder, arm: str) -> None:
    """The report's identity is what its digests say; one of an older version may lack them."""
    file = run.evaluation_report_file(arm)
    report = read_json(file)
    altered = altered_sections(report.get("identity", {}), report.get("identity_sha256", {}))
    if altered:
        names = ", ".join(altered)
        raise InvariantViolation(
            f"{run.relative(file)}: the identity was altered: {names} are not what their digests say",
            hint=f"`faircall eval report {run.path}` builds it again from the stored generations",
        )


def reread_arm(run: RunFolder, arm: str) -> StoredArm:
    """A finished arm as its files are now, whether or not they are what its manifest says."""
    return assemble_arm(run, load_config_of(run), read_facts(run, arm))


def assemble_arm(
    run: RunFolder, config: Config, facts: ArmFacts, *, repeats: Mapping[str, Any] | None = None
) -> StoredArm:
    """Read, check, parse and score the files of an arm; its manifest need not exist yet.

    `repeats` is a repeat check that takes the place of the stored one.
    """
    prompts = load_prompts(run, config, limit=facts.conditions["prompts"]["limit"])
    generations: list[Generation] = []
    for name, expected in prompts.slices.items():
        rows = read_generations(run.generations_file(facts.arm, name))
        require_consistent(rows, expected, slice_name=name)
        generations.extend(rows)
    examples = [example_of(prompt) for prompt in prompts]
    texts = [prompt.prompt_text for prompt in prompts]
    read = read_with(examples, generations, reader=config.eval.reader, prompts=texts)
    return StoredArm(
        run=run,
        config=config,
        facts=facts,
        prompts=prompts,
        examples=tuple(examples),
        generations=tuple(generations),
        scores=score_arm(prompts, examples, generations, read.parsed),
        identity=_identity(run, config, facts),
        telemetry=read_telemetry(run.telemetry_file(facts.arm)),
        reading=read.facts,
        repeats=repeats or read_record(run.repeat_check_file(facts.arm), conditions=facts.conditions),
    )


def score_arm(
    prompts: PromptSet, examples: list[Example], generations: list[Generation], parsed: Sequence[Parsed]
) -> Scores:
    """Scores with the template-free task digest of every stored prompt."""
    scores = score_rows(examples, generations, parsed)
    tasks = tuple(sha256_json([prompt.messages_sha256, prompt.tools_sha256]) for prompt in prompts)
    return replace(scores, tasks_sha256=tasks)


def facts_of(manifest: Mapping[str, Any]) -> ArmFacts:
    """The facts in an eval manifest."""
    facts = manifest["facts"]
    try:
        return ArmFacts(facts["arm"], facts["model_kind"], facts["conditions"])
    except KeyError as fault:
        raise ArtifactInvalid(f"the eval manifest lacks {fault}", hint="generate the arm again") from None


def read_facts(run: RunFolder, arm: str) -> ArmFacts:
    """The facts of a finished arm, its files unchecked."""
    return facts_of(read_stage_manifest(run, eval_stage(arm)))


def evaluated_arms(run: RunFolder) -> list[str]:
    """The arms that finished in this run, in the order of the config, others behind it."""
    done = [stage.removeprefix("eval-") for stage in read_index(run)["stages"] if stage.startswith("eval-")]
    declared = list(load_config_of(run).arms)
    return [arm for arm in declared if arm in done] + sorted(set(done) - set(declared))


def _identity(run: RunFolder, config: Config, facts: ArmFacts) -> dict[str, dict[str, Any]]:
    data = read_stage_manifest(run, "data")
    style = read_stage_manifest(run, "format")["facts"]
    return identity_of(
        facts.conditions,
        config=config,
        config_sha256=data["config_sha256"],
        test_split_sha256=_digest_of(data, run.relative(run.data_file(config.eval.split))),
        prompt_style={name: style.get(name) for name in _PROMPT_STYLE},
    )


def _digest_of(manifest: Mapping[str, Any], path: str) -> str:
    for entry in manifest["outputs"]:
        if entry["path"] == path:
            return str(entry["sha256"])
    raise UsageError(f"the data stage wrote no {path}", hint="correct eval.split")
