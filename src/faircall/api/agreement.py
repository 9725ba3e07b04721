"""Two arms without gold: where they agree, how they differ, and whether their calls fit the tools' schemas.

Agreement is not accuracy: two arms can agree on a wrong call. Classes take the baseline's call for the
expected one, with the words of the diagnosis.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

import numpy as np
from msgspec.structs import replace

from faircall.api.agreement_arms import PlainArm
from faircall.digest import sha256_json, sha256_text
from faircall.errors import UsageError
from faircall.records import Example, Parsed
from faircall.scoring.causes import cause_of_miss
from faircall.scoring.schema_validity import describe_validity, validity
from faircall.scoring.scores import is_truncated
from faircall.stats.cluster import number_roots
from faircall.stats.rates import rate_interval

SCHEMA_VERSION: Final = "faircall.agreement_report.v1"
AGREED: Final = ("same_call", "both_without_call")


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
