"""The five metrics: the seed's worked example, cases from the field, laws of adding up, an obvious oracle."""

import json
import random
from pathlib import Path

import numpy as np
import pytest

import oracle
from faircall.canonical import canonical_json
from faircall.errors import GoldMissing, InvariantViolation
from faircall.parsing.tool_call import parse_generations
from faircall.records import METRIC_NAMES, Example, Generation, ToolCall
from faircall.scoring.scores import score_rows
from faircall.scoring.totals import metric_values, rows_by_label

CASES = Path(__file__).parent.parent / "cases" / "scoring"


def score(records, **columns):
    examples = [
        Example(str(i), ToolCall(gold["name"], gold["arguments"]), **{k: v[i] for k, v in columns.items()})
        for i, (gold, _) in enumerate(records)
    ]
    generations = [Generation(str(i), text) for i, (_, text) in enumerate(records)]
    return score_rows(examples, generations, parse_generations(generations))


def counts(values):
    return {name: (value.numerator, value.denominator) for name, value in values.items()}


def cases(name):
    lines = (CASES / name).read_text(encoding="ascii").splitlines()
    return [pytest.param(case, id=case["id"]) for case in map(json.loads, lines)]


@pytest.mark.parametrize("case", cases("metrics.jsonl") + cases("worked_example.jsonl"))
def test_cases(case):
    scores = score([(record["gold"], record["generation"]) for record in case["records"]])
    assert {name: value.to_dict() for name, value in metric_values(scores).items()} == case["metrics"]


def mutated(rng, text):
    kind = rng.randrange(6)
    if kind == 0:
        return text
    if kind == 1:
        return json.dumps(json.loads(text), indent=rng.choice([None, 1]))
    if kind == 2:
        return f"Sure: {text} {rng.choice(['', '}', '{x'])}"
    letters = list(text)
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(letters))
        letters[at : at + rng.randint(0, 2)] = rng.choices('{}[],:"\\ 01.e-ab', k=rng.randint(0, 2))
    return "".join(letters)


def test_an_obvious_implementation_agrees_on_mutated_texts():
    rng = random.Random(7)
    golds = [
        {"name": "f", "arguments": {"a": 1, "b": ["x", {"c": None}]}},
        {"name": "g", "arguments": {}},
        {"name": "h", "arguments": {"a": {"b": -0.0, "c": 12345678901234567890}, "": "é"}},
    ]
    records = [(gold, mutated(rng, canonical_json(gold))) for gold in rng.choices(golds, k=4000)]
    scores = score(records)
    expected = [oracle.components(gold, text) for gold, text in records]
    assert scores.components.tolist() == expected
    assert [parsed.status for parsed in scores.parsed] == [oracle.parse(text)[0] for _, text in records]


def test_slices_add_up_and_row_order_is_nothing():
    gold = {"name": "f", "arguments": {"a": 1}}
    texts = [canonical_json(gold), "no", '{"name":"f","arguments":{"a":2,"b":3}}', canonical_json(gold), "[]"]
    labels = ["en", "fr", "en", None, "fr"]
    scores = score([(gold, text) for text in texts], language=labels)
    by_label = rows_by_label(scores)
    rest = np.array([3])
    parts = [counts(metric_values(scores, rows)) for rows in (*by_label.values(), rest)]
    total = counts(metric_values(scores))
    for name in METRIC_NAMES:
        assert tuple(map(sum, zip(*(part[name] for part in parts), strict=True))) == total[name]
    turned = score([(gold, text) for text in reversed(texts)])
    assert counts(metric_values(turned)) == total


def test_no_rows_give_zero_over_zero():
    assert counts(metric_values(score([]))) == dict.fromkeys(METRIC_NAMES, (0, 0))


def test_rows_that_are_not_aligned_are_refused():
    example, generation = Example("a", ToolCall("f", {})), Generation("b", "")
    with pytest.raises(InvariantViolation):
        score_rows([example], [generation], parse_generations([generation]))
    with pytest.raises(InvariantViolation):
        score_rows([example], [], [])
    with pytest.raises(GoldMissing):
        score_rows([Example("b")], [generation], parse_generations([generation]))


def test_what_a_row_carries_is_kept():
    gold = ToolCall("f", {})
    examples = [
        Example("r", gold, language="en", query="q", extra={"level": 1}),
        Example("t", gold, language="fr", source_example_id="r", tools=(), extra={"level": 2}),
        Example("u", gold, extra={"level": 1}),
    ]
    generations = [
        Generation("r", "", prompt_sha256="p", finish_reason="length"),
        Generation("t", "", failure="timeout"),
        Generation("u", ""),
    ]
    scores = score_rows(examples, generations, parse_generations(generations), slice_keys=("level",))
    assert scores.roots == ("r", "r", "u")
    assert scores.labels == ("en", "fr", None)
    assert scores.prompt_sha256 == ("p", None, None)
    assert (scores.truncated, scores.backend_failed) == ({0}, {1})
    assert [digest is None for digest in scores.tasks_sha256] == [False, False, True]
    assert {name: rows.tolist() for name, rows in scores.extra_slices.items()} == {
        "level=1": [0, 2],
        "level=2": [1],
    }
    assert scores.causes == ("no_json:no_bracket", "no_json:backend_failed", "no_json:no_bracket")
