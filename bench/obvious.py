"""What one would write first: the baselines that the figures are ratios to.

Parsing and scoring are those of `tests/oracle.py`; resampling draws row by row from `random`.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

import oracle

Totals = list[list[int]]


def score_texts(golds: Sequence[Any], texts: Sequence[str]) -> Totals:
    """Sums of the five components, gold and text walked and flattened for each row."""
    return _add(oracle.components(gold, text) for gold, text in zip(golds, texts, strict=True))


def score_file(path: Path) -> Totals:
    """The same from JSON Lines `{id, raw_text, gold}`."""
    with open(path, encoding="utf-8") as file:
        decoded = (json.loads(line) for line in file)
        return _add(oracle.components(row["gold"], row["raw_text"]) for row in decoded)


def _add(rows: Iterable[list[list[int]]]) -> Totals:
    totals = [[0, 0] for _ in range(5)]
    for row in rows:
        for total, (numerator, denominator) in zip(totals, row, strict=True):
            total[0] += numerator
            total[1] += denominator
    return totals


def bootstrap(baseline: list[Any], candidate: list[Any], *, resamples: int, seed: int) -> list[list[float]]:
    """Percentile bounds of the difference of each metric; rows are `[[numerator, denominator], ...]`."""
    draw = random.Random(seed)
    count, metrics = len(baseline), len(baseline[0])
    differences: list[list[float]] = [[] for _ in range(metrics)]
    for _ in range(resamples):
        chosen = [draw.randrange(count) for _ in range(count)]
        for metric in range(metrics):
            before, after = (
                sum(arm[row][metric][0] for row in chosen) / sum(arm[row][metric][1] for row in chosen)
                for arm in (baseline, candidate)
            )
            differences[metric].append(after - before)
    return [_bounds(sorted(values)) for values in differences]


def _bounds(values: list[float]) -> list[float]:
    rank = (len(values) + 1) // 40
    return [values[rank - 1], values[-rank]]
