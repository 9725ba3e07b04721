"""repeat_check.json: the answers of a repeat check as they came; what they mean is derived from them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from faircall.digest import sha256_json
from faircall.errors import ArtifactInvalid
from faircall.store.files import read_json

SCHEMA: Final = "faircall.repeat_check.v1"


class _Answer(msgspec.Struct):
    example_id: str
    raw_text: str
    failure: str | None


class _Unlike(msgspec.Struct):
    id: int | None


class _Divergence(msgspec.Struct):
    unit: str
    index: int
    first: _Unlike | None
    again: _Unlike | None


class _Repeat(msgspec.Struct):
    generation: _Answer
    divergence: _Divergence | None


class _Way(msgspec.Struct):
    status: str
    how: str | None
    reason: str | None
    repeats: list[_Repeat]


class _Record(msgspec.Struct):
    asked: int
    compared: str
    ways: dict[str, _Way]


def bind_record(record: Mapping[str, Any], *, conditions: Mapping[str, Any]) -> dict[str, Any]:
    """A check as it is stored: bound to the conditions of the arm that was repeated."""
    return {"schema_version": SCHEMA, "conditions_sha256": sha256_json(conditions), **record}


def read_record(path: Path, *, conditions: Mapping[str, Any]) -> dict[str, Any] | None:
    """The stored check of an arm; None where no check was made.

    Raises:
        ArtifactInvalid: it is of another version, or repeats an arm of other conditions.
    """
    if not path.is_file():
        return None
    record = read_json(path)
    if not isinstance(record, dict) or record.get("schema_version") != SCHEMA:
        raise ArtifactInvalid(f"{path}: not a repeat check of version {SCHEMA}", hint="make the check again")
    if record.get("conditions_sha256") != sha256_json(conditions):
        raise _unusable(path, "repeats an arm of other conditions")
    _require_form(path, record)
    return record


def _require_form(path: Path, record: Mapping[str, Any]) -> None:
    try:
        ways = msgspec.convert(record, _Record).ways
    except msgspec.ValidationError as fault:
        raise _unusable(path, f"cannot be read: {fault}") from None
    for name, way in ways.items():
        ids = [repeat.generation.example_id for repeat in way.repeats]
        if len(set(ids)) < len(ids):
            raise _unusable(path, f"holds an example twice in the way {name!r}")


def _unusable(path: Path, what: str) -> ArtifactInvalid:
    return ArtifactInvalid(f"{path}: the repeat check {what}", hint="make the check again")
