"""One JSON object per example of a scored arm: what an evaluation stores, and what tables are made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from faircall.records import Gold, Scores


def example_records(
    scores: Scores,
    *,
    gold: Sequence[Gold],
    raw_texts: Sequence[str],
    asked: Sequence[str | None],
) -> list[dict[str, Any]]:
    """Status, cause, components, digests, texts and calls of every row, in the order of the rows."""
    slices: list[list[str]] = [[] for _ in scores.ids]
    for name, rows in scores.extra_slices.items():
        for row in rows.tolist():
            slices[row].append(name)
    return [
        {
            "id": scores.ids[row],
            "root": scores.roots[row],
            "language": scores.labels[row],
            "slices": slices[row],
            "status": parsed.status,
            "reason": parsed.reason,
            "span": parsed.span if parsed.span is None else list(parsed.span),
            "trailing_json": parsed.trailing_json,
            "truncated": row in scores.truncated,
            "backend_failed": row in scores.backend_failed,
            "cause": scores.causes[row],
            "components": components,
            "gold_sha256": scores.gold_sha256[row],
            "tasks_sha256": scores.tasks_sha256[row],
            "prompt_sha256": scores.prompt_sha256[row],
            **({} if scores.gold_pairs is None else {"gold_pairs": int(scores.gold_pairs[row])}),
            "gold": gold[row].to_dict(),
            "call": parsed.call.to_dict() if parsed.call is not None else None,
            **({} if parsed.calls is None else {"calls": [call.to_dict() for call in parsed.calls]}),
            "raw_text": raw_texts[row],
            "asked": asked[row],
        }
        for row, (parsed, components) in enumerate(
            zip(scores.parsed, scores.components.tolist(), strict=True)
        )
    ]
