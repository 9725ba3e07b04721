"""Gold that was compiled once gives the components that `score` gives."""

import pytest

import faircall
from faircall import score
from faircall.api.prepared_gold import PreparedGold
from faircall.errors import DataError, UsageError

DEEP = {"name": "deep", "arguments": {}}
for _ in range(253):
    DEEP = {"name": "deep", "arguments": {"x": DEEP["arguments"]}}
GOLDS = [
    {"name": "f", "arguments": {"b": 1, "a": ["x", 1.0, True, {"c": None}]}},
    {"name": "f", "arguments": {"a": "\ud83d", "n": 10**25}},
    {"name": "ping", "arguments": {}},
    DEEP,
]
TEXTS = [
    '{"arguments":{"a":["x",1.0,true,{"c":null}],"b":1},"name":"f"}',
    '{"name": "f", "arguments": {"b": 1, "a": ["x", 1, true, {"c": null}]}}',
    '{"arguments":{"a":"\\ud83d","n":10000000000000000000000000},"name":"f"}',
    '{"name": "f", "arguments": {"a": 1, "a": 1}}',
    'yes: [{"arguments":{},"name":"ping"}] {',
    '{"name": "f", "arguments": {"a": "\\":", "b" : ":"}}',
    '{"arguments":' + '{"x":' * 253 + "{}" + "}" * 253 + ',"name":"deep"}',
    '{"name": "f"',
    "no",
    '{"name": "f", "arguments": {"a": ["x", 1.0, 1, {"c": null}, {}], "b": true, "c": 0.0}}',
    '{"name": "g", "arguments": {"a": ["x", 1.0, true, {"c": null}], "b": 1}}',
    '[{"name": "f", "arguments": {"b": {"c": []}, "a": {"0": "x"}}}] so',
    '[{"name": "f", "arguments": {"b": 1}}, 1]',
]


@pytest.mark.parametrize("text", TEXTS)
def test_every_text_against_every_gold_has_the_components_of_score(text):
    texts = [text] * len(GOLDS)
    expected = score(GOLDS, texts).scores.components
    assert PreparedGold(GOLDS).components(texts).tolist() == expected.tolist()


def test_the_deepest_gold_is_found_in_its_canonical_spelling():
    assert PreparedGold([DEEP]).metrics([TEXTS[6]])["full_call_exact_match"].numerator == 1


def test_the_public_name_prepares_gold_and_keeps_nothing_of_the_texts():
    gold = faircall.prepare_gold(GOLDS)
    first = gold.components(TEXTS[:4])
    assert isinstance(gold, faircall.PreparedGold)
    gold.components(["no"] * 4)[:] = 9
    assert gold.components(TEXTS[:4]).tolist() == first.tolist()
    assert gold.components([TEXTS[0]] + ["no"] * 3)[0].tolist() == first[0].tolist()


def test_no_gold_has_no_rows():
    gold = faircall.prepare_gold([])
    assert gold.components([]).shape == (0, 5, 2)
    assert gold.metrics([])["valid_json_rate"].denominator == 0


def test_columns_of_other_lengths_and_gold_that_is_none_are_refused():
    with pytest.raises(UsageError):
        PreparedGold(GOLDS).components(["one"])
    with pytest.raises(DataError):
        PreparedGold([{"name": ""}])
