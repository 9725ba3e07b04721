"""Whether replicas are the same arm: their conditions, their software, and what is known of it here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from faircall.canonical import canonical_json
from faircall.errors import EvaluationError
from faircall.generating.backend import BackendRequest, Description
from faircall.generating.journal import differing_fields
from faircall.generating.sources import describe_adapter, tree_digest
from faircall.generating.workers.replica import ReplicaFacts, installed_software

_SHOWN: Final = 6
_TREE: Final = "sha256:"


def pooled_description(description: Description, base_urls: Sequence[str]) -> Description:
    """The description of one server's replica as that of the whole pool: the URLs are those of all.

    >>> pooled_description({"source": {"base_url": "b"}}, ["b", "a"])
    {'source': {'base_urls': ['a', 'b']}}
    """
    if len(base_urls) < 2:
        return description
    source = {name: value for name, value in description["source"].items() if name != "base_url"}
    return {**description, "source": {**source, "base_urls": sorted(base_urls)}}


def require_same_description(reference: Description, other: Description, *, name: str) -> None:
    """Refuse a replica whose answers would be those of another arm.

    Raises:
        EvaluationError: names every differing field with both values.
    """
    differing = differing_fields(reference, other)
    if differing:
        shown = "; ".join(
            f"{field}: {_short(here)} at the first, {_short(there)} here"
            for field, here, there in differing[:_SHOWN]
        )
        more = f"; and {len(differing) - _SHOWN} more" if len(differing) > _SHOWN else ""
        raise EvaluationError(
            f"{name} runs under other conditions than the first: {shown}{more}",
            hint="give every worker the same model, versions, device and settings; what was answered is kept",
        )


def require_same_software(facts: ReplicaFacts, *, name: str) -> None:
    """Refuse a worker with another faircall or Python than the driver.

    Raises:
        EvaluationError: names both.
    """
    here = installed_software()
    if facts.software != here:
        raise EvaluationError(
            f"{name} runs {_spell(facts.software)}, and this process {_spell(here)}",
            hint="install the same versions on every machine",
        )


def require_local_sources(description: Description, request: BackendRequest) -> None:
    """Model and adapter folders that are here as well must hold the same bytes as those of the workers.

    Raises:
        EvaluationError: a worker's copy is another one.
    """
    model = Path(request.model.base_model_id).expanduser()
    stated = str(description["model"].get("base_model_revision"))
    if stated.startswith(_TREE) and model.is_dir():
        _require_equal("model.base_model_revision", _TREE + tree_digest(model), stated)
    if request.adapter is not None and Path(request.adapter.location).expanduser().is_dir():
        _require_equal(
            "adapter.source", describe_adapter(request.adapter)[0], description["adapter"].get("source")
        )


def _require_equal(name: str, here: str, there: Any) -> None:
    if here != there:
        raise EvaluationError(
            f"the workers have another copy than this machine: {name} is {here} here, {there} there",
            hint="use shared storage, or copy the folder again",
        )


def _spell(software: Any) -> str:
    return f"faircall {software.faircall} on Python {software.python}"


def _short(value: Any) -> str:
    text = canonical_json(value) if not isinstance(value, Mapping) else canonical_json(dict(value))
    return text if len(text) <= 80 else text[:77] + "..."
