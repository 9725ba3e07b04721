"""How much faster the metrics library is than the obvious code: one object per record, one pass per metric.

    python bench/metrics_speed.py [ROWS]

Both sides get the same rows, must give the same four numbers, and are timed in one process, in turn; the
ratio of the best of three runs is printed. Few classes are the usual case. In the second line all texts are
different, which is the worst case: no work is shared between rows.
"""

from __future__ import annotations

import gc
import json
import random
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from faircall.metrics.aggregator_metrics.accuracy import AccuracyMetric
from faircall.metrics.aggregator_metrics.f1_score import F1ScoreMetric
from faircall.metrics.aggregator_metrics.precision import PrecisionMetric
from faircall.metrics.aggregator_metrics.recall import RecallMetric
from faircall.metrics.unit_metrics.exact_match import ExactMatchMetric

TOOLS = ("click", "type", "scroll", "wait", "drag", "open", "close", "press")
Rows = list[dict[str, Any]]


@dataclass
class Record:
    correct: bool
    golden: Any
    predicted: Any
    metadata: dict[str, Any] = field(default_factory=dict)


def as_text(value: Any) -> str:
    return " ".join(str(value).split()).lower()


def obvious(golden: Rows, predicted: Rows) -> dict[str, float]:
    records = []
    for left, right in zip(golden, predicted, strict=True):
        one, other = as_text(left.get("tool", "")), as_text(right.get("tool", ""))
        records.append(Record(one == other, left, right, {"golden_text": one, "predicted_text": other}))
    accuracy = sum(1 for record in records if record.correct) / len(records)
    positive = [record for record in records if record.predicted.get("tool") == "click"]
    precision = sum(1 for record in positive if record.correct) / len(positive) if positive else 0.0
    actual = [record for record in records if record.golden.get("tool") == "click"]
    recall = sum(1 for record in actual if record.correct) / len(actual) if actual else 0.0
    hits = found = there = 0
    for record in records:
        is_predicted, is_golden = (
            record.predicted.get("tool") == "click",
            record.golden.get("tool") == "click",
        )
        found, there = found + is_predicted, there + is_golden
        hits += record.correct and is_predicted
    p, r = hits / found if found else 0.0, hits / there if there else 0.0
    f1 = 2 * p * r / (p + r) if p + r else 0.0
    return {"accuracy": accuracy, "precision": precision, "recall": recall, "f1_score": f1}


def by_column(golden: Rows, predicted: Rows) -> dict[str, float]:
    results = ExactMatchMetric(key="tool").evaluate(golden, predicted)
    metrics = (
        AccuracyMetric(),
        PrecisionMetric("tool", "click"),
        RecallMetric("tool", "click"),
        F1ScoreMetric("tool", "tool", "click"),
    )
    return {name: value for metric in metrics for name, value in metric.calculate(results).items()}


def few_classes(rows: int) -> tuple[Rows, Rows]:
    draw = random.Random(4)
    texts = [json.dumps({"tool": draw.choice(TOOLS)}) for _ in range(2 * rows)]
    parsed = [json.loads(text) for text in texts]
    return parsed[:rows], parsed[rows:]


def all_different(rows: int) -> tuple[Rows, Rows]:
    draw = random.Random(5)
    golden = [{"tool": f"Answer {number}"} for number in range(rows)]
    return golden, [row if draw.random() < 0.7 else {"tool": f"answer  {n}"} for n, row in enumerate(golden)]


def best_of_three(run: Callable[[Rows, Rows], dict[str, float]], golden: Rows, predicted: Rows) -> float:
    times = []
    for _ in range(3):
        gc.collect()
        start = time.perf_counter()
        run(golden, predicted)
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> None:
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    for make in (few_classes, all_different):
        golden, predicted = make(rows)
        if obvious(golden, predicted) != by_column(golden, predicted):
            raise SystemExit(f"{make.__name__}: the two give different numbers")
        slow, fast = (best_of_three(run, golden, predicted) for run in (obvious, by_column))
        times = f"objects {slow:.3f} s, columns {fast:.3f} s, ratio {slow / fast:.1f}"
        print(f"{make.__name__}, {rows} rows: {times}")


if __name__ == "__main__":
    main()
