"""The records that travel from left to right, one born in each stage.

    Example --> Prompt --> Generation --> Parsed --> Scores --> Comparison
    import      format     generate       parse      score      compare

All are frozen. JSON becomes records once, in `store/` and `importing/`; past that border nobody checks types
again. A parse failure is a value of `Parsed`; a backend failure is a `Generation` with `failure` set; no
example is ever dropped. What is made for every row is a msgspec struct: a fifth of the time that a frozen
dataclass takes (`msgspec.structs.replace` changes one). It holds JSON, which has no cycles to be collected.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, TypeAlias

import msgspec

from faircall.canonical import canonical_json

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    IntArray: TypeAlias = NDArray[np.int64]

PARSER_VERSION: Final = "sommelier.parser.v1"
DECISIONS: Final = "D1-D4"

METRIC_NAMES: Final = (
    "valid_json_rate",
    "function_name_accuracy",
    "argument_exact_match",
    "argument_f1",
    "full_call_exact_match",
)
HEADLINE: Final = "full_call_exact_match"
BINARY_METRIC_NAMES: Final = tuple(name for name in METRIC_NAMES if name != "argument_f1")

ParseStatus: TypeAlias = Literal["ok", "no_json", "invalid_json", "invalid_shape"]

# Section -> field -> value; None means "not known". The sections are those of IDENTITY_SECTIONS.
Identity: TypeAlias = Mapping[str, Mapping[str, Any]]

IDENTITY_SECTIONS: Final = (
    "data", "tasks", "prompt", "model", "adapter", "decoding", "backend", "reader", "metrics",
)  # fmt: skip


class Gold(Protocol):
    """What an output is held against: a call, or what a declared protocol takes in its place."""

    def to_dict(self) -> dict[str, Any]:
        """The JSON form, of which the digest is made."""


class ToolCall(msgspec.Struct, frozen=True, eq=False, gc=False, forbid_unknown_fields=True):
    """A call: a tool name and its arguments object. Equality is canonical JSON equality (D6).

    >>> ToolCall("f", {"x": 1}) == ToolCall("f", {"x": 1.0})
    False
    """

    name: str
    arguments: Mapping[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """`{"name": ..., "arguments": ...}`, the shape that a model is asked for."""
        return {"name": self.name, "arguments": self.arguments}

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ToolCall):
            return NotImplemented
        return canonical_json(self.to_dict()) == canonical_json(other.to_dict())

    def __hash__(self) -> int:
        return hash(canonical_json(self.to_dict()))


class Example(msgspec.Struct, frozen=True, gc=False):
    """One task. `tools` is None when the offered tools are not known; `gold` is None when there is none.

    `source_example_id` names the root that this example was translated from; None for a root.
    `extra` holds declared grouping keys (for overlapping slices and clusters). `truth` is the gold of a
    declared protocol beside the default, which reads it and takes no other.
    """

    example_id: str
    gold: ToolCall | None = None
    tools: tuple[Mapping[str, Any], ...] | None = None
    language: str | None = None
    source_example_id: str | None = None
    query: str | None = None
    messages: tuple[Mapping[str, Any], ...] | None = None
    extra: Mapping[str, Any] = msgspec.field(default_factory=dict)
    truth: Gold | None = None

    @property
    def root(self) -> str:
        """The id of the root: the cluster of every clustered statistic (D8)."""
        return self.source_example_id or self.example_id


@dataclass(frozen=True, slots=True)
class Prompt:
    """One rendered prompt: the only text that a backend may send. Digests are SHA-256 in hexadecimal."""

    example_id: str
    language: str
    source_example_id: str | None
    prompt_text: str
    target_text: str
    prompt_sha256: str
    messages_sha256: str
    tools_sha256: str
    tools: tuple[Mapping[str, Any], ...]


class Generation(msgspec.Struct, frozen=True, gc=False):
    """What one arm answered, untouched. `failure` is set when the backend failed; `raw_text` is then ""."""

    example_id: str
    raw_text: str
    language: str | None = None
    prompt_sha256: str | None = None
    decoding: Mapping[str, Any] | None = None
    finish_reason: str | None = None
    stop_token: str | None = None
    prompt_tokens: int | None = None
    new_tokens: int | None = None
    message: Mapping[str, Any] | None = None
    failure: str | None = None


class Parsed(msgspec.Struct, frozen=True, gc=False):
    """What a reader found in a raw text. `reason` is None exactly when `status` is "ok".

    `span` is the half-open character range that was read; `trailing_json` says that an `ok` text holds
    another bracket behind it. Both are diagnosis only.

    `calls` is for protocols that take any number of calls: several well-formed ones, or () for a well-formed
    answer that makes none. It is None when there is one (`call`) and when the answer is malformed.
    """

    call: ToolCall | None
    status: ParseStatus
    reason: str | None = None
    span: tuple[int, int] | None = None
    trailing_json: bool = False
    calls: tuple[ToolCall, ...] | None = None

    @property
    def all_calls(self) -> tuple[ToolCall, ...] | None:
        """Every call of a well-formed answer; None when it is malformed."""
        return self.calls if self.call is None else (self.call,)


@dataclass(frozen=True, slots=True)
class MetricValue:
    """A metric with its counts, so that nobody has to trust the float.

    >>> MetricValue(10, 14).to_dict()
    {'value': 0.7142857142857143, 'numerator': 10, 'denominator': 14}
    """

    numerator: int
    denominator: int

    @property
    def value(self) -> float:
        """`numerator / denominator`, 0.0 when the denominator is 0."""
        return self.numerator / self.denominator if self.denominator else 0.0

    def to_dict(self) -> dict[str, Any]:
        """The JSON form of every report."""
        return {"value": self.value, "numerator": self.numerator, "denominator": self.denominator}


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Scores:
    """The scored rows of one arm, by column. Row order is the order of the input; joins are by `ids`.

    Attributes:
        ids: example id per row, unique.
        roots: root id per row (D8).
        labels: slice label (language) per row; None where there is none.
        components: int64, shape (rows, len(METRIC_NAMES), 2): numerator and denominator per example.
        parsed: what the reader found, per row.
        causes: cause of the miss per row, None for a full exact match.
        gold_sha256: digest of the canonical gold call per row.
        tasks_sha256: template-free digest of messages and tools per row, None where not known.
        prompt_sha256: digest of the rendered prompt per row, None where not known.
        extra_slices: further, possibly overlapping slices: name -> row indices. Report only.
        truncated: rows whose generation stopped at the token limit.
        backend_failed: rows whose backend failed.
        gold_pairs: gold pairs per row under a protocol beside the default; None under the default, where they
            follow from the components and the parsed calls.
    """

    ids: tuple[str, ...]
    roots: tuple[str, ...]
    labels: tuple[str | None, ...]
    components: IntArray
    parsed: tuple[Parsed, ...]
    causes: tuple[str | None, ...]
    gold_sha256: tuple[str, ...]
    tasks_sha256: tuple[str | None, ...]
    prompt_sha256: tuple[str | None, ...]
    extra_slices: Mapping[str, IntArray] = field(default_factory=dict)
    truncated: frozenset[int] = frozenset()
    backend_failed: frozenset[int] = frozenset()
    gold_pairs: IntArray | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Arm:
    """One side of a comparison: scores under stated conditions.

    `identity` maps section -> field -> value, None where it is not known. `adapter_source`,
    `inference_efficiency` and `diagnosis` are carried into the report untouched. `raw_texts` is what the
    model wrote per row of `scores`, and `durations_ns` how long that took, where they are at hand. `config`
    is what `config.config_sha256` of the identity is the digest of; a refusal names what differs in it.
    """

    name: str
    scores: Scores
    identity: Identity
    ids_given: bool = True
    adapter_source: Mapping[str, Any] | None = None
    inference_efficiency: Mapping[str, Any] | None = None
    diagnosis: Mapping[str, Any] | None = None
    raw_texts: tuple[str, ...] | None = None
    durations_ns: tuple[int, ...] | None = None
    config: Mapping[str, Any] | None = None
