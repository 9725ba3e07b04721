"""What a config needs, looked for before a run is started: a folder that cannot go on helps nobody."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Final

from faircall.config import Config, arms_of
from faircall.errors import FileUnreadable
from faircall.generating.backend import BACKENDS
from faircall.generating.extras import load_library
from faircall.generating.sources import resolve_source
from faircall.pipeline.arm_request import ArmRequest, plan_arm, require_known_names
from faircall.pipeline.format import load_style

# Backends that load weights in this environment, and the library that they cannot do without.
_LOADS_HERE: Final = {"transformers": "torch", "vllm": "vllm"}


def require_everything(config: Config) -> None:
    """Look for what can be missing: the reader, the template, the libraries, adapters and stored answers.

    Raises:
        ConfigError: there is no such reader or backend, or no chat template.
        DependencyMissing: a library is not installed.
        EnvironmentProblem: a repository cannot be had.
        FileUnreadable: a file or folder is not there.
    """
    require_known_names(config)
    if config.formatting.template_policy != "server_chat_template":
        load_style(config)
    for arm in arms_of(config):
        _require_arm(plan_arm(config, arm))


def _require_arm(request: ArmRequest) -> None:
    if request.replay is not None and not request.replay.exists():
        raise FileUnreadable(f"arms.{request.arm}.replay: {request.replay} is not there")
    library = _LOADS_HERE.get(request.backend)
    if library is None or not BACKENDS.is_builtin(request.backend):
        return  # only the backend itself knows what it needs
    if find_spec(library) is None:
        load_library(library, purpose=f"the {request.backend} backend")
    if request.adapter is not None and not Path(request.adapter.location).is_dir():
        resolve_source(request.adapter.location, request.adapter.revision)
