"""inference_telemetry.json as it is read again: its form, and that its sums are those of its rows."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec

from faircall.errors import ArtifactInvalid
from faircall.generating.telemetry import SCHEMA, by_slice, summarise
from faircall.store.files import read_json

_HINT: Final = "restore the run from a copy"
_Count = Annotated[int, msgspec.Meta(ge=0)]


class _Row(msgspec.Struct):
    example_id: str
    slice: str
    duration_ns: _Count
    session: _Count
    prompt_tokens: _Count | None
    new_tokens: _Count | None
    finish_reason: str | None
    failed: bool


class _Telemetry(msgspec.Struct):
    schema_version: str
    contract: dict[str, Any]
    allocation: dict[str, Any]
    decoding: dict[str, Any]
    resumed: bool
    cross_comparable: bool
    cross_comparable_reason: str | None
    overall: dict[str, Any]
    slices: dict[str, dict[str, Any]]
    examples: list[_Row]


def read_telemetry(path: Path) -> dict[str, Any]:
    """The telemetry of an arm.

    Raises:
        ArtifactInvalid: it is of another version or form, or its sums are not those of its rows.
    """
    telemetry = read_json(path)
    if not isinstance(telemetry, dict) or telemetry.get("schema_version") != SCHEMA:
        raise ArtifactInvalid(f"{path}: no telemetry of version {SCHEMA}", hint=_HINT)
    try:
        msgspec.convert(telemetry, _Telemetry)
    except msgspec.ValidationError as fault:
        raise ArtifactInvalid(f"{path}: no telemetry: {fault}", hint=_HINT) from None
    rows = telemetry["examples"]
    derived = {name: summarise(of_slice) for name, of_slice in by_slice(rows).items()}
    wrong = _first_difference(telemetry["overall"], summarise(rows), place="overall")
    for name, summary in telemetry["slices"].items():
        wrong = wrong or _first_difference(summary, derived.get(name, {}), place=f"slices.{name}")
    if wrong is not None:
        raise ArtifactInvalid(f"{path}: {wrong} is not what its rows add up to", hint=_HINT)
    if telemetry["cross_comparable"] != (telemetry["cross_comparable_reason"] is None):
        raise ArtifactInvalid(f"{path}: it is comparable and says why it is not, or neither", hint=_HINT)
    return telemetry


def _first_difference(stored: Mapping[str, Any], derived: Mapping[str, Any], *, place: str) -> str | None:
    """The first sum that differs; those that an earlier version did not write are not missed."""
    shared = (name for name in stored if name in derived or not derived)
    return next((f"{place}.{name}" for name in shared if stored[name] != derived.get(name)), None)
