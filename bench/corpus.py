"""Corpora of scored rows from a seed: gold calls, and what a model might have written for each.

`plain` is the usual case: 64% of the texts are the canonical gold call, as a model writes that was trained on
it. In `worst` no text is identical to its gold. In `long` 5 kB of reasoning stand before every text.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from faircall.canonical import canonical_json

TEXT = "graz oslo quiet table window after before seven ticket river small green market station cloud"
WORDS = re.findall("[a-z]+", TEXT)
ARGUMENTS = {
    "city": lambda rng: rng.choice(WORDS).title(),
    "days": lambda rng: rng.randint(1, 30),
    "budget": lambda rng: round(rng.uniform(5, 500), 2),
    "query": lambda rng: " ".join(rng.choices(WORDS, k=rng.randint(2, 6))),
    "tags": lambda rng: rng.sample(WORDS, 2),
    "exact": lambda rng: rng.random() < 0.5,
    "filters": lambda rng: {"near": rng.choice(WORDS), "limit": rng.randint(1, 9)},
    "note": lambda rng: f"Zürich, {rng.choice(WORDS)}",
}
SHARES = {
    "plain": {"same": 64, "respaced": 10, "wrong": 10, "wrapped": 6, "array": 2, "invalid": 4, "prose": 4},
    "worst": {"same": 0, "respaced": 30, "wrong": 30, "wrapped": 20, "array": 5, "invalid": 10, "prose": 5},
    "long": {"same": 64, "respaced": 10, "wrong": 10, "wrapped": 6, "array": 2, "invalid": 4, "prose": 4},
}
REASONING_CHARACTERS = 5_000

Call = dict[str, Any]


def gold_call(rng: random.Random) -> Call:
    names = rng.sample(list(ARGUMENTS), rng.randint(2, 4))
    arguments = {name: ARGUMENTS[name](rng) for name in names}
    return {"name": f"tool_{rng.randrange(40)}", "arguments": arguments}


def _spoilt(gold: Call, rng: random.Random) -> Call:
    arguments = dict(gold["arguments"])
    name = rng.choice(list(arguments))
    if rng.random() < 0.3:
        del arguments[name]
    else:
        arguments[name] = rng.choice(["", 7, "elsewhere", None])
    return {"name": gold["name"] if rng.random() < 0.8 else "tool_99", "arguments": arguments}


WRITERS: dict[str, Callable[[Call, random.Random], str]] = {
    "same": lambda gold, rng: canonical_json(gold),
    "respaced": lambda gold, rng: json.dumps(gold, indent=rng.choice([None, None, 2]), ensure_ascii=False),
    "wrong": lambda gold, rng: canonical_json(_spoilt(gold, rng)),
    "wrapped": lambda gold, rng: f"Sure, here it is: {json.dumps(gold)}. Anything else?",
    "array": lambda gold, rng: canonical_json([gold]),
    "invalid": lambda gold, rng: canonical_json(gold)[: -rng.randint(1, 20)],
    "prose": lambda gold, rng: f"I would rather not: {' '.join(rng.choices(WORDS, k=12))}.",
}


def rows(kind: str, count: int) -> Iterator[dict[str, Any]]:
    """`count` rows `{id, raw_text, gold}` of one kind of corpus; the same every time."""
    rng = random.Random(f"{kind}-{count}")
    kinds, weights = zip(*SHARES[kind].items(), strict=True)
    sentences = [f"So the user asks about {' '.join(rng.choices(WORDS, k=9))}. " for _ in range(200)]
    for number, chosen in enumerate(rng.choices(kinds, weights, k=count)):
        gold = gold_call(rng)
        text = WRITERS[chosen](gold, rng)
        if kind == "long":
            thought = "".join(rng.choices(sentences, k=REASONING_CHARACTERS // 70))
            text = f"{thought}\n{text}"
        yield {"id": f"row-{number:07}", "raw_text": text, "gold": gold}


def write(path: Path, kind: str, count: int) -> Path:
    """The corpus as JSON Lines."""
    with open(path, "w", encoding="utf-8") as file:
        for row in rows(kind, count):
            file.write(json.dumps(row) + "\n")
    return path
