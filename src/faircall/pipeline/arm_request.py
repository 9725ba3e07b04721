"""Which arm is generated and how: what the config declares and the command line adds, and its backend."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from faircall.config import Config
from faircall.errors import UsageError
from faircall.generating.backend import (
    BACKENDS,
    AdapterSettings,
    Backend,
    BackendRequest,
    Decoding,
    ModelSettings,
)


@dataclass(frozen=True, slots=True)
class ArmRequest:
    """Which arm to generate, and how. `limit` counts roots, `repeats` counts prompts to generate again."""

    arm: str
    adapter: AdapterSettings | None = None
    backend: str = "transformers"
    replay: Path | None = None
    limit: int | None = None
    repeats: int = 0

    @property
    def model_kind(self) -> str:
        """`adapter` or `base`."""
        return "adapter" if self.adapter else "base"


def plan_arm(
    config: Config,
    arm: str,
    *,
    adapter: str | None = None,
    revision: str | None = None,
    backend: str | None = None,
    limit: int | None = None,
    repeats: int = 0,
) -> ArmRequest:
    """Join what the config declares about an arm with what the command line adds.

    Raises:
        UsageError: the command line contradicts the config, or names an arm that nothing declares.
    """
    declared = config.arms.get(arm)
    if declared is None and adapter is None:
        raise UsageError(
            f"no arm {arm!r} in the config", hint=f"arms: {', '.join(config.arms)}; or give --adapter"
        )
    if declared is not None and adapter is not None and declared.adapter not in (None, adapter):
        raise UsageError(
            f"arm {arm!r} is declared with the adapter {declared.adapter}, not {adapter}",
            hint="give another --arm name, or change the config",
        )
    location = adapter or (declared.adapter if declared else None)
    revision = revision or (declared.revision if declared else None)
    replay = declared.replay if declared else None
    return ArmRequest(
        arm,
        adapter=AdapterSettings(_locate(config, location), revision) if location else None,
        backend=backend or ("replay" if replay else config.eval.backend),
        replay=config.path_of(replay) if replay else None,
        limit=limit,
        repeats=repeats,
    )


def open_backend(config: Config, request: ArmRequest) -> Backend:
    """Open the backend that a request names."""
    model, policy = config.model, config.eval
    options = {} if request.replay is None else {"generations": request.replay}
    return BACKENDS.get(request.backend)(
        BackendRequest(
            ModelSettings(
                _locate(config, model.base_model_id),
                model.base_model_revision,
                model.tokenizer_revision,
                dtype=model.dtype,
                quantization=model.quantization,
                trust_remote_code=model.trust_remote_code,
            ),
            Decoding(policy.max_new_tokens, policy.temperature, policy.do_sample),
            adapter=request.adapter,
            threads=policy.threads,
            options=options,
        )
    )


def _locate(config: Config, written: str) -> str:
    """A folder beside the config if there is one of that name, else what was written: a repository id."""
    folder = config.path_of(written)
    return str(folder) if folder.is_dir() else written
