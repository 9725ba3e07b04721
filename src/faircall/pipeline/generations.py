"""generations.<slice>.jsonl: every answer with what was read in it, and the checks before scoring."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from msgspec.structs import asdict

from faircall.errors import ArtifactInvalid, InvariantViolation
from faircall.parsing.tool_call import parse_generations
from faircall.records import Generation, Parsed, Prompt
from faircall.store.atomic import write_json_lines
from faircall.store.files import read_json_lines

SCHEMA: Final = "faircall.generation.v1"
_FIELDS: Final = Generation.__struct_fields__


def write_generations(path: Path, generations: Sequence[Generation]) -> None:
    """Write one slice in the given order, each answer beside what the reader found in it."""
    parsed = parse_generations(generations)
    write_json_lines(path, [generation_row(g, p) for g, p in zip(generations, parsed, strict=True)])


def generation_row(generation: Generation, parsed: Parsed) -> dict[str, Any]:
    """One row of a generation file."""
    return {
        "schema_version": SCHEMA,
        **asdict(generation),
        "call": parsed.call.to_dict() if parsed.call else None,
        "status": parsed.status,
        "reason": parsed.reason,
    }


def read_generations(path: Path) -> list[Generation]:
    """The answers of one slice, in the order of the file.

    Raises:
        ArtifactInvalid: a row of another version, or without its text.
    """
    return [
        _read_row(line.value, place=f"{path}:{line.number}") for line in read_json_lines(path, empty_ok=True)
    ]


def _read_row(row: Any, *, place: str) -> Generation:
    if not isinstance(row, dict) or row.get("schema_version") != SCHEMA:
        raise ArtifactInvalid(f"{place}: not a generation of version {SCHEMA}", hint="generate the arm again")
    missing = [name for name in _FIELDS if name not in row]
    if missing or not isinstance(row["raw_text"], str):
        raise ArtifactInvalid(f"{place}: a generation needs {(missing or ['raw_text'])[0]!r}", hint="")
    return Generation(**{name: row[name] for name in _FIELDS})


def require_consistent(
    generations: Sequence[Generation], prompts: Sequence[Prompt], *, slice_name: str
) -> None:
    """The seed's checks before scoring: counts, ids, languages, prompt digests, one decoding.

    Raises:
        InvariantViolation: names the slice and the first example at which a check fails.
    """
    if len(generations) != len(prompts):
        raise _broken(slice_name, f"{len(generations)} generations for {len(prompts)} prompts")
    for generation, prompt in zip(generations, prompts, strict=True):
        name = generation.example_id
        if name != prompt.example_id:
            raise _broken(slice_name, f"{name!r} stands where {prompt.example_id!r} was asked")
        if generation.language != slice_name or prompt.language != slice_name:
            raise _broken(slice_name, f"{name!r} carries the language {generation.language!r}")
        if generation.prompt_sha256 != prompt.prompt_sha256:
            raise _broken(slice_name, f"{name!r} answers another prompt than the stored one")
        if generation.decoding != generations[0].decoding:
            raise _broken(slice_name, f"{name!r} was decoded otherwise than {generations[0].example_id!r}")


def _broken(slice_name: str, what: str) -> InvariantViolation:
    return InvariantViolation(
        f"slice {slice_name}: {what}", hint="the arm's files were changed; generate it again"
    )
