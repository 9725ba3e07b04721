"""The `replay` backend: answers come from a file of stored generations, so no model is needed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from faircall.errors import DuplicateId, IdMismatch, InvariantViolation, RowInvalid, UsageError
from faircall.generating.backend import BackendRequest, Description
from faircall.generating.journal import generation_from_dict, generation_to_dict
from faircall.generating.sources import describe_adapter, file_digest
from faircall.records import Generation, Prompt
from faircall.store.files import read_json_lines

_ID_COLUMNS: Final = ("example_id", "id")
_SHOWN: Final = 3


def open_replay(request: BackendRequest) -> ReplayBackend:
    """Read the file that `options["generations"]` names.

    Raises:
        UsageError: no file is named.
        RowInvalid: a row without an id or without a `raw_text`.
        DuplicateId: one id on two rows.
    """
    path = request.options.get("generations")
    if path is None:
        raise UsageError(
            "the replay backend needs stored generations", hint="name them with arms.<arm>.replay"
        )
    return ReplayBackend(request, read_generations(Path(path)), file_digest(Path(path)))


def read_generations(path: Path) -> dict[str, Generation]:
    """Stored generations by example id, from rows `{example_id | id, raw_text, ...}`."""
    found: dict[str, Generation] = {}
    first: dict[str, int] = {}
    for line in read_json_lines(path):
        generation = _read_row(line.value, place=f"{path}:{line.number}")
        if generation.example_id in found:
            raise DuplicateId(
                f"{path}: id {generation.example_id!r} on line {first[generation.example_id]} "
                f"and line {line.number}",
                hint="every example is answered once",
            )
        found[generation.example_id] = generation
        first[generation.example_id] = line.number
    return found


def _read_row(value: Any, *, place: str) -> Generation:
    if not isinstance(value, Mapping):
        raise RowInvalid(f"{place}: a row must be an object", hint="rows are {example_id, raw_text}")
    name = next((value[column] for column in _ID_COLUMNS if column in value), None)
    if not isinstance(name, str) or not isinstance(value.get("raw_text"), str):
        raise RowInvalid(f"{place}: a row needs a text example_id (or id) and a text raw_text", hint="")
    try:
        return msgspec.convert({**value, "example_id": name}, Generation)
    except msgspec.ValidationError as fault:
        raise RowInvalid(f"{place}: not a stored generation: {fault}", hint="") from None


class ReplayBackend:
    """Answers from memory. What the file does not tell stays unknown; nothing is filled in."""

    def __init__(self, request: BackendRequest, answers: Mapping[str, Generation], file_sha256: str) -> None:
        """Keep the answers by example id."""
        self._request = request
        self._answers = answers
        self._file_sha256 = file_sha256

    def describe(self) -> Description:
        """The model is the configured one, on the word of whoever stored the file; the file is bound."""
        model = self._request.model
        label, adapter = describe_adapter(self._request.adapter)
        return {
            "model": {
                "base_model_id": model.base_model_id,
                "base_model_revision": model.base_model_revision,
                "tokenizer_revision": model.tokenizer_revision or model.base_model_revision,
                "dtype": model.dtype,
                "quantization": model.quantization or "none",
                "trust_remote_code": model.trust_remote_code,
            },
            "adapter": {"source": label},
            "decoding": self._request.decoding.to_dict(),
            "backend": {"engine": "replay", "version": "1", "device": "none", "batch_plan": "none"},
            "source": {"adapter": adapter, "generations_sha256": self._file_sha256},
        }

    def check(self, prompts: Sequence[Prompt]) -> None:
        """Every prompt has its answer; answers that know their prompt and decoding know these.

        Raises:
            IdMismatch: prompts without a stored answer.
            InvariantViolation: an answer to another prompt than the one with its id, or decoded otherwise.
        """
        missing = [prompt.example_id for prompt in prompts if prompt.example_id not in self._answers]
        if missing:
            count = "1 prompt has" if len(missing) == 1 else f"{len(missing)} prompts have"
            raise IdMismatch(
                f"{count} no stored generation in {self._request.options['generations']}: "
                f"{', '.join(missing[:_SHOWN])}",
                hint="store one row for every example, failures included",
            )
        for prompt in prompts:
            known = self._answers[prompt.example_id].prompt_sha256
            if known is not None and known != prompt.prompt_sha256:
                raise InvariantViolation(
                    f"the stored generation of {prompt.example_id} answers another prompt "
                    f"({known[:12]} there, {prompt.prompt_sha256[:12]} here)",
                    hint="replay under the prompts that were used, or generate again",
                )
            self._require_decoding(prompt.example_id)

    def _require_decoding(self, example_id: str) -> None:
        known = self._answers[example_id].decoding or {}
        for name, wanted in self._request.decoding.to_dict().items():
            if known.get(name, wanted) != wanted:
                raise InvariantViolation(
                    f"the stored generation of {example_id} was decoded with {name} {known[name]!r}, "
                    f"not {wanted!r}",
                    hint="write the section eval of the config as the stored answers were decoded",
                )

    def generate(self, prompt: Prompt) -> Generation:
        """The stored answer, with this prompt's identity."""
        stored = generation_to_dict(self._answers[prompt.example_id])
        return generation_from_dict(
            {
                **stored,
                "language": prompt.language,
                "prompt_sha256": prompt.prompt_sha256,
                "decoding": self._request.decoding.to_dict(),
            }
        )

    def close(self) -> None:
        """Nothing is held."""
