"""LoRA adapters: safetensors only, every key accounted for, and noticed when they change nothing."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from faircall.errors import EvaluationError
from faircall.generating.backend import AdapterSettings
from faircall.generating.extras import load_library
from faircall.generating.sources import Source, resolve_source

WEIGHTS: Final = "adapter_model.safetensors"
CONFIG: Final = "adapter_config.json"
_PICKLED: Final = ("adapter_model.bin", "adapter_model.pt", "adapter_model.pth", "pytorch_model.bin")
_NAMED: Final = 3  # keys that a message names


@dataclass(frozen=True, slots=True, eq=False)
class AdaptedModel:
    """A model with its adapter, unmerged. `changes_nothing` is None where the adapter is not a LoRA."""

    model: Any
    source: Source
    peft_type: str
    peft_version: str
    changes_nothing: bool | None

    def describe(self) -> dict[str, Any]:
        """The `adapter` section of the identity."""
        return {
            "source": self.source.label,
            "peft_type": self.peft_type,
            "peft_version": self.peft_version,
            "merged": False,
            "changes_nothing": self.changes_nothing,
        }


def attach_adapter(model: Any, settings: AdapterSettings) -> AdaptedModel:
    """`model` with the adapter's weights beside its own, checked key by key.

    Raises:
        EvaluationError: no safetensors weights, or weights that do not fit the model.
    """
    peft = load_library("peft", purpose="running an adapter")
    source = resolve_source(settings.location, settings.revision)
    weights = find_weights(source.folder, name=source.name)
    stored = read_keys(weights)
    adapted = _load(peft, model, source)
    require_same_keys(expected_keys(peft, adapted), stored, known=adapted.state_dict(), name=source.name)
    kind = adapted.peft_config["default"].peft_type
    return AdaptedModel(
        adapted, source, str(getattr(kind, "value", kind)), peft.__version__, changes_nothing(weights, stored)
    )


def _load(peft: Any, model: Any, source: Source) -> Any:
    """PEFT only warns about keys that do not fit; they are compared afterwards, so it may stay silent."""
    try:
        with warnings.catch_warnings(action="ignore"):
            return peft.PeftModel.from_pretrained(model, str(source.folder), is_trainable=False).eval()
    except (OSError, ValueError, TypeError, KeyError, RuntimeError) as error:
        reason = (str(error).strip().splitlines() or [""])[0][:200]
        raise EvaluationError(
            f"adapter {source.name} does not fit the model ({type(error).__name__}: {reason})",
            hint="check the base model that the adapter was trained on",
        ) from error


def find_weights(folder: Path, *, name: str) -> Path:
    """The safetensors file of an adapter folder.

    Raises:
        EvaluationError: there is none, or only a pickle, which could run code when loaded.
    """
    weights = folder / WEIGHTS
    pickled = [other for other in _PICKLED if (folder / other).exists()]
    if not weights.is_file() and pickled:
        raise EvaluationError(
            f"adapter {name} has its weights in {pickled[0]}, a pickle, which can run code when it is loaded",
            hint=f"save it again as {WEIGHTS} (safetensors)",
        )
    if not weights.is_file() or not (folder / CONFIG).is_file():
        missing = CONFIG if weights.is_file() else WEIGHTS
        raise EvaluationError(
            f"adapter {name} holds no {missing}", hint=f"an adapter is {CONFIG} and {WEIGHTS}"
        )
    return weights


def read_keys(weights: Path) -> list[str]:
    """Names of the tensors in a safetensors file.

    Raises:
        EvaluationError: the file is not safetensors.
    """
    safetensors = load_library("safetensors", purpose="reading adapter weights")
    try:
        with safetensors.safe_open(str(weights), framework="pt") as tensors:
            return sorted(tensors.keys())
    except (OSError, safetensors.SafetensorError) as error:
        raise EvaluationError(
            f"{weights.name} is not a safetensors file ({error})", hint="save the adapter again"
        ) from error


def expected_keys(peft: Any, adapted: Any) -> set[str]:
    """Names under which the model's adapter weights would be stored."""
    return set(peft.get_peft_model_state_dict(adapted, save_embedding_layers=False))


def require_same_keys(
    expected: Iterable[str], stored: Iterable[str], *, known: Iterable[str], name: str
) -> None:
    """PEFT skips weights that do not fit, which leaves the base model under an adapter's name: refuse.

    Args:
        expected: keys that the adapter's config asks for.
        stored: keys in the file.
        known: keys of the whole model; embeddings saved beside an adapter are among them.
        name: the adapter, for the message.

    Raises:
        EvaluationError: names missing and unexpected keys.
    """
    missing = sorted(set(expected) - set(stored))
    unexpected = sorted(set(stored) - set(expected) - set(known))
    if missing or unexpected:
        raise EvaluationError(
            f"adapter {name} does not fit the model: "
            f"{_name(missing)} missing, {_name(unexpected)} unexpected",
            hint="the adapter was trained on another model, or its keys were renamed",
        )


def _name(keys: list[str]) -> str:
    """A count with the first keys.

    >>> _name(["a", "b"]), _name([])
    ('2 keys (a, b)', '0 keys')
    """
    more = ", ..." if len(keys) > _NAMED else ""
    return f"{len(keys)} keys" + (f" ({', '.join(keys[:_NAMED])}{more})" if keys else "")


def changes_nothing(weights: Path, keys: Iterable[str]) -> bool | None:
    """Whether every lora_B in the file is zero, so that the adapter adds nothing; None without a LoRA."""
    names = [key for key in keys if ".lora_B" in key or ".lora_embedding_B" in key]
    if not names:
        return None
    safetensors = load_library("safetensors", purpose="reading adapter weights")
    with safetensors.safe_open(str(weights), framework="pt") as tensors:
        return not any(bool(tensors.get_tensor(name).any()) for name in names)
