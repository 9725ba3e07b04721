"""The sections of a config, with every default. Strict: nothing is coerced, unknown keys are refused."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from faircall.records import METRIC_NAMES, PARSER_VERSION

SCHEMA_VERSION: Final = "faircall.config.v1"
OVERALL: Final = "overall"

ShortName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$")]
Language = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$")]
Text = Annotated[str, Field(min_length=1)]
Count = Annotated[int, Field(ge=0)]


class Section(BaseModel):
    """What all sections share: strict types, frozen values, no unknown keys."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, protected_namespaces=())


class Project(Section):
    """Where runs go, and the seed of everything that is drawn."""

    name: ShortName
    artifact_root: Text = "artifacts"
    seed: Count = 42


class Model(Section):
    """The base model that all arms share."""

    base_model_id: Text
    base_model_revision: Text | None = None
    tokenizer_revision: Text | None = None
    dtype: Literal["float32", "bfloat16", "float16"] = "float32"
    quantization: Literal["4bit", "8bit"] | None = None
    trust_remote_code: bool = False


class ArmPlan(Section):
    """One arm: the base model, the base model under an adapter, or generations that are stored already."""

    adapter: Text | None = None
    revision: Text | None = None
    replay: Text | None = None
    served_as: Text | None = None
    answers_as: Text | None = None
    base_url: Text | None = None


class Dataset(Section):
    """One file of rows in one language. `paired` rows are translations and name their root."""

    language: Language
    path: Text
    format: Literal["auto", "xlam", "openai"] = "auto"
    paired: bool = False


class DataPolicy(Section):
    """How many root examples each split gets, and which rows may be used."""

    n_train: Count = 0
    n_validation: Count = 0
    n_test: Count = 100
    min_query_chars: Count = 10
    max_query_chars: Annotated[int, Field(ge=1)] = 2000
    split_by: Literal["example", "tool"] = "example"

    def count(self, split: str) -> int:
        """The number of root examples that a split must have."""
        return {"train": self.n_train, "validation": self.n_validation, "test": self.n_test}[split]


class FormattingPolicy(Section):
    """How messages become the prompt text."""

    system_prompt: Text | None = None
    template_policy: Literal["tokenizer_chat_template", "server_chat_template"] = "tokenizer_chat_template"
    chat_template_from: Text = "base"
    chat_template_kwargs: dict[str, Any] = Field(default_factory=dict)


def _without_sign(value: Any) -> Any:
    """-0.0 is 0.0; one spelling keeps one digest."""
    return 0.0 if isinstance(value, (int, float)) and not isinstance(value, bool) and value == 0 else value


class SamplingPolicy(Section):
    """The decoding protocol `sampled.v1`: several answers to each prompt, drawn under recorded seeds."""

    temperature: Annotated[float, Field(gt=0, le=10)]
    top_p: Annotated[float, Field(gt=0, le=1)] = 1.0
    samples: Annotated[int, Field(ge=1, le=1000)] = 5
    seed: Count = 42


class EvalPolicy(Section):
    """What is generated, how it is decoded, and which reader decides. Greedy, unless `sampling` is there."""

    split: Literal["test", "validation", "train"] = "test"
    slices: Annotated[tuple[Language, ...], Field(strict=False)] = ()
    backend: ShortName = "transformers"
    temperature: Annotated[float, BeforeValidator(_without_sign)] = 0.0
    do_sample: bool = False
    max_new_tokens: int = 512
    reader: Text = PARSER_VERSION
    threads: Annotated[int, Field(ge=1)] = 1
    batch_size: Annotated[int, Field(ge=1, le=4096)] = 1
    sampling: SamplingPolicy | None = None


class Server(Section):
    """A server that speaks the OpenAI protocol, for the backend `openai`. Keys come from the environment."""

    base_url: Text | None = None
    base_urls: Annotated[tuple[Text, ...], Field(strict=False)] = ()
    api_key_env: Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")] = "OPENAI_API_KEY"
    concurrency: Annotated[int, Field(ge=1, le=1024)] = 8
    attempts: Annotated[int, Field(ge=1, le=100)] = 6
    deadline_seconds: Annotated[float, Field(gt=0)] = 600.0
    requests_per_minute: Annotated[int, Field(ge=1)] | None = None
    tokens_per_minute: Annotated[int, Field(ge=1)] | None = None
    send_seed: bool = True
    model_list: Literal["required", "ignored"] = "required"
    extra_body: dict[str, Any] = Field(default_factory=dict)


class Vllm(Section):
    """vLLM's engine without a server, for the backend `vllm`."""

    chunk_size: Annotated[int, Field(ge=1, le=65536)] = 256
    tensor_parallel_size: Annotated[int, Field(ge=1, le=64)] = 1
    max_model_len: Annotated[int, Field(ge=1)] | None = None
    gpu_memory_utilization: Annotated[float, Field(gt=0, le=1)] = 0.9
    kv_cache_gib: Annotated[float, Field(gt=0)] | None = None
    enforce_eager: bool = False
    prefix_caching: bool = False
    batch_invariant: Literal["where_available", "always", "never"] = "where_available"
    max_lora_rank: Annotated[int, Field(ge=1, le=512)] | None = None


def _known_metric(name: str) -> str:
    if name not in METRIC_NAMES:
        raise ValueError(f"no metric has this name (there are {', '.join(METRIC_NAMES)})")
    return name


class Claim(Section):
    """A question that is declared before the run: what is compared, where, and what would settle it."""

    id: ShortName
    metric: Annotated[str, AfterValidator(_known_metric)] = "full_call_exact_match"
    slice: Language = OVERALL
    kind: Literal["superiority", "non_inferiority", "equivalence"] = "superiority"
    margin: Annotated[float, Field(gt=0, lt=1)] | None = None
    family: ShortName | None = None
    baseline: ShortName | None = None
    candidate: ShortName | None = None


class Experiment(Section):
    """Which arms are compared, the reference first, and in which pairs; all of both when left out."""

    arms: Annotated[tuple[ShortName, ...], Field(strict=False)] = ()
    pairs: Annotated[
        tuple[Annotated[tuple[ShortName, ShortName], Field(strict=False)], ...], Field(strict=False)
    ] = ()


class ConfigFile(Section):
    """The whole file, section by section."""

    schema_version: Literal["faircall.config.v1"]
    project: Project
    model: Model
    arms: Annotated[dict[ShortName, ArmPlan], Field(min_length=1)] = Field(
        default_factory=lambda: {"base": ArmPlan()}
    )
    datasets: Annotated[tuple[Dataset, ...], Field(strict=False, min_length=1)]
    data: DataPolicy = DataPolicy()
    formatting: FormattingPolicy = FormattingPolicy()
    eval: EvalPolicy = EvalPolicy()
    server: Server | None = None
    vllm: Vllm | None = None
    claims: Annotated[tuple[Claim, ...], Field(strict=False)] = ()
    experiment: Experiment | None = None
