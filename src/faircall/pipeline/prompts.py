"""Stored prompts, read back for generation: checked against their digests and cut into slices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Final, TypeAlias

from faircall.digest import sha256_json, sha256_text
from faircall.errors import ArtifactInvalid, DataError, InvariantViolation, UsageError
from faircall.records import Example, Prompt, ToolCall
from faircall.store.files import read_json_lines
from faircall.strict_json import JsonFault, decode

PromptSlices: TypeAlias = Mapping[str, Sequence[Prompt]]
_FIELDS: Final = tuple(field.name for field in fields(Prompt))


@dataclass(frozen=True, slots=True)
class PromptSet:
    """The prompts that one evaluation answers. `limit` is the number of roots it was cut to, None for all."""

    slices: PromptSlices
    limit: int | None = None

    def __iter__(self) -> Any:
        return (prompt for prompts in self.slices.values() for prompt in prompts)

    def digests(self) -> dict[str, str]:
        """The prompt-set digest of every slice: ordered pairs of example id and prompt digest."""
        return {name: prompt_set_digest(prompts) for name, prompts in self.slices.items()}


def prompt_set_digest(prompts: Sequence[Prompt]) -> str:
    """SHA-256 over the ordered pairs of example id and prompt digest."""
    return sha256_json([[prompt.example_id, prompt.prompt_sha256] for prompt in prompts])


def read_prompts(path: Path) -> list[Prompt]:
    """The prompts of a formatted split, in the order of the file.

    Raises:
        ArtifactInvalid: a row lacks a field.
        InvariantViolation: a text is not what its digest says, or an id stands on two rows.
    """
    prompts: list[Prompt] = []
    seen: set[str] = set()
    for line in read_json_lines(path):
        prompt = _read_row(line.value, place=f"{path}:{line.number}")
        if prompt.example_id in seen:
            raise InvariantViolation(
                f"{path}:{line.number}: example {prompt.example_id!r} stands twice", hint=""
            )
        seen.add(prompt.example_id)
        prompts.append(prompt)
    return prompts


def _read_row(row: Any, *, place: str) -> Prompt:
    missing = [name for name in _FIELDS if not isinstance(row, dict) or name not in row]
    if missing:
        raise ArtifactInvalid(
            f"{place}: a prompt needs {missing[0]!r}", hint="run `faircall format build` again"
        )
    prompt = Prompt(**{**{name: row[name] for name in _FIELDS}, "tools": tuple(row["tools"])})
    if sha256_text(prompt.prompt_text) != prompt.prompt_sha256:
        raise InvariantViolation(
            f"{place}: the prompt of {prompt.example_id} is not the one that its digest names",
            hint="the formatted split was changed; run `faircall format build` again",
        )
    return prompt


def select_slices(prompts: Sequence[Prompt], names: Sequence[str], *, limit: int | None = None) -> PromptSet:
    """The prompts of the named slices; with a limit, only those of the first so many roots of the split.

    Raises:
        UsageError: a limit below one.
        DataError: a slice without rows.
    """
    if limit is not None and limit < 1:
        raise UsageError(f"--limit must be at least 1, got {limit}")
    roots = dict.fromkeys(prompt.source_example_id or prompt.example_id for prompt in prompts)
    kept = set(list(roots)[:limit])
    slices = {
        name: [p for p in prompts if p.language == name and (p.source_example_id or p.example_id) in kept]
        for name in names
    }
    empty = [name for name, rows in slices.items() if not rows]
    if empty:
        among = "" if limit is None else f" among the first {limit} roots"
        raise DataError(
            f"slice {empty[0]!r} has no rows{among}", hint="correct eval.slices, or add rows of that language"
        )
    return PromptSet(slices, limit)


def draw_samples(prompts: PromptSet, count: int) -> PromptSet:
    """Every prompt `count` times, as `id#1` to `id#count`; all of them share the prompt's root."""
    return PromptSet(
        {
            name: [one for prompt in rows for one in _copies(prompt, count)]
            for name, rows in prompts.slices.items()
        },
        prompts.limit,
    )


def _copies(prompt: Prompt, count: int) -> list[Prompt]:
    root = prompt.source_example_id or prompt.example_id
    return [
        replace(prompt, example_id=f"{prompt.example_id}#{number}", source_example_id=root)
        for number in range(1, count + 1)
    ]


def example_of(prompt: Prompt) -> Example:
    """The task behind a prompt: its gold call is the stored target.

    Raises:
        InvariantViolation: the target is not a call.
    """
    try:
        target = decode(prompt.target_text)
        gold = ToolCall(target["name"], target["arguments"])
    except (JsonFault, TypeError, KeyError) as fault:
        raise InvariantViolation(
            f"the target of {prompt.example_id} is not a call", hint="run `faircall format build` again"
        ) from fault
    return Example(
        prompt.example_id,
        gold,
        tools=prompt.tools,
        language=prompt.language,
        source_example_id=prompt.source_example_id,
    )
