"""vLLM's engine in this process: started under settings that are all known, asked, observed and stopped."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from faircall.errors import EnvironmentProblem, EvaluationError
from faircall.generating.extras import load_library
from faircall.generating.vllm.vllm_settings import VllmSettings

PURPOSE: Final = "the vllm backend"
_ADAPTER_ID: Final = 1
_SCORES: Final = 5  # likeliest tokens that are looked at to see whether an adapter has an effect
_SILENT: Final = {"use_tqdm_on_load": False, "disable_log_stats": True}
_INVARIANT: Final = "VLLM_BATCH_INVARIANT"
_IN_PROCESS: Final = "VLLM_ENABLE_V1_MULTIPROCESSING"
_INVARIANT_CAPABILITY: Final = (9, 0)  # the compute capability that vLLM's documentation asks for
# Where vLLM keeps the flag of its batch-invariant kernels, in newer and in older versions.
_FLAG_OWNERS: Final = (
    "vllm.model_executor.determinism.batch_invariant",
    "vllm.model_executor.layers.batch_invariant",
)
# Read by vLLM when it is imported. Whoever sets one of them keeps it, and what matters of it is recorded.
_ENVIRONMENT: Final[Mapping[str, str]] = {
    _IN_PROCESS: "0",  # one process: what runs together depends on the prompts only, not on who was faster
    "VLLM_NO_USAGE_STATS": "1",  # without it vLLM tells its makers what is run
    "VLLM_LOGGING_LEVEL": "ERROR",
    "VLLM_LOGGING_STREAM": "ext://sys.stderr",  # standard output is for reports
}


def load_vllm() -> Any:
    """The library, under the environment that a run needs.

    Raises:
        DependencyMissing: it is not installed.
    """
    for name, value in _ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    return load_library("vllm", purpose=PURPOSE)


def knows_patterns() -> bool:
    """Whether this vLLM takes ranks and alphas by module from an adapter; older versions ignore them."""
    owner = load_library("vllm.lora.peft_helper", purpose=PURPOSE).PEFTHelper
    return "rank_pattern" in getattr(owner, "__dataclass_fields__", {})


@dataclass(slots=True, eq=False)
class VllmEngine:
    """A running engine. `adapter` is what requests name, None for the base model."""

    vllm: Any
    llm: Any
    platform: Any
    adapter: Any = None

    @property
    def context(self) -> int:
        """Positions that a prompt and its answer may take together."""
        return int(self.llm.llm_engine.model_config.max_model_len)

    def load_adapter(self, folder: Path, *, name: str) -> None:
        """Load an adapter now: in a request, a wrong one would stop the engine for good.

        Raises:
            EvaluationError: vLLM refuses it.
        """
        request = load_library("vllm.lora.request", purpose=PURPOSE).LoRARequest(
            name, _ADAPTER_ID, str(folder.resolve())
        )
        try:
            loaded = self.llm.llm_engine.add_lora(request)
        except Exception as error:  # vLLM's errors have no base class that all versions know
            raise EvaluationError(
                f"adapter {name}: vLLM does not load it ({describe_error(error)})",
                hint="use the backend transformers",
            ) from error
        if not loaded:
            raise EvaluationError(
                f"adapter {name}: vLLM did not load it", hint="use the backend transformers"
            )
        self.adapter = request

    def ask(
        self, rows: Sequence[Sequence[int]], settings: Sequence[Mapping[str, Any]], *, adapter: Any
    ) -> list[Any]:
        """The engine's outputs for rows of token ids, in their order; it schedules all of them at once."""
        outputs: list[Any] = self.llm.generate(
            [{"prompt_token_ids": list(row)} for row in rows],
            [self.vllm.SamplingParams(**one) for one in settings],
            lora_request=adapter,
            use_tqdm=False,
        )
        return outputs

    def first_scores(self, row: Sequence[int], settings: Mapping[str, Any]) -> tuple[Any, Any]:
        """Log-probabilities of the likeliest next tokens, by the base model and under the adapter."""
        first = {**settings, "max_tokens": 1, "logprobs": _SCORES}
        (bare,), (adapted,) = (self.ask([row], [first], adapter=one) for one in (None, self.adapter))
        return _scores(bare), _scores(adapted)

    def facts(self) -> dict[str, Any]:
        """What is in force, as far as this process can see it; None where it cannot."""
        config = self.llm.llm_engine.vllm_config
        torch = load_library("torch", purpose=PURPOSE)
        return {
            "version": f"vllm {self.vllm.__version__}, torch {torch.__version__}",
            "device": str(self.platform.device_type),
            "device_name": str(self.platform.get_device_name()),
            "threads": torch.get_num_threads(),
            "attention": _attention(config),
            "batch_invariant": _is_batch_invariant(config.parallel_config.tensor_parallel_size),
            "scheduling": "in this process" if _in_process() else "in a process of its own",
            "max_model_len": self.context,
            "max_num_seqs": config.scheduler_config.max_num_seqs,
            "max_num_batched_tokens": config.scheduler_config.max_num_batched_tokens,
        }

    def stop(self) -> None:
        """Give back memory and devices, so that the next arm has them."""
        self.llm.llm_engine.engine_core.shutdown()
        self.llm = self.adapter = None
        load_library("vllm.distributed", purpose=PURPOSE).cleanup_dist_env_and_memory()


def start_engine(
    folder: Path, arguments: Mapping[str, Any], settings: VllmSettings, *, threads: int
) -> VllmEngine:
    """Load the model of a folder.

    Raises:
        EvaluationError: vLLM cannot run this model under these arguments.
        EnvironmentProblem: batch-invariant kernels are demanded where there are none.
    """
    vllm = load_vllm()
    platform = load_library("vllm.platforms", purpose=PURPOSE).current_platform
    _ask_for_invariance(settings.batch_invariant, platform)
    _limit_threads(threads)
    try:
        llm = vllm.LLM(model=str(folder), tokenizer=str(folder), **arguments, **_SILENT)
    except Exception as error:  # vLLM's errors have no base class that all versions know
        raise EvaluationError(
            f"vLLM cannot run the model ({describe_error(error)})",
            hint="see the section vllm of the config; VLLM_LOGGING_LEVEL=INFO shows what vLLM did",
        ) from error
    return VllmEngine(vllm, llm, platform)


def describe_error(error: BaseException) -> str:
    """The kind of an error and its first line."""
    line = (str(error).strip().splitlines() or [""])[0][:300]
    return f"{type(error).__name__}: {line}" if line else type(error).__name__


def _scores(output: Any) -> dict[int, float]:
    return {token: one.logprob for token, one in output.outputs[0].logprobs[0].items()}


def _limit_threads(threads: int) -> None:
    """vLLM forbids a change of the number after its first engine, which is then the same anyway."""
    torch = load_library("torch", purpose=PURPOSE)
    if torch.get_num_threads() != threads:
        torch.set_num_threads(threads)


def _ask_for_invariance(wish: str, platform: Any) -> None:
    """Set what vLLM reads; without a wish the user's own setting stays."""
    if wish == "where_available":
        os.environ.setdefault(_INVARIANT, "1" if _has_invariance(platform) else "0")
    else:
        os.environ[_INVARIANT] = "1" if wish == "always" else "0"
    if os.environ[_INVARIANT] == "1" and platform.is_cpu():  # vLLM would say yes and change nothing
        raise EnvironmentProblem(
            "vLLM has no batch-invariant kernels on a CPU, and they are demanded",
            hint=f"leave out vllm.batch_invariant and {_INVARIANT}",
        )


def _has_invariance(platform: Any) -> bool:
    return bool(platform.is_cuda() and platform.has_device_capability(_INVARIANT_CAPABILITY))


def _is_batch_invariant(devices: int) -> bool | None:
    """Whether the kernels are replaced; only the process that runs the model knows."""
    if os.environ.get(_INVARIANT, "0") != "1":
        return False
    if devices > 1 or not _in_process():
        return None
    found = [
        getattr(sys.modules[name], "_batch_invariant_MODE", None)
        for name in _FLAG_OWNERS
        if name in sys.modules
    ]
    return next((bool(flag) for flag in found if flag is not None), None)


def _attention(config: Any) -> str | None:
    """The names of the attention backends that the layers chose; else the one that was asked for."""
    layers = getattr(config.compilation_config, "static_forward_context", {}).values()
    names = {layer.get_attn_backend().get_name() for layer in layers if hasattr(layer, "get_attn_backend")}
    asked = getattr(getattr(config, "attention_config", None), "backend", None)
    return ", ".join(sorted(names)) or (None if asked is None else str(getattr(asked, "name", asked)))


def _in_process() -> bool:
    return os.environ.get(_IN_PROCESS) == "0"
