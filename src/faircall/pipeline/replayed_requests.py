"""eval run --requests: frozen requests of a log against a candidate on a server, with no config at all.

DIR/outputs.jsonl              one row per request: what was asked, what was answered
DIR/logged.jsonl               the same with the answers of the log, where it has one for every request
DIR/conditions.json            model, server, decoding, and the digests of what was asked
DIR/inference_telemetry.json   times
DIR/journal.jsonl              what was answered so far; the same command goes on from there
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic_ns
from typing import Any, Final

from faircall.canonical import canonical_json
from faircall.digest import sha256_json, sha256_text
from faircall.errors import FileUnreadable
from faircall.formatting.chat_requests import chat_request_text
from faircall.generating.answering import answer_prompts
from faircall.generating.backend import BACKENDS, BackendRequest, Decoding, ModelSettings
from faircall.generating.journal import Entry, open_journal
from faircall.generating.servers.openai_protocol import text_of
from faircall.generating.servers.server_settings import ServerSettings
from faircall.generating.telemetry import Allocation, build_telemetry
from faircall.importing.requests import FrozenRequest, read_requests
from faircall.records import Prompt
from faircall.store.atomic import write_json, write_json_lines
from faircall.store.files import read_json_lines

OUTPUTS: Final = "outputs.jsonl"
LOGGED: Final = "logged.jsonl"
_SLICE: Final = "all"


@dataclass(frozen=True, slots=True)
class Replayed:
    """What was written, and how it went. `logged` is None where the log lacks an answer."""

    outputs: Path
    logged: Path | None
    requests: int
    asked_now: int
    failed: int


def replay_requests(
    log: Path,
    folder: Path,
    *,
    server: ServerSettings,
    max_new_tokens: int = 512,
    limit: int | None = None,
    listener: Callable[[Entry, int], None] = lambda entry, total: None,
) -> Replayed:
    """Send every request of a log to the server and write what comes back; failed ones are asked again.

    Raises:
        InputError: the log cannot be used.
        EvaluationError: the folder holds answers of other conditions, or the server is not the one expected.
    """
    requests = read_requests(read_json_lines(log), label=str(log))[:limit]
    prompts = [_prompt(request) for request in requests]
    decoding = Decoding(max_new_tokens)
    request = BackendRequest(ModelSettings(server.model), decoding, options={"server": server})
    backend = BACKENDS.get("openai")(request)
    try:
        conditions = _conditions(backend.describe(), prompts)
        backend.check(prompts)
        _make_folder(folder)
        with open_journal(folder / "journal.jsonl", conditions) as journal:
            known = len(journal)
            run = answer_prompts(
                backend,
                {_SLICE: prompts},
                journal=journal,
                clock=monotonic_ns,
                listener=lambda entry: listener(entry, len(prompts)),
            )
    finally:
        backend.close()
    rows = [_row(asked, entry, server.model) for asked, entry in zip(requests, run.entries, strict=True)]
    write_json_lines(folder / OUTPUTS, rows)
    write_json(folder / "conditions.json", conditions)
    telemetry = build_telemetry(
        run, allocation=Allocation("server", threads=None), decoding=decoding.to_dict()
    )
    write_json(folder / "inference_telemetry.json", telemetry)
    failed = sum(entry.generation.failure is not None for entry in run.entries)
    logged = _write_logged(requests, prompts, folder)
    return Replayed(folder / OUTPUTS, logged, len(rows), len(rows) - known, failed)


def _prompt(request: FrozenRequest) -> Prompt:
    text = chat_request_text(request.messages, tools=request.tools)
    return Prompt(
        example_id=request.request_id,
        language=_SLICE,
        source_example_id=None,
        prompt_text=text,
        target_text="",
        prompt_sha256=sha256_text(text),
        messages_sha256=sha256_json(list(request.messages)),
        tools_sha256=sha256_json(list(request.tools)),
        tools=request.tools,
    )


def _conditions(description: Mapping[str, Any], prompts: Sequence[Prompt]) -> dict[str, Any]:
    digest = sha256_json([[prompt.example_id, prompt.prompt_sha256] for prompt in prompts])
    value = {**{name: dict(fields) for name, fields in description.items()}, "requests_sha256": digest}
    decoded: dict[str, Any] = json.loads(canonical_json(value))
    return decoded


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileUnreadable(
            f"{folder} cannot be made ({error.strerror})", hint="give another -o DIR"
        ) from error


def _task(request: FrozenRequest) -> dict[str, Any]:
    return {
        "id": request.request_id,
        "messages": list(request.messages),
        **({"tools": list(request.tools)} if request.tools else {}),
        **request.rest,
    }


def _row(request: FrozenRequest, entry: Entry, model: str) -> dict[str, Any]:
    generation = entry.generation
    return {
        **_task(request),
        "raw_text": generation.raw_text,
        "message": generation.message,
        "finish_reason": generation.finish_reason,
        "prompt_sha256": generation.prompt_sha256,
        "decoding": generation.decoding,
        "model": model,
        "failure": generation.failure,
    }


def _write_logged(requests: Sequence[FrozenRequest], prompts: Sequence[Prompt], folder: Path) -> Path | None:
    """The log's own answers; they were given to the same messages and tools, so the prompt is the same."""
    rows = [
        {
            **_task(request),
            **request.conditions,
            "raw_text": text_of(request.answer),
            "message": request.answer,
            "prompt_sha256": prompt.prompt_sha256,
        }
        for request, prompt in zip(requests, prompts, strict=True)
        if request.answer is not None
    ]
    if len(rows) < len(requests):
        return None
    write_json_lines(folder / LOGGED, rows)
    return folder / LOGGED
