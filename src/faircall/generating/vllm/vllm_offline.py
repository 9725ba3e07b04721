"""The `vllm` backend: vLLM's engine without a server. It takes many prompts at once and schedules them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from faircall.errors import EnvironmentProblem, EvaluationError, InvariantViolation
from faircall.generating.backend import BackendRequest, Description
from faircall.generating.hugging_face.checkpoints import load_tokenizer, model_section, read_end_ids
from faircall.generating.hugging_face.tokens import (
    answered,
    encode_prompt,
    failed,
    read_answer,
    require_room,
    take_apart,
)
from faircall.generating.sources import Source, resolve_source
from faircall.generating.vllm.vllm_adapter import Lora, largest_rank, read_adapter_config, read_lora
from faircall.generating.vllm.vllm_engine import (
    VllmEngine,
    describe_error,
    knows_patterns,
    load_vllm,
    start_engine,
)
from faircall.generating.vllm.vllm_settings import (
    VllmSettings,
    engine_arguments,
    round_up_rank,
    sampling_settings,
)
from faircall.records import Generation, Prompt

_FINISHED: Final = ("stop", "length")
_TOLD: Final = ("dtype", "trust_remote_code", "max_model_len")  # stated elsewhere in the identity
# Errors about a prompt, by name, because not all versions know all classes; any other one is the engine's.
_REFUSALS: Final = ("VLLMClientError", "ValueError", "TypeError")


@dataclass(frozen=True, slots=True, eq=False)
class LoadedModel:
    """What was opened: the base model with its tokenizer, the adapter, and how the engine was started."""

    base: Source
    tokenizer: Any
    eos_ids: tuple[int, ...]
    lora: Lora | None
    arguments: Mapping[str, Any]


def open_vllm(request: BackendRequest) -> VllmBackend:
    """Check the adapter, then start the engine and load both.

    Raises:
        DependencyMissing: vLLM is not installed.
        EvaluationError: quantisation, an adapter that vLLM does not serve, a model that it cannot run.
    """
    load_vllm()
    _refuse_quantization(request)
    settings = request.options.get("vllm") or VllmSettings()
    base = resolve_source(request.model.base_model_id, request.model.base_model_revision)
    tokenizer = load_tokenizer(request.model, base)
    lora = read_lora(request.adapter, base, patterns=knows_patterns()) if request.adapter else None
    arguments = engine_arguments(request.model, settings, lora_rank=choose_lora_rank(settings, lora))
    eos_ids = read_end_ids(request.model, base, tokenizer)
    engine = start_engine(base.folder, arguments, settings, threads=request.threads)
    backend = VllmBackend(request, engine, LoadedModel(base, tokenizer, eos_ids, lora, arguments))
    try:
        if lora is not None:
            engine.load_adapter(lora.source.folder, name=lora.source.name)
    except BaseException:
        backend.close()
        raise
    return backend


def _refuse_quantization(request: BackendRequest) -> None:
    if request.model.quantization is not None:
        raise EvaluationError(
            f"model.quantization {request.model.quantization} is bitsandbytes of the backend transformers; "
            "vLLM quantises otherwise",
            hint="leave it out, or name a model whose weights are quantised already",
        )


def choose_lora_rank(settings: VllmSettings, lora: Lora | None) -> int:
    """The `max_lora_rank` of the engine; 0 when no arm has an adapter.

    It is that of the whole config: engines with and without LoRA compute with other kernels, so the base is
    answered by an engine like the adapters'.

    Raises:
        EvaluationError: the adapter's rank is above the configured one, or above what vLLM serves.
    """
    own = 0 if lora is None else lora.rank
    if settings.max_lora_rank is None:
        sources = [resolve_source(one.location, one.revision) for one in settings.adapters]
        largest = max([own, *(largest_rank(read_adapter_config(source)) for source in sources)])
        return round_up_rank(largest) if largest else 0
    allowed = round_up_rank(settings.max_lora_rank)
    if own > allowed:
        raise EvaluationError(
            f"the adapter has rank {own}, and vllm.max_lora_rank is {settings.max_lora_rank}",
            hint=f"set vllm.max_lora_rank to {round_up_rank(own)}, for all arms",
        )
    return allowed


class VllmBackend:
    """An engine that takes a chunk of prompts at a time; which of them run together is its choice."""

    def __init__(self, request: BackendRequest, engine: VllmEngine, loaded: LoadedModel) -> None:
        """Take the running engine; what is in force in it is noted once."""
        self._request = request
        self._engine = engine
        self._loaded = loaded
        self._sent = sampling_settings(request.decoding, eos_ids=loaded.eos_ids)
        self._facts = engine.facts()
        self._broken: str | None = None

    def describe(self) -> Description:
        """The sections `model`, `adapter`, `decoding` and `backend` of the identity."""
        lora = self._loaded.lora
        return {
            "model": model_section(self._request.model, self._loaded.base),
            "adapter": lora.describe() if lora else {"source": "none"},
            "decoding": self._request.decoding.to_dict(),
            "backend": {
                "engine": "vllm",
                **self._facts,
                "batch_plan": f"chunks of up to {self.batch_size}, longest prompts first; {self.scheduler}",
                "started_with": {
                    name: value for name, value in self._loaded.arguments.items() if name not in _TOLD
                },
                "sent": self._sent,
            },
            "source": {
                "adapter": lora.source.to_dict() if lora else None,
                "adapter_rank": lora.rank if lora else None,
            },
        }

    @property
    def batch_size(self) -> int:
        """How many prompts make a full chunk."""
        return self._request.batch_size

    @property
    def scheduler(self) -> str:
        """Who decides what runs together."""
        return "the engine schedules each chunk"

    @property
    def synchronisation(self) -> str:
        """How the devices are waited for."""
        return "implicit: the engine returns when the new token ids are in the host's memory"

    def synchronise(self) -> None:
        """Nothing is left to wait for when the engine has returned."""

    def prompt_length(self, prompt: Prompt) -> int:
        """Tokens of a prompt."""
        return len(self._encode(prompt))

    def tokens_of(self, generation: Generation) -> list[tuple[int, str]]:
        """Ids and texts of an answer's tokens, the stop token included."""
        return take_apart(self._loaded.tokenizer, generation)

    def check(self, prompts: Sequence[Prompt]) -> None:
        """Tokenise every prompt now: one BOS each, room for the answer; and the adapter must have an effect.

        Raises:
            EvaluationError: a prompt leaves no room, or an adapter whose lora_B is not zero changes nothing.
        """
        lengths = [(prompt.example_id, self.prompt_length(prompt)) for prompt in prompts]
        require_room(
            lengths, max_new_tokens=self._request.decoding.max_new_tokens, context=self._engine.context
        )
        if prompts and self._loaded.lora is not None and self._loaded.lora.idle is False:
            self._require_effect(prompts[0], self._loaded.lora)

    def _require_effect(self, prompt: Prompt, lora: Lora) -> None:
        base, adapted = self._engine.first_scores(self._encode(prompt), self._sent)
        if base == adapted:
            raise EvaluationError(
                f"adapter {lora.source.name}: vLLM scores {prompt.example_id} as without it",
                hint="the engine left its weights out; use the backend transformers",
            )

    def generate(self, prompt: Prompt) -> Generation:
        """Answer one prompt in a chunk of its own."""
        return self.generate_batch([prompt])[0]

    def generate_batch(self, prompts: Sequence[Prompt]) -> list[Generation]:
        """Answer all of them, in their order.

        vLLM refuses a whole call for one bad prompt; the others are then asked again, each for itself.

        Raises:
            EnvironmentProblem: the engine failed in an earlier call and cannot be trusted with another one.
        """
        self._require_sound()
        rows = [self._encode(prompt) for prompt in prompts]
        try:
            settings = [self._settings_of(prompt) for prompt in prompts]
            outputs = self._engine.ask(rows, settings, adapter=self._engine.adapter)
        except Exception as error:  # vLLM's errors have no base class that all versions know
            return self._without_answer(prompts, rows, error)
        return [self._read(*row) for row in zip(prompts, rows, outputs, strict=True)]

    def close(self) -> None:
        """Stop the engine."""
        self._engine.stop()

    def _encode(self, prompt: Prompt) -> list[int]:
        return encode_prompt(self._loaded.tokenizer, prompt)

    def _settings_of(self, prompt: Prompt) -> dict[str, Any]:
        """Under sampling each answer has a seed of its own, whatever runs beside it."""
        sampling = self._request.decoding.sampling
        return self._sent if sampling is None else {**self._sent, "seed": sampling.seed_of(prompt.example_id)}

    def _require_sound(self) -> None:
        if self._broken is not None:
            raise EnvironmentProblem(
                f"vLLM's engine failed ({self._broken})",
                hint="what was answered is kept; the same command goes on from there",
            )

    def _without_answer(
        self, prompts: Sequence[Prompt], rows: Sequence[list[int]], error: Exception
    ) -> list[Generation]:
        refused = any(kind.__name__ in _REFUSALS for kind in type(error).__mro__)
        if refused and len(prompts) > 1:
            return [self.generate(prompt) for prompt in prompts]
        if not refused:
            self._broken = describe_error(error)
        return [self._failed(*row, describe_error(error)) for row in zip(prompts, rows, strict=True)]

    def _failed(self, prompt: Prompt, row: list[int], reason: str) -> Generation:
        return failed(prompt, reason, prompt_tokens=len(row), decoding=self._request.decoding.to_dict())

    def _read(self, prompt: Prompt, row: list[int], output: Any) -> Generation:
        """Texts are decoded here, by the tokenizer and the rules of the backend transformers.

        Raises:
            InvariantViolation: the engine answered other tokens, or without the adapter.
        """
        if list(output.prompt_token_ids) != row or output.lora_request != self._engine.adapter:
            raise InvariantViolation(
                f"vLLM did not answer what was asked for {prompt.example_id}",
                hint="tokens or adapter of its answer differ from those of the request",
            )
        (answer,) = output.outputs
        if answer.finish_reason not in _FINISHED:
            return self._failed(prompt, row, f"vLLM ended the request: {answer.finish_reason}")
        read = read_answer(self._loaded.tokenizer, list(answer.token_ids), eos_ids=self._loaded.eos_ids)
        return answered(prompt, read, prompt_tokens=len(row), decoding=self._request.decoding.to_dict())
