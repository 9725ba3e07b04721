"""Arms for tests: rows of (id, root, label, call or None) against one gold call per root."""

import numpy as np

from faircall.records import Arm, Example, Generation, Parsed, Scores, ToolCall
from faircall.scoring.scores import score_rows

RIGHT = {"city": "Oslo", "units": "celsius"}
WRONG = {"city": "Oslo", "units": "kelvin"}
ANSWERS = {
    "right": ToolCall("weather", RIGHT),
    "args": ToolCall("weather", WRONG),
    "name": ToolCall("climate", RIGHT),
    "none": None,
}


def score(rows) -> Scores:
    """Rows of (id, root or None, label, answer)."""
    gold = ToolCall("weather", RIGHT)
    examples = [Example(key, gold, language=label, source_example_id=root) for key, root, label, _ in rows]
    parsed = [
        Parsed(ANSWERS[answer], "ok") if ANSWERS[answer] else Parsed(None, "no_json", "no_bracket")
        for *_, answer in rows
    ]
    generations = [Generation(key, "", prompt_sha256=f"sha of {key}") for key, *_ in rows]
    return score_rows(examples, generations, parsed)


def arm(rows, name="base") -> Arm:
    return Arm(name, score(rows), identity={})


def simple_arms(pairs, *, label="en"):
    """Two arms over independent rows from (baseline answer, candidate answer) per row."""
    return tuple(
        arm([(f"e{i:04}", None, label, pair[side]) for i, pair in enumerate(pairs)], name)
        for side, name in enumerate(("base", "adapter"))
    )


def languages(answers, *, side=0, name="base"):
    """English roots with French and Hebrew translations; per root and language: both arms' answers."""
    rows = []
    for i, row in enumerate(answers):
        for label, pair in zip(("en", "fr", "he"), row, strict=False):
            key = f"r{i:03}" if label == "en" else f"r{i:03}-{label}"
            rows.append((key, None if label == "en" else f"r{i:03}", label, pair[side]))
    return arm(rows, name)


def shuffled(one: Arm, seed: int) -> Arm:
    """The same arm with its rows in another order."""
    order = np.random.default_rng(seed).permutation(len(one.scores.ids))
    scores = one.scores
    columns = {
        field: tuple(getattr(scores, field)[i] for i in order)
        for field in (
            "ids",
            "roots",
            "labels",
            "parsed",
            "causes",
            "gold_sha256",
            "tasks_sha256",
            "prompt_sha256",
        )
    }
    return Arm(one.name, Scores(components=scores.components[order], **columns), one.identity)
