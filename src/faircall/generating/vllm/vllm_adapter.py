"""Adapters under vLLM: what it cannot serve is refused, and every weight must belong to the base model.

vLLM compares only the last part of a weight's name (`q_proj`) with its own: an adapter of another model is
loaded and changes nothing. So names and shapes are compared here, with those in the base model's files.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

from faircall.errors import EvaluationError
from faircall.generating.backend import AdapterSettings
from faircall.generating.hugging_face.adapters import CONFIG, changes_nothing, find_weights, require_same_keys
from faircall.generating.sources import Source, resolve_source

Shapes: TypeAlias = Mapping[str, tuple[int, ...]]

_PREFIX: Final = "base_model.model."
_SIDES: Final = (".lora_A.weight", ".lora_B.weight")
_MOST_BYTES: Final = 100_000_000  # of a safetensors header, by its specification
# Fields of adapter_config.json that must be empty, with what they ask for.
_UNSERVED: Final[Mapping[str, str]] = {
    "use_dora": "DoRA",
    "modules_to_save": "modules saved whole (modules_to_save)",
    "lora_bias": "a LoRA bias",
    "layer_replication": "replicated layers",
    "alora_invocation_tokens": "activated LoRA",
    "trainable_token_indices": "trained token embeddings",
    "target_parameters": "parameters outside modules (target_parameters)",
    "use_qalora": "QALoRA",
    "use_bdlora": "block-diagonal LoRA",
    "arrow_config": "Arrow",
    "kasa_config": "KaSA",
    "monteclora_config": "MonteCLoRA",
    "velora_config": "VeLoRA",
}
_PATTERNS: Final = ("rank_pattern", "alpha_pattern")
_CHANGES_BASE: Final = ("pissa", "olora", "corda", "loftq")  # PEFT changes the base's weights on loading


@dataclass(frozen=True, slots=True)
class Lora:
    """A LoRA that fits the base model. `idle`: every lora_B is zero, so it changes nothing."""

    source: Source
    rank: int
    idle: bool | None

    def describe(self) -> dict[str, Any]:
        """The `adapter` section of the identity."""
        return {
            "source": self.source.label,
            "peft_type": "LORA",
            "peft_version": "none",  # vLLM computes it
            "merged": False,
            "changes_nothing": self.idle,
        }


def read_lora(settings: AdapterSettings, base: Source, *, patterns: bool) -> Lora:
    """The adapter, checked against the files of the base model; nothing is loaded into an engine.

    Args:
        settings: where the adapter is.
        base: the base model.
        patterns: whether this vLLM knows ranks and alphas by module; one that does not ignores them.

    Raises:
        EvaluationError: no safetensors, a kind that vLLM does not serve, weights of another model.
    """
    source = resolve_source(settings.location, settings.revision)
    weights = find_weights(source.folder, name=source.name)
    config = read_adapter_config(source)
    refuse_unserved(config, name=source.name, patterns=patterns)
    stored = read_shapes(weights)
    require_fit(stored, config, read_base_shapes(base), name=source.name)
    return Lora(source, largest_rank(config), changes_nothing(weights, stored))


def read_adapter_config(source: Source) -> dict[str, Any]:
    """The adapter's own config.

    Raises:
        EvaluationError: it is no JSON object.
    """
    try:
        config = json.loads((source.folder / CONFIG).read_bytes())
    except (OSError, ValueError) as error:
        raise EvaluationError(
            f"adapter {source.name}: {CONFIG} cannot be read ({error})", hint="save the adapter again"
        ) from error
    if not isinstance(config, dict):
        raise EvaluationError(f"adapter {source.name}: {CONFIG} is no object", hint="save the adapter again")
    return config


def largest_rank(config: Mapping[str, Any]) -> int:
    """The rank of an adapter, or of the module with the largest one; 0 for what is no LoRA.

    >>> largest_rank({"peft_type": "LORA", "r": 8, "rank_pattern": {"q_proj": 32}})
    32
    >>> largest_rank({"peft_type": "LOHA", "r": 8})
    0
    """
    if config.get("peft_type") != "LORA":
        return 0
    ranks = [config.get("r"), *(config.get("rank_pattern") or {}).values()]
    return max((rank for rank in ranks if isinstance(rank, int)), default=0)


def refuse_unserved(config: Mapping[str, Any], *, name: str, patterns: bool) -> None:
    """Refuse what vLLM would reject, or ignore.

    Raises:
        EvaluationError: names what the adapter asks for.
    """
    asked = list(_what_is_unserved(config, patterns=patterns))
    if asked:
        raise EvaluationError(
            f"adapter {name}: vLLM does not serve {', '.join(asked)}", hint="use the backend transformers"
        )


def _what_is_unserved(config: Mapping[str, Any], *, patterns: bool) -> Iterator[str]:
    kind = config.get("peft_type")
    if kind != "LORA":
        yield f"adapters of type {kind}"
    if kind == "LORA" and largest_rank(config) < 1:
        yield "a LoRA that states no rank"
    yield from (words for field, words in _UNSERVED.items() if config.get(field))
    if config.get("bias") not in (None, "none"):
        yield f"trained biases (bias: {config['bias']})"
    start = config.get("init_lora_weights")
    if isinstance(start, str) and start.lower().startswith(_CHANGES_BASE):
        yield f"a start that changes the base model (init_lora_weights: {start})"
    if not patterns:
        yield from (f"{field} in this version" for field in _PATTERNS if config.get(field))


def require_fit(stored: Shapes, config: Mapping[str, Any], base: Shapes, *, name: str) -> None:
    """Every module that the adapter is for has its two matrices, in the base's shape; nothing is left over.

    Raises:
        EvaluationError: names missing and unexpected keys, or the first key of a wrong shape.
    """
    modules = [key.removesuffix(".weight") for key in base if key.endswith(".weight")]
    fitting = {module for module in modules if targets(config, module)}
    both = {f"{_PREFIX}{module}{side}" for module in fitting for side in _SIDES}
    # Mixtures of experts: whether an expert is a module depends on the library that trained the adapter.
    possible = {f"{_PREFIX}{module}{side}" for module in modules if ".experts." in module for side in _SIDES}
    require_same_keys(both - possible, stored, known=possible, name=name)
    for key in sorted(stored):
        _require_shape(key, stored, config, base, name=name)


def _require_shape(key: str, stored: Shapes, config: Mapping[str, Any], base: Shapes, *, name: str) -> None:
    """The rank on one side, the base's width on the other; some models store a weight transposed."""
    down = key.endswith(_SIDES[0])
    module = key.removeprefix(_PREFIX).removesuffix(_SIDES[0] if down else _SIDES[1])
    shape, around = stored[key], base[f"{module}.weight"]
    rank, width = (shape[0], shape[-1]) if down else (shape[-1], shape[0])
    wrong_rank = not config.get("rank_pattern") and rank != config.get("r")
    if len(shape) != 2 or wrong_rank or (len(around) == 2 and width not in around):
        raise EvaluationError(
            f"adapter {name} does not fit the model: {key} has the shape {list(shape)}, "
            f"the base's weight {list(around)}, the rank is {config.get('r')}",
            hint="check the base model that the adapter was trained on",
        )


def targets(config: Mapping[str, Any], module: str) -> bool:
    """Whether an adapter's config asks for a module, by PEFT's rules (a list of endings, or one pattern).

    >>> targets({"target_modules": ["q_proj"], "layers_to_transform": [1]}, "model.layers.1.attn.q_proj")
    True
    >>> targets({"target_modules": ["q_proj"], "layers_to_transform": [1]}, "model.layers.2.attn.q_proj")
    False
    """
    wanted = _named(config.get("target_modules") or [], module)
    if not wanted or _named(config.get("exclude_modules") or [], module):
        return False
    layers = config.get("layers_to_transform")
    if layers is None:
        return True
    numbers = re.findall(r"\.(\d+)\.", module)
    return bool(numbers) and int(numbers[-1]) in ([layers] if isinstance(layers, int) else layers)


def _named(names: str | list[str], module: str) -> bool:
    if isinstance(names, str):
        return re.fullmatch(names, module) is not None
    return any(module == name or module.endswith(f".{name}") for name in names)


def read_base_shapes(base: Source) -> dict[str, tuple[int, ...]]:
    """Names and shapes of a model's weights, from the headers of its safetensors files.

    Raises:
        EvaluationError: the folder holds none.
    """
    files = sorted(base.folder.glob("*.safetensors"))
    if not files:
        raise EvaluationError(f"{base.name} holds no safetensors weights", hint="pickles are not loaded")
    return {key: shape for file in files for key, shape in read_shapes(file).items()}


def read_shapes(weights: Path) -> dict[str, tuple[int, ...]]:
    """Names and shapes of the tensors in a safetensors file: its header is JSON behind a length of 8 bytes.

    Raises:
        EvaluationError: the file is not safetensors.
    """
    try:
        with weights.open("rb") as stream:
            size = int.from_bytes(stream.read(8), "little")
            header = json.loads(stream.read(size if size <= _MOST_BYTES else 0))
        return {key: tuple(entry["shape"]) for key, entry in header.items() if key != "__metadata__"}
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise EvaluationError(
            f"{weights.name} is not a safetensors file ({error})", hint="save the weights again"
        ) from error
