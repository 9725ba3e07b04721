"""Rules case by case, arguments with defaults, and the counts of `accepted_values.v1`."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from faircall.records import Example, Parsed, ToolCall
from faircall.scoring.protocols import NO_CALL, TruthFault
from faircall.scoring.protocols.accepted_values import cause, load_truth, match, match_accepted, read_truth
from faircall.scoring.protocols.arguments import read_arguments
from faircall.scoring.protocols.rules import RULES, make_test

CASES = Path(__file__).parents[2] / "cases" / "scoring"


def cases(name):
    lines = (CASES / name).read_text(encoding="utf-8").splitlines()
    return [pytest.param(case, id=case["id"]) for case in map(json.loads, lines)]


@pytest.mark.parametrize("case", cases("rules.jsonl"))
def test_rule(case):
    test = make_test(case["accepted"], case["rule"])
    assert [value for value in case["yes"] if not test(value)] == []
    assert [value for value in case["no"] if test(value)] == []


@pytest.mark.parametrize("case", cases("broken_rules.jsonl"))
def test_a_rule_that_does_not_fit_is_refused(case):
    with pytest.raises(TruthFault) as caught:
        make_test(case["accepted"], case["rule"])
    assert case["says"] in str(caught.value)


def test_every_rule_has_cases():
    kinds = {
        case.values[0]["rule"] if isinstance(case.values[0]["rule"], str) else case.values[0]["rule"]["kind"]
        for case in cases("rules.jsonl")
    }
    assert kinds == RULES.keys()


def test_rules_nest_only_so_deep():
    rule, accepted = "exact", 1
    for _ in range(60):
        rule, accepted = {"kind": "list", "items": rule}, [accepted]
    with pytest.raises(TruthFault, match="deeper than"):
        make_test(accepted, rule)


def test_a_pattern_says_no_where_it_would_be_slow():
    test = make_test(".*b.*", "regex")
    assert test("aba")
    assert not test("a" * 100_000 + "b")


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=60, deadline=None)
@given(JSON)
def test_no_test_raises_whatever_a_model_wrote(value):
    accepted = {
        "exact": 1, "number": 1, "text": "a", "set": [1], "list": [1], "date": "2024-01-01", "regex": "a+",
        "object": {"a": [1]}, "ignore": None,
    }  # fmt: skip
    assert accepted.keys() == RULES.keys()
    for kind, known in accepted.items():
        assert make_test(known, kind)(value) in (True, False)


@settings(max_examples=60, deadline=None)
@given(JSON)
def test_exact_accepts_itself_and_is_the_default(value):
    assert make_test(value, "exact")(value)
    assert read_arguments({"x": [value]})["x"].accepts(value)


def test_an_argument_with_a_default_may_be_left_out_when_its_default_is_accepted():
    accepted = read_arguments(
        {
            "limit": {"values": [10], "default": 10},
            "page": {"values": [2], "default": 1},
            "sort": {"values": ["up"], "optional": True, "default": "none"},
        }
    )
    assert accepted["limit"].may_be_omitted
    assert not accepted["page"].may_be_omitted
    assert not accepted["page"].accepts(1)
    assert accepted["sort"].may_be_omitted
    assert accepted["sort"].accepts("none")


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ([], "no accepted value"),
        ({"values": []}, "no accepted value"),
        ({"rule": "text"}, "no accepted value"),
        ({"values": [1], "when": 2}, "neither a list"),
        ({"values": [1], "optional": 1}, "optional"),
        (7, "neither a list"),
    ],
)
def test_an_argument_that_accepts_nothing_is_refused(spec, says):
    with pytest.raises(TruthFault, match=says):
        read_arguments({"x": spec})


def test_what_is_ignored_needs_no_values_and_still_must_be_there():
    ignored = read_arguments({"x": {"rule": "ignore"}})["x"]
    assert ignored.accepts({"any": "thing"})
    assert not ignored.may_be_omitted


GOLD = {"name": "f", "arguments": {"x": [1, 2], "y": {"values": ["a"], "rule": "text", "optional": True}}}
TOOLS = ({"name": "f", "parameters": {"properties": {"x": {}, "y": {}, "z": {}}}}, {"name": "g"})


def example(truth=GOLD):
    return Example("e", tools=TOOLS, truth=load_truth(truth) if truth is not NO_CALL else NO_CALL)


@pytest.mark.parametrize(
    ("call", "counts", "why"),
    [
        (ToolCall("f", {"x": 1}), (1, 1, 1, 1, 1, 1, 1), None),
        (ToolCall("f", {"x": 2, "y": "A"}), (1, 1, 1, 1, 2, 2, 2), None),
        (ToolCall("f", {"x": 2, "y": "b"}), (1, 1, 0, 0, 1, 2, 2), "wrong_value"),
        (ToolCall("f", {"y": "a"}), (1, 1, 0, 0, 1, 2, 1), "missing_argument"),
        (ToolCall("f", {"x": 1, "z": 1}), (1, 1, 0, 0, 1, 1, 2), "unexpected_argument"),
        (ToolCall("f", {"x": 1, "q": 1}), (1, 1, 0, 0, 1, 1, 2), "unexpected_argument:invented"),
        (ToolCall("f", {}), (1, 1, 0, 0, 0, 1, 1), "missing_argument"),
        (ToolCall("g", {"x": 1}), (1, 0, 1, 0, 1, 1, 1), "wrong_tool"),
        (ToolCall("h", {"x": 1}), (1, 0, 1, 0, 1, 1, 1), "unknown_tool"),
    ],
)
def test_counts_and_causes(call, counts, why):
    parsed = Parsed(call, "ok")
    assert tuple(match(example(), parsed)) == counts
    if why is not None:
        assert cause(example(), parsed) == why


def test_what_does_not_parse_is_a_miss_with_its_pairs_due():
    parsed = Parsed(None, "invalid_json", "bad_json")
    assert tuple(match(example(), parsed)) == (0, 0, 0, 0, 0, 1, 0)
    assert cause(example(), parsed) == "invalid_json:bad_json"


def test_a_call_without_arguments_is_one_pair():
    empty = load_truth({"name": "f", "arguments": {}})
    assert tuple(match_accepted(empty, ToolCall("f", {}))) == (1, 1, 1, 1, 1, 1, 1)
    assert tuple(match_accepted(empty, ToolCall("f", {"x": 1}))) == (1, 1, 0, 0, 0, 1, 1)


def test_no_call_is_right_only_when_none_was_made():
    assert match(example(NO_CALL), Parsed(None, "no_json", "no_bracket", calls=())).full == 1
    malformed = Parsed(None, "invalid_json", "bad_json")
    assert match(example(NO_CALL), malformed).full == 0
    assert cause(example(NO_CALL), malformed) == "invalid_json:bad_json"
    assert cause(example(NO_CALL), Parsed(ToolCall("f", {}), "ok")) == "unwanted_call"


def test_rows_say_no_call_or_what_is_accepted_and_not_both():
    assert read_truth({"should_call_tool": False}) is NO_CALL
    with pytest.raises(TruthFault, match="no tool should be called"):
        read_truth({"should_call_tool": False, "accepted": GOLD})
    with pytest.raises(TruthFault, match="no accepted values"):
        read_truth({"gold": {"name": "f", "arguments": {}}})
    with pytest.raises(TruthFault, match="neither true nor false"):
        read_truth({"should_call_tool": "no"})


def test_the_json_form_gives_the_gold_back():
    for truth in (NO_CALL, load_truth(GOLD)):
        assert load_truth(truth.to_dict()) == truth
