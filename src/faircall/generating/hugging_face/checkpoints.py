"""Base models and tokenizers, loaded so that nothing is filled in silently."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from faircall.errors import EvaluationError
from faircall.generating.backend import ModelSettings
from faircall.generating.extras import load_library
from faircall.generating.sources import Source, resolve_source

DTYPES: Final = ("float32", "float16", "bfloat16")
QUANTIZATIONS: Final = ("4bit", "8bit")


@dataclass(frozen=True, slots=True, eq=False)
class Checkpoint:
    """A loaded base model with its tokenizer, where it came from, and its own end-of-sequence ids."""

    model: Any
    tokenizer: Any
    source: Source
    eos_ids: tuple[int, ...]
    facts: Mapping[str, Any]


def load_checkpoint(settings: ModelSettings) -> Checkpoint:
    """Load tokenizer and model in evaluation mode.

    Raises:
        EvaluationError: an unknown dtype or quantization, weights that are not safetensors or not complete.
        DependencyMissing: transformers, torch or bitsandbytes is not installed.
    """
    torch = load_library("torch", purpose="the transformers backend")
    transformers = load_library("transformers", purpose="the transformers backend")
    _silence(transformers)
    source = resolve_source(settings.base_model_id, settings.base_model_revision)
    tokenizer = load_tokenizer(settings, source)
    quantization = _quantization(settings.quantization, torch_dtype=_dtype(torch, settings.dtype))
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = _load_model(
        transformers, source, settings, dtype=_dtype(torch, settings.dtype), extra=quantization
    )
    model = (model if quantization else model.to(device)).eval()
    end_ids = _end_ids(model.generation_config, tokenizer)
    return Checkpoint(model, tokenizer, source, end_ids, model_section(settings, source))


def load_tokenizer(settings: ModelSettings, source: Source | None = None) -> Any:
    """The base model's tokenizer, at `tokenizer_revision` where that differs from the model's revision.

    Raises:
        EvaluationError: the folder holds no tokenizer that can be loaded without remote code.
    """
    transformers = load_library("transformers", purpose="loading a tokenizer")
    source = source or resolve_source(settings.base_model_id, settings.base_model_revision)
    if source.tree_sha256 is None and settings.tokenizer_revision not in (None, settings.base_model_revision):
        source = resolve_source(settings.base_model_id, settings.tokenizer_revision)
    try:
        return transformers.AutoTokenizer.from_pretrained(
            str(source.folder), local_files_only=True, trust_remote_code=settings.trust_remote_code
        )
    except (OSError, ValueError) as error:
        raise EvaluationError(
            f"{source.name}: the tokenizer cannot be loaded ({_first_line(error)})",
            hint="the base model's folder must hold tokenizer.json and tokenizer_config.json",
        ) from error


def _load_model(
    transformers: Any, source: Source, settings: ModelSettings, *, dtype: Any, extra: Mapping[str, Any]
) -> Any:
    try:
        model, report = transformers.AutoModelForCausalLM.from_pretrained(
            str(source.folder),
            dtype=dtype,
            use_safetensors=True,
            local_files_only=True,
            trust_remote_code=settings.trust_remote_code,
            output_loading_info=True,
            **extra,
        )
    except (OSError, ValueError, RuntimeError) as error:
        raise EvaluationError(
            f"{source.name}: the model cannot be loaded ({_first_line(error)})",
            hint="weights must be safetensors; a model with its own code needs model.trust_remote_code: true",
        ) from error
    _require_complete(report, source)
    return model


def _require_complete(report: Mapping[str, Any], source: Source) -> None:
    """transformers fills absent weights with random numbers and warns; a scorer must fail closed."""
    wrong = sorted(str(key) for kind in ("missing_keys", "mismatched_keys") for key in report.get(kind, ()))
    if wrong:
        raise EvaluationError(
            f"{source.name}: {len(wrong)} weights are missing or of the wrong shape: {', '.join(wrong[:5])}",
            hint="the checkpoint does not belong to its config.json",
        )


def _dtype(torch: Any, name: str) -> Any:
    if name not in DTYPES:
        raise EvaluationError(f"model.dtype {name!r} is not known", hint=f"one of {', '.join(DTYPES)}")
    return getattr(torch, name)


def _quantization(name: str | None, *, torch_dtype: Any) -> dict[str, Any]:
    """Keyword arguments for loading quantised weights; empty without quantisation."""
    if name is None:
        return {}
    if name not in QUANTIZATIONS:
        raise EvaluationError(
            f"model.quantization {name!r} is not known", hint=f"one of {', '.join(QUANTIZATIONS)}"
        )
    load_library("bitsandbytes", purpose=f"{name} quantization")
    transformers = load_library("transformers", purpose="the transformers backend")
    if name == "8bit":
        config = transformers.BitsAndBytesConfig(load_in_8bit=True)
    else:
        config = transformers.BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_compute_dtype=torch_dtype)
    return {"quantization_config": config}


def read_end_ids(settings: ModelSettings, source: Source, tokenizer: Any) -> tuple[int, ...]:
    """Ids that end an answer, as a checkpoint has them, without loading its weights."""
    transformers = load_library("transformers", purpose="reading a generation config")
    folder = str(source.folder)
    try:
        stated = transformers.GenerationConfig.from_pretrained(folder, local_files_only=True)
    except OSError:  # the model has none: the library derives one from its config
        config = transformers.AutoConfig.from_pretrained(
            folder, local_files_only=True, trust_remote_code=settings.trust_remote_code
        )
        stated = transformers.GenerationConfig.from_model_config(config)
    return _end_ids(stated, tokenizer)


def _end_ids(generation_config: Any, tokenizer: Any) -> tuple[int, ...]:
    """Ids that end an answer: the model's own generation config and the tokenizer's end-of-sequence token."""
    stated = getattr(generation_config, "eos_token_id", None)
    ids = [] if stated is None else list(stated) if isinstance(stated, (list, tuple)) else [stated]
    if tokenizer.eos_token_id is not None:
        ids.append(tokenizer.eos_token_id)
    return tuple(sorted({int(number) for number in ids}))


def model_section(settings: ModelSettings, source: Source) -> dict[str, Any]:
    """The `model` section of the identity. What was found counts, not what was asked: branches move."""
    return {
        "base_model_id": source.name,
        "base_model_revision": source.pin,
        "tokenizer_revision": source.pin if source.tree_sha256 else settings.tokenizer_revision or source.pin,
        "dtype": settings.dtype,
        "quantization": settings.quantization or "none",
        "trust_remote_code": settings.trust_remote_code,
    }


def _silence(transformers: Any) -> None:
    """The library's loading bars and reports stay out of our output; what matters in them is checked."""
    transformers.utils.logging.disable_progress_bar()
    transformers.utils.logging.set_verbosity_error()


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
