"""Two arms without gold: where they agree, how they differ, and whether their calls fit the tools' schemas.

Agreement is not accuracy: two arms can agree on a wrong call. Classes take the baseline's call for the
expected one, with the words of the diagnosis.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from msgspec.structs import replace

from faircall.api.load import arm_name
from faircall.digest import sha256_json, sha256_text
from faircall.errors import DataError, EvaluationError, IdMismatch, Incomparable, UsageError
from faircall.importing.from_jsonl import ImportedRows, import_rows
from faircall.parsing import readers
from faircall.records import PARSER_VERSION, Example, Generation, Parsed
from faircall.scoring.causes import cause_of_miss
from faircall.scoring.schema_validity import describe_validity, validity
from faircall.scoring.scores import is_truncated
from faircall.stats.cluster import number_roots
from faircall.stats.rates import rate_interval
from faircall.store.files import describe_path, read_json_lines

SCHEMA_VERSION: Final = "faircall.agreement_report.v1"
OUTPUTS: Final = "outputs.jsonl"
AGREED: Final = ("same_call", "both_without_call")


@dataclass(frozen=True, slots=True, eq=False)
class PlainArm:
    """One arm without scores: rows in one order for both arms."""

    name: str
    examples: tuple[Example, ...]
    generations: tuple[Generation, ...]
    parsed: tuple[Parsed, ...]


def load_pair(
    baseline: Path | str,
    candidate: Path | str,
    *,
    names: tuple[str | None, str | None] = (None, None),
    columns: dict[str, str] | None = None,
    reader: str = PARSER_VERSION,
) -> tuple[PlainArm, PlainArm]:
    """Both arms, joined by id in the order of the baseline.

    Raises:
        InputError: a file cannot be used, or their ids differ.
        Incomparable: an id stands for another task in the other file.
        EvaluationError: a reader of texts, and answers whose calls are in `tool_calls`.
    """
    first = _load(baseline, name=names[0], columns=columns, reader=reader)
    second = _load(candidate, name=names[1], columns=columns, reader=reader)
    order = {example.example_id: row for row, example in enumerate(second.examples)}
    _require_same_ids(first, second, order)
    rows = [order[example.example_id] for example in first.examples]
    second = PlainArm(
        second.name,
        tuple(second.examples[row] for row in rows),
        tuple(second.generations[row] for row in rows),
        tuple(second.parsed[row] for row in rows),
    )
    _require_same_tasks(first, second)
    return first, second


def build_agreement_report(baseline: PlainArm, candidate: PlainArm, *, level: float = 0.95) -> dict[str, Any]:
    """Agreement with its interval, the classes of disagreement, and each arm on its own."""
    classes = classify_all(baseline, candidate)
    counts = Counter(classes)
    agreed = np.array([name in AGREED for name in classes], dtype=np.int64)
    roots = number_roots([example.root for example in baseline.examples])
    return {
        "schema_version": SCHEMA_VERSION,
        "gold": "none: agreement says nothing about who is right",
        "examples": len(classes),
        "agreement": {
            "value": int(agreed.sum()) / len(classes),
            "numerator": int(agreed.sum()),
            "denominator": len(classes),
            "interval": rate_interval(agreed, roots, level=level).to_dict(),
        },
        "classes": dict(sorted(counts.items(), key=lambda item: (-item[1], item[0]))),
        "baseline": _side(baseline),
        "candidate": _side(candidate),
        "disagreements": [
            example.example_id
            for example, name in zip(baseline.examples, classes, strict=True)
            if name not in AGREED
        ],
    }


def classify_all(baseline: PlainArm, candidate: PlainArm) -> list[str]:
    """The class of each row."""
    return [
        classify(example, one, other)
        for example, one, other in zip(baseline.examples, baseline.parsed, candidate.parsed, strict=True)
    ]


def classify(example: Example, baseline: Parsed, candidate: Parsed) -> str:
    """How two answers to one example agree or differ; each pair has exactly one class.

    >>> from faircall import parse_tool_call as read
    >>> classify(Example("a"), read('{"name": "f", "arguments": {"x": 1}}'),
    ...          read('{"name": "f", "arguments": {"x": "1"}}'))
    'numeric_form'
    """
    if baseline.call is None:
        return "both_without_call" if candidate.call is None else "only_candidate_calls"
    if candidate.call is None:
        return "only_baseline_calls"
    if baseline.call == candidate.call:
        return "same_call"
    if baseline.call.name != candidate.call.name:
        return "other_tool"
    return cause_of_miss(replace(example, gold=baseline.call, tools=None), candidate)


def label_rows(
    baseline: PlainArm, candidate: PlainArm, *, count: int, seed: int = 42
) -> list[dict[str, Any]]:
    """A simple random sample to be labelled: every row stands for `weight` rows, whatever the arms said.

    Rows are drawn by the hash of their id, so nobody chooses and everybody draws the same. Which arm made
    which proposal is not told, and equal proposals are shown once.

    Raises:
        UsageError: more rows than there are, or none.
    """
    total = len(baseline.examples)
    if not 1 <= count <= total:
        raise UsageError(f"--sample {count} of {total} rows", hint=f"give 1 to {total}")
    drawn = sorted(
        range(total), key=lambda row: sha256_text(f"labels|{seed}|{baseline.examples[row].example_id}")
    )[:count]
    return [_label_row(baseline, candidate, row, weight=total / count) for row in drawn]


def _label_row(baseline: PlainArm, candidate: PlainArm, row: int, *, weight: float) -> dict[str, Any]:
    example = baseline.examples[row]
    proposals = {sha256_json(shown): shown for shown in (_proposal(baseline, row), _proposal(candidate, row))}
    return {
        "id": example.example_id,
        "messages": None if example.messages is None else list(example.messages),
        "query": example.query,
        "tools": None if example.tools is None else list(example.tools),
        "source_example_id": example.source_example_id,
        "proposals": [proposals[key] for key in sorted(proposals)],
        "gold": None,
        "sampling": {"method": "simple random by hash of id", "weight": weight},
    }


def _proposal(arm: PlainArm, row: int) -> dict[str, Any]:
    call = arm.parsed[row].call
    return {"text": arm.generations[row].raw_text} if call is None else {"call": call.to_dict()}


def _load(path: Path | str, *, name: str | None, columns: dict[str, str] | None, reader: str) -> PlainArm:
    file = Path(path) / OUTPUTS if Path(path).is_dir() else path
    rows = import_rows(read_json_lines(file), label=describe_path(file), columns=columns, gold_needed=False)
    if not rows.ids_given:
        raise DataError(f"{describe_path(file)}: the rows have no ids", hint="--map id=COLUMN")
    return PlainArm(
        name or arm_name(path), rows.examples, rows.generations, _read(rows, reader, describe_path(file))
    )


def _read(rows: ImportedRows, name: str, label: str) -> tuple[Parsed, ...]:
    reader = readers.get(name)
    if not reader.native:
        _require_texts(rows.generations, label)
    inputs = readers.inputs_of(rows.examples, rows.generations, prompts=rows.prompts)
    return tuple(reading.parsed for reading in readers.read_rows(reader, inputs))


def _require_texts(generations: Sequence[Generation], label: str) -> None:
    """A call in `tool_calls` is invisible to a reader of texts: no silent `no_json`."""
    for generation in generations:
        message = generation.message or {}
        if message.get("tool_calls") or message.get("function_call"):
            raise EvaluationError(
                f"{label}: the answer to {generation.example_id!r} has its call in `tool_calls`",
                hint="--reader openai_chat.native.v1 reads such messages",
            )


def _require_same_ids(first: PlainArm, second: PlainArm, known: dict[str, int]) -> None:
    missing = [e.example_id for e in first.examples if e.example_id not in known]
    if missing or len(first.examples) != len(second.examples):
        own = {example.example_id for example in first.examples}
        extra = [name for name in known if name not in own]
        raise IdMismatch(
            f"{len(missing)} ids are only in {first.name}, {len(extra)} only in {second.name}, "
            f"first {(missing or extra)[0]!r}",
            hint="both files must hold the same requests",
        )


def _require_same_tasks(first: PlainArm, second: PlainArm) -> None:
    for one, other in zip(first.examples, second.examples, strict=True):
        for name in ("messages", "tools", "query"):
            mine, theirs = getattr(one, name), getattr(other, name)
            if mine is not None and theirs is not None and mine != theirs:
                raise Incomparable(
                    f"{one.example_id!r} has other {name} in {first.name} than in {second.name}",
                    hint="replay the same requests against both",
                )


def _side(arm: PlainArm) -> dict[str, Any]:
    statuses = Counter(parsed.status for parsed in arm.parsed)
    return {
        "arm": arm.name,
        "statuses": {name: statuses[name] for name in ("ok", "no_json", "invalid_json", "invalid_shape")},
        "schema_validity": describe_validity(
            Counter(
                validity(example.tools, found.call)
                for example, found in zip(arm.examples, arm.parsed, strict=True)
                if found.call is not None
            )
        ),
        "truncated": sum(is_truncated(generation) for generation in arm.generations),
        "backend_failed": sum(generation.failure is not None for generation in arm.generations),
    }
