"""What a backend is: the one seam between faircall and whatever answers the prompts.

A backend is opened from a `BackendRequest`, states its conditions, checks every prompt before the first
one is answered, and then answers one prompt at a time. Nothing else of it is ever used.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol, TypeAlias, runtime_checkable

from faircall.digest import sha256_text
from faircall.errors import EvaluationError
from faircall.records import Generation, Prompt
from faircall.registry import Registry

# Section -> field -> value. "model", "adapter", "decoding" and "backend" are compared; "source" binds a run
# to its inputs; its `adapter` is the `adapter_source` of reports (None for the base model).
SAMPLED: Final = "sampled.v1"

Description: TypeAlias = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Sampling:
    """The decoding protocol `sampled.v1`, for models that must not be run greedily.

    `samples` answers to each prompt; each is drawn under a seed of its own, made from `seed` and its id.
    """

    temperature: float
    top_p: float = 1.0
    samples: int = 5
    seed: int = 42

    def seed_of(self, example_id: str) -> int:
        """The seed of one answer: it depends on nothing else, so order and shards change nothing.

        >>> Sampling(0.7).seed_of("a#1") == Sampling(0.7).seed_of("a#1") != Sampling(0.7).seed_of("a#2")
        True
        """
        return int(sha256_text(f"sampled.v1|{self.seed}|{example_id}")[:8], 16) >> 1

    def to_dict(self) -> dict[str, Any]:
        """The form that every generation record and the identity carry."""
        return {
            "strategy": SAMPLED,
            "temperature": self.temperature,
            "do_sample": True,
            "top_p": self.top_p,
            "samples": self.samples,
            "seed": self.seed,
        }


@dataclass(frozen=True, slots=True)
class Decoding:
    """Decoding as configured: greedy, unless `sampling` is declared. Values are checked, never coerced.

    >>> Decoding(max_new_tokens=64).to_dict()["max_new_tokens"]
    64
    >>> Decoding(temperature=0.7, max_new_tokens=64)
    Traceback (most recent call last):
    faircall.errors.EvaluationError: eval.temperature must be exactly 0.0, got 0.7
    """

    max_new_tokens: int
    temperature: float = 0.0
    do_sample: bool = False
    sampling: Sampling | None = None

    def __post_init__(self) -> None:
        if isinstance(self.temperature, bool) or self.temperature != 0.0:
            raise _not_greedy("eval.temperature", "exactly 0.0", self.temperature)
        if self.do_sample is not False:
            raise _not_greedy("eval.do_sample", "false", self.do_sample)
        if (
            not isinstance(self.max_new_tokens, int)
            or isinstance(self.max_new_tokens, bool)
            or self.max_new_tokens < 1
        ):
            raise _not_greedy("eval.max_new_tokens", "a positive whole number", self.max_new_tokens)

    def to_dict(self) -> dict[str, Any]:
        """The form that every generation record and the identity carry."""
        if self.sampling is not None:
            return {**self.sampling.to_dict(), "max_new_tokens": self.max_new_tokens}
        return {
            "strategy": "greedy",
            "temperature": 0.0,
            "do_sample": False,
            "max_new_tokens": self.max_new_tokens,
        }


def _not_greedy(name: str, wanted: str, got: object) -> EvaluationError:
    return EvaluationError(
        f"{name} must be {wanted}, got {got!r}",
        hint=f"set {name} in the config; models that must be sampled: declare eval.sampling ({SAMPLED})",
    )


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """Which base model, and how it is loaded. `base_model_id` is a folder or a repository id."""

    base_model_id: str
    base_model_revision: str | None = None
    tokenizer_revision: str | None = None
    dtype: str = "float32"
    quantization: str | None = None
    trust_remote_code: bool = False


@dataclass(frozen=True, slots=True)
class AdapterSettings:
    """Where the adapter's weights come from: a folder, or a repository id with its revision."""

    location: str
    revision: str | None = None


@dataclass(frozen=True, slots=True)
class BackendRequest:
    """Everything a backend needs to open. `options`: what only one backend knows (replay: `generations`)."""

    model: ModelSettings
    decoding: Decoding
    adapter: AdapterSettings | None = None
    threads: int = 1
    batch_size: int = 1
    options: Mapping[str, Any] = field(default_factory=dict)


class Backend(Protocol):
    """Answers prompts, one at a time."""

    def describe(self) -> Description:
        """The conditions under which this backend answers."""
        ...

    def check(self, prompts: Sequence[Prompt]) -> None:
        """Refuse, before anything is generated, prompts that cannot be answered honestly."""
        ...

    def generate(self, prompt: Prompt) -> Generation:
        """Answer one prompt. A failing engine gives a `Generation` with `failure` set, not an exception."""
        ...

    def close(self) -> None:
        """Give back what the backend holds."""
        ...


@runtime_checkable
class ServedBackend(Backend, Protocol):
    """A backend whose `generate` may be called from `in_flight` threads at a time."""

    @property
    def in_flight(self) -> int:
        """How many prompts may be under way at a time."""
        ...


@runtime_checkable
class DeviceBackend(Backend, Protocol):
    """A backend whose device may still be at work when `generate` returns."""

    @property
    def synchronisation(self) -> str:
        """How its device is waited for, in words."""
        ...

    def synchronise(self) -> None:
        """Wait until the device has done all work; called before each reading of the clock."""
        ...


@runtime_checkable
class BatchedBackend(Backend, Protocol):
    """A backend that can answer several prompts in one pass; `batch_size` says how many were asked for."""

    @property
    def batch_size(self) -> int:
        """How many prompts make a full batch; 1 is no batching."""
        ...

    def prompt_length(self, prompt: Prompt) -> int:
        """Tokens of a prompt: batches hold prompts of like length."""
        ...

    def generate_batch(self, prompts: Sequence[Prompt]) -> list[Generation]:
        """Answer all of them, in their order."""
        ...


@runtime_checkable
class ScheduledBackend(BatchedBackend, Protocol):
    """A batched backend that decides by itself which prompts of a batch run together, and when."""

    @property
    def scheduler(self) -> str:
        """Who decides, in words."""
        ...


BackendOpener: TypeAlias = Callable[[BackendRequest], Backend]

# name -> opener. One file and one line here, or an entry point, makes a new backend.
BACKENDS: Final[Registry[BackendOpener]] = Registry(
    "backend",
    builtin={
        "openai": "faircall.generating.servers.openai_compatible:open_openai",
        "replay": "faircall.generating.replay:open_replay",
        "transformers": "faircall.generating.hugging_face.transformers_peft:open_transformers",
        "vllm": "faircall.generating.vllm.vllm_offline:open_vllm",
    },
    entry_points="faircall.backends",
)
