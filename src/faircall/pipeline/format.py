"""Stage `format`: the splits of a run to the prompts that every arm gets."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Final, TypeAlias

from faircall.config import Config
from faircall.digest import sha256_text
from faircall.errors import ConfigError
from faircall.formatting.chat_requests import format_chat_request
from faircall.formatting.chat_template import ChatTemplate
from faircall.formatting.prompts import PromptStyle, format_example, training_fields
from faircall.importing.prepare import SPLITS
from faircall.pipeline.examples import read_examples
from faircall.pipeline.model_folders import fetch_tokenizer_files
from faircall.pipeline.tokenizer_files import (
    TokenizerFacts,
    has_tokenizer,
    read_template,
    read_template_file,
    read_tokenizer_files,
)
from faircall.records import Example, Prompt
from faircall.store.atomic import write_together
from faircall.store.layout import RunFolder
from faircall.store.manifest import require_stage, write_stage_manifest

STAGE: Final = "format"
SCHEMA_VERSION: Final = "faircall.formatted.v1"

_Writer: TypeAlias = Callable[[Example], tuple[Prompt, dict[str, str]]]


def build_prompts(config: Config, *, run: RunFolder) -> RunFolder:
    """Render the prompts of all splits of a run.

    Raises:
        UsageError: the data of the run are not prepared.
        ConfigError: there is no chat template, or it is not one.
        DataError: the template fails on an example or hides an offered tool.
        InvariantViolation: the data were changed after they were prepared.
    """
    require_stage(run, "data", hint="run `faircall data prepare -c FILE` first")
    writer, facts = _load_writer(config)
    inputs = [run.data_file(split) for split in SPLITS]
    outputs = [run.formatted_file(split) for split in SPLITS]
    rows = [_rows(run.data_file(split), write=writer, training=split != "test") for split in SPLITS]
    write_together(dict(zip(outputs, rows, strict=True)))
    write_stage_manifest(run, STAGE, inputs=inputs, outputs=outputs, facts=facts)
    return run


def _load_writer(config: Config) -> tuple[_Writer, dict[str, Any]]:
    """What makes a prompt (and training fields) of an example, and what the prompts are made with."""
    policy = config.formatting
    if policy.template_policy == "server_chat_template":
        system_prompt = policy.system_prompt
        return lambda example: (format_chat_request(example, system_prompt=system_prompt), {}), {
            "template_policy": policy.template_policy,
            "template_sha256": None,  # the server's own, which it does not tell
            "chat_template_kwargs": {},
            "system_prompt_sha256": None if system_prompt is None else sha256_text(system_prompt),
        }
    style = load_style(config)

    def write(example: Example) -> tuple[Prompt, dict[str, str]]:
        prompt = format_example(example, style=style)
        return prompt, training_fields(prompt, style=style)

    return write, describe_style(config, style)


def _rows(source: Path, *, write: _Writer, training: bool) -> Iterator[dict[str, Any]]:
    for example in read_examples(source):
        prompt, more = write(example)
        yield {"schema_version": SCHEMA_VERSION, **asdict(prompt), **(more if training else {})}


def load_style(config: Config) -> PromptStyle:
    """The one prompt style of a config, from the tokenizer files that it names."""
    policy = config.formatting
    facts = _read_facts(config)
    if facts.template is None:
        hint = "name a template file in formatting.chat_template_from"
        raise ConfigError(f"{policy.chat_template_from}: there is no chat template", hint=hint)
    return PromptStyle(
        template=ChatTemplate(facts.template),
        special_tokens=facts.special_tokens,
        adds_bos=facts.adds_bos,
        system_prompt=policy.system_prompt,
        options=policy.chat_template_kwargs,
    )


def describe_style(config: Config, style: PromptStyle) -> dict[str, Any]:
    """What the prompts were made with: the `prompt` section of an arm's identity, rendered sets aside."""
    policy = config.formatting
    return {
        "template_policy": policy.template_policy,
        "template_sha256": style.template.sha256,
        "chat_template_kwargs": dict(policy.chat_template_kwargs),
        "system_prompt_sha256": None if policy.system_prompt is None else sha256_text(policy.system_prompt),
        "bos_token": style.bos,
        "adds_bos": style.adds_bos,
    }


def _read_facts(config: Config) -> TokenizerFacts:
    """The base model's tokenizer; where the template is asked of an adapter that has one, the adapter's."""
    source = config.formatting.chat_template_from
    base = read_tokenizer_files(_base_folder(config))
    if source == "base":
        return base
    if source not in config.arms:
        return replace(base, template=read_template_file(config.path_of(source)))
    folder = _adapter_folder(config, source)
    if has_tokenizer(folder):
        return read_tokenizer_files(folder)
    return replace(base, template=read_template(folder, config={}))


def _base_folder(config: Config) -> Path:
    model = config.model
    revision = model.tokenizer_revision or model.base_model_revision
    return fetch_tokenizer_files(config, model.base_model_id, revision=revision)


def _adapter_folder(config: Config, name: str) -> Path:
    arm = config.arms[name]
    if arm.adapter is None:
        raise ConfigError(f"formatting.chat_template_from names the arm {name!r}, which has no adapter")
    return fetch_tokenizer_files(config, arm.adapter, revision=arm.revision)
