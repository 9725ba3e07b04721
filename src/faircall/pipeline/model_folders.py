"""Where the tokenizer files of a model lie: a local folder, or the cache of the hub."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Final

from faircall.config import Config
from faircall.errors import DependencyMissing, EnvironmentProblem

_WANTED: Final = (
    "tokenizer_config.json",
    "tokenizer.json",
    "special_tokens_map.json",
    "chat_template.jinja",
    "additional_chat_templates/*.jinja",
)


def fetch_tokenizer_files(config: Config, location: str, *, revision: str | None) -> Path:
    """The folder with the tokenizer files of a model or adapter; only these files are fetched from the hub.

    Raises:
        DependencyMissing: it is no folder, and the hub's client is not installed.
        EnvironmentProblem: the hub cannot give it.
    """
    folder = config.path_of(location)
    if folder.is_dir():
        return folder
    try:
        hub = importlib.import_module("huggingface_hub")
    except ImportError:
        message = f"{location} is not a folder here, and fetching it needs huggingface_hub"
        raise DependencyMissing(message, hint="pip install 'faircall[hf]'") from None
    try:
        return Path(hub.snapshot_download(location, revision=revision, allow_patterns=list(_WANTED)))
    except Exception as fault:  # the client has no common base class for its network and cache errors
        message = f"{location} is not a folder here and cannot be fetched ({type(fault).__name__})"
        raise EnvironmentProblem(
            message, hint="give a local folder, or check the name and revision"
        ) from None
