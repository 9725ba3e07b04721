"""What prompts need of a tokenizer, from its files: chat template, special tokens, whether it adds a BOS.

No tokenizer is loaded: `tokenizer_config.json`, `chat_template.jinja`, `special_tokens_map.json` and the
post-processor in `tokenizer.json` say all of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from faircall.errors import ConfigError, FileUnreadable
from faircall.store.files import read_json


@dataclass(frozen=True, slots=True)
class TokenizerFacts:
    """`template` is None where the tokenizer brings none."""

    template: str | None
    special_tokens: Mapping[str, str]
    adds_bos: bool


def has_tokenizer(folder: Path) -> bool:
    """Whether a folder holds a tokenizer of its own; adapters often do not."""
    return (folder / "tokenizer_config.json").is_file()


def read_tokenizer_files(folder: Path) -> TokenizerFacts:
    """The facts of the tokenizer in a folder.

    Raises:
        FileUnreadable: there is no tokenizer, or its files are broken.
    """
    if not has_tokenizer(folder):
        hint = "model.base_model_id must be a folder (or repository) with a Hugging Face tokenizer"
        raise FileUnreadable(f"{folder}: no tokenizer_config.json", hint=hint)
    config = _read_object(folder / "tokenizer_config.json")
    tokens = _special_tokens(_read_object(folder / "special_tokens_map.json")) | _special_tokens(config)
    return TokenizerFacts(
        template=read_template(folder, config=config),
        special_tokens=tokens,
        adds_bos=_adds_bos(folder, config=config, bos=tokens.get("bos_token")),
    )


def read_template(folder: Path, *, config: Mapping[str, Any] | None = None) -> str | None:
    """The chat template of a folder: its own file first, then the tokenizer config; None when it has none.

    Of several named templates `tool_use` is taken, else `default`.
    """
    for name in ("additional_chat_templates/tool_use.jinja", "chat_template.jinja"):
        if (folder / name).is_file():
            return read_template_file(folder / name)
    found = (_read_object(folder / "tokenizer_config.json") if config is None else config).get(
        "chat_template"
    )
    if isinstance(found, list):
        named = {entry.get("name"): entry.get("template") for entry in found if isinstance(entry, Mapping)}
        found = named.get("tool_use") or named.get("default")
    return found if isinstance(found, str) else None


def read_template_file(path: Path) -> str:
    """The text of a template file.

    Raises:
        ConfigError: it cannot be read as text.
    """
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as fault:
        raise ConfigError(f"{path}: cannot be read as a chat template ({fault})") from None


def _read_object(path: Path) -> Mapping[str, Any]:
    value = read_json(path) if path.is_file() else {}
    if not isinstance(value, Mapping):
        raise FileUnreadable(f"{path}: not a JSON object", hint="the tokenizer's files are broken")
    return value


def _special_tokens(config: Mapping[str, Any]) -> dict[str, str]:
    """`bos_token` and its kind as texts; each is a text or an object with its `content`."""
    tokens = {}
    for key, value in config.items():
        text = value.get("content") if isinstance(value, Mapping) else value
        if key.endswith("_token") and isinstance(text, str):
            tokens[key] = text
    return tokens


def _adds_bos(folder: Path, *, config: Mapping[str, Any], bos: str | None) -> bool:
    """Whether encoding a text puts a BOS before it: by the declared flag, else by the post-processor."""
    if bos is None:
        return False
    declared = config.get("add_bos_token")
    if isinstance(declared, bool):
        return declared
    path = folder / "tokenizer.json"
    return _starts_with(_read_object(path).get("post_processor"), bos)


def _starts_with(processor: Any, bos: str) -> bool:
    """Whether a post-processor (or one of a sequence) starts a single text with the BOS."""
    if not isinstance(processor, Mapping):
        return False
    if processor.get("type") == "Sequence":
        return any(_starts_with(one, bos) for one in processor.get("processors", []))
    single = processor.get("single")
    first = single[0] if isinstance(single, list) and single else None
    special = first.get("SpecialToken") if isinstance(first, Mapping) else None
    return isinstance(special, Mapping) and special.get("id") == bos
