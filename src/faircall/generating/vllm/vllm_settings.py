"""How vLLM is asked: what the config says of its engine, and every argument that is sent to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal

from faircall.errors import EvaluationError
from faircall.generating.backend import AdapterSettings, Decoding, ModelSettings

LORA_RANKS: Final = (8, 16, 32, 64, 128, 256, 320, 512)
"""The values that vLLM takes for `max_lora_rank`."""

_SEED: Final = 0  # of the engine; greedy answers draw nothing, sampled ones have seeds of their own
_GIB: Final = 1 << 30


@dataclass(frozen=True, slots=True)
class VllmSettings:
    """The section `vllm` of a config.

    Attributes:
        tensor_parallel_size: devices that share one model.
        max_model_len: positions of prompt and answer; None is what the model states.
        gpu_memory_utilization: share of the device's memory (on a CPU: of the machine's) for the engine.
        kv_cache_gib: size of the cache instead of that share; None leaves it to the share.
        enforce_eager: no compilation and no graphs.
        prefix_caching: whether what prompts have in common is computed once.
        batch_invariant: whether vLLM's batch-invariant kernels are asked for.
        max_lora_rank: the largest rank of an adapter; None is that of `adapters`.
        adapters: those of all arms: every arm, the base too, is answered by an engine of one kind.
    """

    tensor_parallel_size: int = 1
    max_model_len: int | None = None
    gpu_memory_utilization: float = 0.9
    kv_cache_gib: float | None = None
    enforce_eager: bool = False
    prefix_caching: bool = False
    batch_invariant: Literal["where_available", "always", "never"] = "where_available"
    max_lora_rank: int | None = None
    adapters: tuple[AdapterSettings, ...] = ()


def engine_arguments(model: ModelSettings, settings: VllmSettings, *, lora_rank: int) -> dict[str, Any]:
    """What the engine is started with, beside the model's folder; a rank of 0 is an engine without LoRA.

    `generation_config` keeps the model's own sampling settings out, `load_format` keeps pickles out.

    >>> engine_arguments(ModelSettings("m"), VllmSettings(), lora_rank=0)["generation_config"]
    'vllm'
    """
    arguments = {
        "dtype": model.dtype,
        "trust_remote_code": model.trust_remote_code,
        "seed": _SEED,
        "generation_config": "vllm",
        "load_format": "safetensors",
        "tensor_parallel_size": settings.tensor_parallel_size,
        "max_model_len": settings.max_model_len,
        "gpu_memory_utilization": settings.gpu_memory_utilization,
        "kv_cache_memory_bytes": None if settings.kv_cache_gib is None else int(settings.kv_cache_gib * _GIB),
        "enforce_eager": settings.enforce_eager,
        "enable_prefix_caching": settings.prefix_caching,
        "enable_lora": lora_rank > 0,
    }
    lora = {"max_loras": 1, "max_lora_rank": lora_rank} if lora_rank else {}
    return {name: value for name, value in {**arguments, **lora}.items() if value is not None}


def round_up_rank(rank: int) -> int:
    """The smallest `max_lora_rank` that takes adapters of this rank.

    >>> round_up_rank(4), round_up_rank(16), round_up_rank(17)
    (8, 16, 32)

    Raises:
        EvaluationError: vLLM serves no rank as large.
    """
    fitting = next((known for known in LORA_RANKS if known >= rank), None)
    if fitting is None:
        raise EvaluationError(
            f"an adapter of rank {rank}: vLLM serves ranks up to {LORA_RANKS[-1]}",
            hint="use the backend transformers",
        )
    return fitting


def sampling_settings(decoding: Decoding, *, eos_ids: tuple[int, ...]) -> dict[str, Any]:
    """Every sampling setting as it is sent: no default of a model or of vLLM decides anything.

    Token ids are read here, so that texts are those of the backend transformers; `seed` is replaced for each
    prompt under sampling.

    >>> sent = sampling_settings(Decoding(8), eos_ids=(2,))
    >>> sent["temperature"], sent["max_tokens"], sent["repetition_penalty"], sent["stop_token_ids"]
    (0.0, 8, 1.0, [2])
    """
    drawn = decoding.sampling
    return {
        "n": 1,
        "temperature": 0.0 if drawn is None else drawn.temperature,
        "top_p": 1.0 if drawn is None else drawn.top_p,
        "top_k": 0,
        "min_p": 0.0,
        "presence_penalty": 0.0,
        "frequency_penalty": 0.0,
        "repetition_penalty": 1.0,
        "max_tokens": decoding.max_new_tokens,
        "min_tokens": 0,
        "stop_token_ids": list(eos_ids),
        "ignore_eos": False,
        "seed": _SEED if drawn is None else drawn.seed,
        "detokenize": False,
    }
