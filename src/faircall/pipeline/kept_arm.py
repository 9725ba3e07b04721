"""A finished arm that needs no backend: what it stored fits all that can be told without opening one.

What only a live backend knows (the model behind a server, the versions of libraries) is asked where there is
something to generate. Here count the digest of the config, the prompts, what the command line adds, and
every file and folder that is still there: a model or an adapter in a folder, stored answers.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, cast

from faircall.canonical import canonical_json
from faircall.config import Config
from faircall.generating.backend import AdapterSettings, BackendRequest
from faircall.generating.journal import differing_fields
from faircall.generating.servers.openai_protocol import decoding_fields
from faircall.generating.servers.server_settings import ServerSettings
from faircall.generating.sources import file_digest, resolve_source
from faircall.pipeline.arm_request import ArmRequest, plan_backend
from faircall.pipeline.arms import eval_stage, read_facts
from faircall.pipeline.conditions import journal_conditions
from faircall.pipeline.finish_arm import ArmOutcome, finished_entries, outcome_of
from faircall.pipeline.prompts import PromptSet
from faircall.store.layout import RunFolder
from faircall.store.manifest import read_index, stage_is_done


def find_kept(run: RunFolder, config: Config, request: ArmRequest, prompts: PromptSet) -> ArmOutcome | None:
    """The outcome of a finished arm; None where its backend has to be opened.

    It has to be where anything differs (opening it says what), where an answer failed, for a repeat check,
    for workers, and for a backend that is not known here.

    Raises:
        InvariantViolation: a stored file is not what its manifest says.
    """
    if request.repeats or request.engine or request.backend not in _TELLERS:
        return None
    if not stage_is_done(run, eval_stage(request.arm)) or read_index(run)["config_sha256"] != config.sha256:
        return None
    facts = read_facts(run, request.arm)
    asked = plan_backend(config, request)
    described = {"decoding": asked.decoding.to_dict(), **_TELLERS[request.backend](asked)}
    told = journal_conditions(described, prompts, config=config, model_kind=request.model_kind)
    if not (_holds(facts.conditions, told) and _has_adapter(facts.conditions, request.adapter)):
        return None
    if any(entry.generation.failure is not None for entry in finished_entries(run, facts) or ()):
        return None
    run.journal_file(request.arm).unlink(missing_ok=True)
    return outcome_of(run, facts, generated=0)


def _holds(stored: Mapping[str, Any], told: Mapping[str, Any]) -> bool:
    """Whether the stored conditions hold every field that is told; what is not told is not asked."""
    wanted = json.loads(canonical_json(told))
    found = {
        section: {name: stored.get(section, {}).get(name) for name in fields}
        for section, fields in wanted.items()
    }
    return not differing_fields(found, wanted)


def _has_adapter(stored: Mapping[str, Any], adapter: AdapterSettings | None) -> bool:
    """A folder that is there is hashed; of another source only the name and the revision are known."""
    if adapter is None:
        return bool(stored["adapter"]["source"] == "none")
    if Path(adapter.location).expanduser().is_dir():
        return bool(stored["adapter"]["source"] == resolve_source(adapter.location).label)
    source = stored["source"]["adapter"]
    if source["kind"] == "local":
        return bool(source["name"] == Path(adapter.location).name)
    return (source["name"], source.get("revision")) == (adapter.location, adapter.revision)


def _tell_weights(asked: BackendRequest, engine: str) -> dict[str, Any]:
    """A model that is loaded here; a repository is known by the config alone."""
    told: dict[str, Any] = {"backend": {"engine": engine}}
    if Path(asked.model.base_model_id).expanduser().is_dir():
        source = resolve_source(asked.model.base_model_id)
        told["model"] = {"base_model_id": source.name, "base_model_revision": source.pin}
    return told


def _tell_replay(asked: BackendRequest) -> dict[str, Any]:
    """Stored answers that were moved away since are not missed: the arm has them."""
    file = asked.options.get("generations")
    there = file is not None and Path(file).is_file()
    return {
        "backend": {"engine": "replay"},
        "source": {"generations_sha256": file_digest(Path(file))} if there and file is not None else {},
    }


def _tell_server(asked: BackendRequest) -> dict[str, Any]:
    server = cast(ServerSettings, asked.options["server"])
    place = {"base_urls": sorted(server.base_urls)} if server.mirrors else {"base_url": server.base_url}
    return {
        "backend": {
            "engine": "openai",
            "endpoint": server.endpoint,
            "sent": decoding_fields(server, asked.decoding),
        },
        "source": {**place, "served_as": server.model, "answers_as": server.expected_name},
    }


_TELLERS: Final[Mapping[str, Callable[[BackendRequest], dict[str, Any]]]] = {
    "transformers": lambda asked: _tell_weights(asked, "transformers"),
    "vllm": lambda asked: _tell_weights(asked, "vllm"),
    "replay": _tell_replay,
    "openai": _tell_server,
}
