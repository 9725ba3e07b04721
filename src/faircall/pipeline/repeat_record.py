"""repeat_check.json: the answers of a repeat check as they came; what they mean is derived from them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from faircall.digest import sha256_json
from faircall.errors import ArtifactInvalid
from faircall.store.files import read_json

SCHEMA: Final = "faircall.repeat_check.v1"
_FIELDS: Final = ("asked", "compared", "ways")


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
    missing = [name for name in _FIELDS if name not in record]
    if missing or record.get("conditions_sha256") != sha256_json(conditions):
        what = f"lacks {missing[0]!r}" if missing else "repeats an arm of other conditions"
        raise ArtifactInvalid(f"{path}: the repeat check {what}", hint="make the check again")
    return record
