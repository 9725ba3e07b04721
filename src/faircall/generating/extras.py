"""Optional libraries, imported late and missed politely."""

from __future__ import annotations

import importlib
from typing import Any

from faircall.errors import DependencyMissing

# distribution to install for a module, when it is not one of the extras of this package
_INSTALL = {
    "torch": "'faircall[hf]'",
    "transformers": "'faircall[hf]'",
    "peft": "'faircall[hf]'",
    "safetensors": "'faircall[hf]'",
    "huggingface_hub": "'faircall[hf]'",
    "vllm": "'faircall[vllm]'",
    "bitsandbytes": "bitsandbytes",
    "ray": "'faircall[ray]'",
}


def load_library(name: str, *, purpose: str) -> Any:
    """The module `name`, imported now.

    Raises:
        DependencyMissing: it is not installed; the hint is the install command.
    """
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        package = _INSTALL.get(name.split(".")[0], name)
        raise DependencyMissing(
            f"{purpose} needs {name}, which is not installed", hint=f"pip install {package}"
        ) from error
