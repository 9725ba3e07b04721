"""Which arm is generated and how: what the config declares and the command line adds, and its backend."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from faircall.config import ArmPlan, Config, EvalPolicy, Server, Vllm
from faircall.errors import ConfigError, UsageError
from faircall.generating.backend import (
    BACKENDS,
    AdapterSettings,
    Backend,
    BackendRequest,
    Decoding,
    ModelSettings,
    Sampling,
)
from faircall.generating.repeating.repeats import WAYS
from faircall.generating.servers.retries import RetryPolicy
from faircall.generating.servers.server_settings import ServerSettings
from faircall.generating.vllm.vllm_settings import VllmSettings
from faircall.generating.workers.distribution import open_workers
from faircall.generating.workers.engine import EngineRequest
from faircall.parsing import readers


@dataclass(frozen=True, slots=True)
class ArmRequest:
    """Which arm, and how. `limit` counts roots, `repeats` prompts to answer again, in `repeat_ways`.

    `base_urls` and `served_as` say where servers are and how they call the arm, where the command line says
    so; `engine` spreads the arm over workers.
    """

    arm: str
    adapter: AdapterSettings | None = None
    backend: str = "transformers"
    replay: Path | None = None
    limit: int | None = None
    repeats: int = 0
    repeat_ways: tuple[str, ...] = WAYS
    base_urls: tuple[str, ...] = ()
    served_as: str | None = None
    engine: EngineRequest | None = None

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
    repeat_ways: tuple[str, ...] = WAYS,
    base_url: str | Sequence[str] | None = None,
    served_as: str | None = None,
    engine: EngineRequest | None = None,
) -> ArmRequest:
    """Join what the config declares about an arm with what the command line adds.

    Raises:
        UsageError: the command line contradicts the config, or names an arm that nothing declares.
    """
    if engine is not None and repeats:
        raise UsageError(
            "--repeat-check is made in one process, not over an engine",
            hint="let the engine finish the arm; then check it with --repeat-check and without --engine",
        )
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
        backend=backend or _backend_of(declared, config),
        replay=config.path_of(replay) if replay else None,
        limit=limit,
        repeats=repeats,
        repeat_ways=repeat_ways,
        base_urls=(base_url,) if isinstance(base_url, str) else tuple(base_url or ()),
        served_as=served_as,
        engine=engine,
    )


def _backend_of(declared: ArmPlan | None, config: Config) -> str:
    """An arm that says where its answers are stored or served needs no `eval.backend` of its own."""
    if declared is not None and declared.replay:
        return "replay"
    if declared is not None and (declared.base_url or declared.served_as):
        return "openai"
    return config.eval.backend


def require_known_names(config: Config) -> None:
    """Refuse a reader or backend that nothing provides, before a model is loaded for it.

    Raises:
        ConfigError: names what there is.
    """
    readers.get(config.eval.reader)
    if config.eval.backend not in BACKENDS.names():
        raise ConfigError(
            f"eval.backend names {config.eval.backend!r}", hint=f"known here: {', '.join(BACKENDS.names())}"
        )


def open_backend(config: Config, request: ArmRequest) -> Backend:
    """Open the backend that a request names: in this process, or in the workers of an engine."""
    require_known_names(config)
    asked = plan_backend(config, request)
    if request.engine is not None:
        return open_workers(request.backend, asked, request.engine)
    return BACKENDS.get(request.backend)(asked)


def plan_backend(config: Config, request: ArmRequest) -> BackendRequest:
    """Everything that the backend of a request needs to open."""
    model, policy = config.model, config.eval
    return BackendRequest(
        ModelSettings(
            _locate(config, model.base_model_id),
            model.base_model_revision,
            model.tokenizer_revision,
            dtype=model.dtype,
            quantization=model.quantization,
            trust_remote_code=model.trust_remote_code,
        ),
        _decoding(policy),
        adapter=request.adapter,
        threads=policy.threads,
        batch_size=_batch_size(config, request),
        options=_options(config, request),
    )


def _decoding(policy: EvalPolicy) -> Decoding:
    drawn = policy.sampling
    sampling = None if drawn is None else Sampling(drawn.temperature, drawn.top_p, drawn.samples, drawn.seed)
    return Decoding(policy.max_new_tokens, policy.temperature, policy.do_sample, sampling)


def _options(config: Config, request: ArmRequest) -> dict[str, Any]:
    """What only one backend knows."""
    options: dict[str, Any] = {} if request.replay is None else {"generations": request.replay}
    if request.backend == "openai":
        options["server"] = plan_server(config, request)
    if request.backend == "vllm":
        options["vllm"] = plan_vllm(config)
    return options


def _batch_size(config: Config, request: ArmRequest) -> int:
    """How many prompts the backend is handed at a time."""
    if request.backend == "vllm":
        return (config.vllm or Vllm()).chunk_size
    return config.eval.batch_size


def plan_vllm(config: Config) -> VllmSettings:
    """The engine of every arm of a config: it must take the adapters of all of them.

    Raises:
        UsageError: `eval.batch_size`, which is another backend's.
    """
    if config.eval.batch_size > 1:
        raise UsageError(
            "eval.batch_size is for the backend transformers", hint="set vllm.chunk_size instead"
        )
    adapters = tuple(
        AdapterSettings(_locate(config, arm.adapter), arm.revision)
        for arm in config.arms.values()
        if arm.adapter is not None and arm.replay is None
    )
    section = (config.vllm or Vllm()).model_dump(exclude={"chunk_size"})
    return VllmSettings(**section, adapters=adapters)


def plan_server(config: Config, request: ArmRequest) -> ServerSettings:
    """The server of an arm: flags first, then the arm, then the section `server`.

    Raises:
        UsageError: nothing says where the server is, or an adapter would be asked for by the base's name.
    """
    section, arm = config.server or Server(), config.arms.get(request.arm) or ArmPlan()
    base_urls = _base_urls(request, arm, section)
    name = request.served_as or arm.served_as or config.model.base_model_id
    if not base_urls:
        raise UsageError("which server?", hint="give --base-url URL, or server.base_url in the config")
    if request.adapter is not None and name == config.model.base_model_id:
        raise UsageError(
            f"arm {request.arm!r} has an adapter, and would be asked for by the base model's name {name!r}",
            hint="say how the server calls it: arms.<arm>.served_as or --served-as",
        )
    return ServerSettings(
        base_urls[0],
        name,
        endpoint="chat" if config.formatting.template_policy == "server_chat_template" else "completions",
        answers_as=arm.answers_as,
        in_flight=section.concurrency,
        retries=RetryPolicy(section.attempts, section.deadline_seconds),
        requests_per_minute=section.requests_per_minute,
        tokens_per_minute=section.tokens_per_minute,
        seed=config.project.seed if section.send_seed else None,
        model_list=section.model_list,
        takes_tool_calls=readers.get(config.eval.reader).native,
        extra_body=section.extra_body,
        api_key_env=section.api_key_env,
        stated=frozenset(config.model.model_fields_set),
        mirrors=base_urls[1:],
    )


def _base_urls(request: ArmRequest, arm: ArmPlan, section: Server) -> tuple[str, ...]:
    """In a fixed order: the same pool is the same pool, however it is written."""
    found = request.base_urls or (arm.base_url,)
    if not any(found):
        found = section.base_urls or (section.base_url,)
    return tuple(sorted(url.rstrip("/") for url in found if url))


def _locate(config: Config, written: str) -> str:
    """A folder beside the config if there is one of that name, else what was written: a repository id."""
    folder = config.path_of(written)
    return str(folder) if folder.is_dir() else written
