"""An evaluation: one arm, scored, with everything that a later comparison needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final

from faircall.api.example_records import example_records
from faircall.api.reading import read_generations
from faircall.api.stored_columns import decode_evaluation, take_rows
from faircall.api.stored_records import StoredRows, is_digested, read_rows
from faircall.canonical import spell
from faircall.comparing.identity import altered_sections, identify, section_digests
from faircall.errors import ArtifactInvalid
from faircall.records import (
    METRIC_NAMES,
    PARSER_VERSION,
    Arm,
    Example,
    Generation,
    Gold,
    Identity,
    MetricValue,
    Scores,
)
from faircall.scoring import protocols
from faircall.scoring.diagnosis import count_outcomes, diagnose
from faircall.scoring.protocols import METRIC_PROTOCOL
from faircall.scoring.scores import score_rows, truth_of
from faircall.scoring.totals import metric_block, metric_values, rows_by_slice

SCHEMA_VERSION: Final = "faircall.evaluation.v1"
_FAULTS: Final = (LookupError, TypeError, ValueError, AttributeError, OverflowError)


@dataclass(frozen=True, eq=False)
class Evaluation:
    """One scored arm. Rows keep the order of the input; joins are by id.

    Attributes:
        name: the name of the arm.
        scores: the scored rows by column.
        gold: the gold per row: a call, or what the protocol takes in its place.
        raw_texts: what the model wrote, per row.
        asked: the request or the prompt per row, None where it is not known.
        identity: what is known of the conditions, section -> field -> value.
        ids_given: whether ids were given; without, rows are numbered.
        diagnosis: causes, confusion, worst arguments, schema validity (see `scoring.diagnosis`).
    """

    name: str
    scores: Scores
    gold: tuple[Gold, ...]
    raw_texts: tuple[str, ...]
    asked: tuple[str | None, ...]
    identity: Identity
    ids_given: bool
    diagnosis: Mapping[str, Any] = field(repr=False)

    @cached_property
    def metrics(self) -> dict[str, MetricValue]:
        """The five metrics over all rows."""
        return metric_values(self.scores)

    @cached_property
    def by_slice(self) -> dict[str, dict[str, MetricValue]]:
        """The five metrics per slice: labels, then declared slices."""
        return {name: metric_values(self.scores, rows) for name, rows in rows_by_slice(self.scores).items()}

    @cached_property
    def records(self) -> list[dict[str, Any]]:
        """One JSON object per example: status, cause, components, digests, texts and calls."""
        return example_records(self.scores, gold=self.gold, raw_texts=self.raw_texts, asked=self.asked)

    @property
    def arm(self) -> Arm:
        """The evaluation as a side of a comparison."""
        return Arm(
            self.name,
            self.scores,
            self.identity,
            ids_given=self.ids_given,
            diagnosis=self.diagnosis,
            raw_texts=self.raw_texts,
        )

    def renamed(self, name: str) -> Evaluation:
        """The same evaluation under another name."""
        return replace(self, name=name)

    def summary(self) -> dict[str, Any]:
        """The evaluation without its records: what a table shows."""
        slices = rows_by_slice(self.scores)
        return {
            "schema_version": SCHEMA_VERSION,
            "name": self.name,
            "examples": len(self.scores.ids),
            "roots": len(set(self.scores.roots)),
            "identity": {section: dict(fields) for section, fields in self.identity.items()},
            "ids_given": self.ids_given,
            "metrics": metric_block(self.scores),
            "slices": {
                name: {"examples": len(rows), "metrics": metric_block(self.scores, rows)}
                for name, rows in slices.items()
            },
            "diagnosis": dict(self.diagnosis),
        }

    def to_dict(self) -> dict[str, Any]:
        """Everything, as JSON values; `from_dict` gives the evaluation back.

        The digests are those of the sections as they are compared: what is stated and what the rows show.
        """
        return {**self.summary(), "identity_sha256": section_digests(self.arm), "records": self.records}

    @classmethod
    def from_dict(cls, value: Any) -> Evaluation:
        """The evaluation that `to_dict` wrote.

        Raises:
            ArtifactInvalid: another schema version, or records that do not have its form.
        """
        version = value.get("schema_version") if isinstance(value, Mapping) else None
        if version != SCHEMA_VERSION:
            message = f"schema_version is {version!r}, not {SCHEMA_VERSION!r}"
            raise ArtifactInvalid(message, hint="score the outputs again with this version")
        try:
            return _evaluation(value, read_rows)
        except _FAULTS as error:
            message = f"not a whole {SCHEMA_VERSION}: {type(error).__name__}: {error}"
            raise ArtifactInvalid(message, hint="score the outputs again") from None

    @classmethod
    def from_json(cls, data: bytes) -> Evaluation | None:
        """The evaluation in a file that has exactly the form which is written; None where it has not.

        What is wrong then, if anything is, `from_dict` says.
        """
        try:
            value = decode_evaluation(data)
            return _evaluation(value, take_rows) if value["schema_version"] == SCHEMA_VERSION else None
        except (RecursionError, *_FAULTS):
            return None

    def table(self) -> str:
        """The evaluation as plain text."""
        from faircall.reporting.evaluation_view import view_evaluation
        from faircall.reporting.to_terminal import to_plain_text

        return to_plain_text(view_evaluation(self.summary()))


def evaluate(
    examples: Sequence[Example],
    generations: Sequence[Generation],
    *,
    name: str,
    identity: Identity | None = None,
    ids_given: bool = True,
    slice_keys: Sequence[str] = (),
    reader: str = PARSER_VERSION,
    prompts: Sequence[str | None] | None = None,
    protocol: str = METRIC_PROTOCOL,
) -> Evaluation:
    """Read and score aligned rows; `prompts` are the stored prompt texts, for readers of thoughts.

    Raises:
        ConfigError: no reader is called `reader`, or no protocol is called `protocol`.
        GoldMissing: an example without a gold call.
        InvariantViolation: examples and generations are not aligned.
    """
    chosen = protocols.get(protocol)
    read = read_generations(
        examples, generations, reader=reader, prompts=prompts, beside=chosen.name == METRIC_PROTOCOL
    )
    scores = score_rows(examples, generations, read.parsed, slice_keys=slice_keys, protocol=chosen)
    diagnosis = {**diagnose(examples, scores), **_protocol_facts(chosen, examples, scores)}
    return Evaluation(
        name=name,
        scores=scores,
        gold=tuple(truth_of(example) for example in examples),
        raw_texts=tuple(generation.raw_text for generation in generations),
        asked=_asked(examples, prompts),
        identity={
            **(identity or {}),
            "reader": read.identity,
            "metrics": {"protocol": chosen.name, "names": list(METRIC_NAMES)},
        },
        ids_given=ids_given,
        diagnosis=diagnosis if read.facts is None else {**diagnosis, "reading": read.facts},
    )


def _protocol_facts(
    protocol: protocols.Protocol, examples: Sequence[Example], scores: Scores
) -> dict[str, Any]:
    """What a protocol beside the default counts; nothing for the default."""
    if protocol.name == METRIC_PROTOCOL:
        return {}
    return {"protocol": {"name": protocol.name, **protocol.facts(examples, scores.parsed)}}


def _asked(examples: Sequence[Example], prompts: Sequence[str | None] | None) -> tuple[str | None, ...]:
    """What each example asks: its query, else what the user said last, else the whole prompt."""
    texts = prompts if prompts is not None else [None] * len(examples)
    return tuple(
        example.query or _last_request(example.messages or ()) or text
        for example, text in zip(examples, texts, strict=True)
    )


def _last_request(messages: Sequence[Mapping[str, Any]]) -> str | None:
    said = [message.get("content") for message in messages if message.get("role") == "user"]
    return said[-1] if said and isinstance(said[-1], str) else None


def _evaluation(
    value: Mapping[str, Any], take: Callable[[Sequence[Any], protocols.Protocol], StoredRows]
) -> Evaluation:
    if not (isinstance(value["name"], str) and isinstance(value["diagnosis"], Mapping)):
        raise TypeError("its name is not text, or its diagnosis is not an object")
    protocol = protocols.get(value["identity"].get("metrics", {}).get("protocol", METRIC_PROTOCOL))
    rows = take(value["records"], protocol)
    evaluation = Evaluation(
        name=value["name"],
        scores=rows.scores,
        gold=rows.gold,
        raw_texts=rows.raw_texts,
        asked=rows.asked,
        identity={section: dict(fields) for section, fields in value["identity"].items()},
        ids_given=bool(value["ids_given"]),
        diagnosis=dict(value["diagnosis"]),
    )
    _require_agreement(evaluation, value)
    return evaluation


def _require_agreement(evaluation: Evaluation, value: Mapping[str, Any]) -> None:
    """The counts and digests that were stored are those that the records give."""
    _require_sums(evaluation.metrics, value["metrics"], of="the records")
    _require_slices(evaluation, value["slices"])
    _require_counts(evaluation.scores, value["diagnosis"])
    if not all(map(is_digested, evaluation.gold, evaluation.scores.gold_sha256)):
        raise ValueError("a gold call is not the one that was digested")
    altered = altered_sections(identify(evaluation.arm), value.get("identity_sha256", {}))
    if altered:
        raise ValueError(f"the identity was altered: {', '.join(altered)} are not what their digests say")


def _require_sums(found: Mapping[str, MetricValue], stored: Mapping[str, Any], *, of: str) -> None:
    for name, metric in found.items():
        if (metric.numerator, metric.denominator) != (stored[name]["numerator"], stored[name]["denominator"]):
            raise ValueError(f"{of} do not add up to its {name}")


def _require_slices(evaluation: Evaluation, stored: Mapping[str, Any]) -> None:
    sizes = {name: len(rows) for name, rows in rows_by_slice(evaluation.scores).items()}
    if sizes != {name: fields["examples"] for name, fields in stored.items()}:
        raise ValueError("the records are not in its slices")
    for name, metrics in evaluation.by_slice.items():
        _require_sums(metrics, stored[name]["metrics"], of=f"the records in {name!r}")


def _require_counts(scores: Scores, diagnosis: Mapping[str, Any]) -> None:
    """Of a diagnosis, what can be counted without the offered tools."""
    found = count_outcomes(scores)
    if spell(found) != spell({name: diagnosis[name] for name in found}):
        raise ValueError("the records do not add up to its diagnosis")
