"""Laws and counts of `multi_call.v1` and its ordered form."""

import sys
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from faircall.errors import DependencyMissing, GoldMissing
from faircall.records import Example, Parsed, ToolCall
from faircall.scoring.match import count_matched, match_call
from faircall.scoring.protocols import NO_CALL, TruthFault, assignment, get
from faircall.scoring.protocols.multi_call import CallList, facts, load_truth, match_calls, read_truth

ANY, ORDERED = get("multi_call.v1"), get("multi_call_ordered.v1")
CALLS = st.builds(
    ToolCall,
    st.sampled_from(["f", "g"]),
    st.dictionaries(st.sampled_from("xyz"), st.integers(0, 2), max_size=3),
)
F, G = ToolCall("f", {"x": 1}), ToolCall("g", {"x": 1, "y": 2})


def made(*calls):
    """What a reader finds for these calls."""
    if len(calls) == 1:
        return Parsed(calls[0], "ok")
    reason = "multiple_calls" if calls else "no_bracket"
    return Parsed(None, "invalid_shape" if calls else "no_json", reason, calls=calls)


def due(*calls, tools=None):
    return Example("e", truth=CallList(calls) if calls else NO_CALL, tools=tools)


@settings(max_examples=80, deadline=None)
@given(CALLS, CALLS)
def test_with_one_call_on_each_side_it_is_the_default_protocol(gold, call):
    assert ANY.match(due(gold), made(call)) == match_call(gold, call)
    assert ORDERED.match(due(gold), made(call)) == match_call(gold, call)


@settings(max_examples=40, deadline=None)
@given(st.lists(CALLS, min_size=1, max_size=4), st.randoms())
def test_gold_scores_one_in_any_order(gold, random):
    shuffled = list(gold)
    random.shuffle(shuffled)
    found = ANY.match(due(*gold), made(*shuffled))
    assert found[:4] == (1, 1, 1, 1)
    assert found.matched == found.gold_pairs == found.predicted_pairs
    assert ORDERED.match(due(*gold), made(*gold)).full == 1


@settings(max_examples=60, deadline=None)
@given(st.lists(CALLS, min_size=1, max_size=4), st.lists(CALLS, min_size=1, max_size=4))
def test_pairs_come_from_the_best_assignment_and_whole_calls_decide_first(gold, predicted):
    def worth(order):
        chosen = [(gold[a], predicted[b]) for a, b in order]
        return (
            sum(left == right for left, right in chosen),
            sum(left.name == right.name for left, right in chosen),
            sum(count_matched(left.arguments, right.arguments) for left, right in chosen),
        )

    if len(gold) <= len(predicted):
        orders = [
            list(zip(range(len(gold)), columns, strict=True))
            for columns in permutations(range(len(predicted)), len(gold))
        ]
    else:
        orders = [
            list(zip(rows, range(len(predicted)), strict=True))
            for rows in permutations(range(len(gold)), len(predicted))
        ]
    assert match_calls(gold, predicted).matched == max(map(worth, orders))[2]


@pytest.mark.parametrize(
    ("gold", "answer", "any_order", "in_order"),
    [
        ((F, G), (F,), (1, 0, 0, 0, 1, 3, 1), (1, 0, 0, 0, 1, 3, 1)),
        ((F,), (F, G), (1, 0, 0, 0, 1, 1, 3), (1, 0, 0, 0, 1, 1, 3)),
        ((F, F), (F, G), (1, 0, 0, 0, 2, 2, 3), (1, 0, 0, 0, 2, 2, 3)),
        ((F, G), (G, F), (1, 1, 1, 1, 3, 3, 3), (1, 0, 0, 0, 2, 3, 3)),
        ((F, F), (F, F), (1, 1, 1, 1, 2, 2, 2), (1, 1, 1, 1, 2, 2, 2)),
        ((F, G), (), (0, 0, 0, 0, 0, 3, 0), (0, 0, 0, 0, 0, 3, 0)),
        ((), (), (1, 1, 1, 1, 1, 1, 1), (1, 1, 1, 1, 1, 1, 1)),
        ((), (F, G), (1, 0, 0, 0, 0, 1, 3), (1, 0, 0, 0, 0, 1, 3)),
    ],
)  # fmt: skip
def test_missing_and_extra_calls_cost(gold, answer, any_order, in_order):
    assert tuple(ANY.match(due(*gold), made(*answer))) == any_order
    assert tuple(ORDERED.match(due(*gold), made(*answer))) == in_order


def test_malformed_output_is_never_an_abstention():
    for found in (Parsed(None, "invalid_json", "bad_json"), Parsed(None, "no_json", "backend_failed")):
        assert ANY.match(due(), found).full == 0
        assert ANY.match(due(F), found)[:5] == (0, 0, 0, 0, 0)


@pytest.mark.parametrize(
    ("gold", "answer", "why"),
    [
        ((F,), (), "no_call"),
        ((), (F,), "unwanted_call"),
        ((F, G), (F,), "missing_call"),
        ((F,), (F, G), "extra_call"),
        ((F,), (ToolCall("h", {}),), "unknown_tool"),
        ((F,), (G,), "wrong_tool"),
        ((F, G), (F, ToolCall("g", {})), "wrong_arguments"),
    ],
)
def test_cause(gold, answer, why):
    tools = ({"name": "f"}, {"name": "g"})
    assert ANY.cause(due(*gold, tools=tools), made(*answer)) == why


def test_order_is_a_cause_of_its_own_where_it_counts():
    assert ORDERED.match(due(F, G), made(G, F)).full == 0
    assert ORDERED.cause(due(F, G), made(G, F)) == "call_order"


def test_facts_count_calls_and_rows_without_one():
    examples = [due(F, G), due(), due(F)]
    found = [made(G, G), made(), Parsed(None, "invalid_json", "bad_json")]
    assert facts(examples, found) == {
        "gold_calls": 3, "made_calls": 2, "right_calls": 1,
        "no_call_rows": 1, "no_call_right": 1, "malformed_rows": 1,
    }  # fmt: skip


def test_gold_is_read_from_a_call_a_list_a_text_or_a_flag():
    row = F.to_dict()
    assert read_truth({"gold": row}) == read_truth({"gold": [row]}) == CallList((F,))
    assert read_truth({"gold": '[{"name": "f", "arguments": {"x": 1}}]'}) == CallList((F,))
    assert read_truth({"gold": []}) == read_truth({"should_call_tool": False}) == NO_CALL
    for gold in (NO_CALL, CallList((F, G))):
        assert load_truth(gold.to_dict()) == gold


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ({}, "has no gold"),
        ({"gold": "["}, "not valid JSON"),
        ({"gold": '{"name": "f", "name": "g", "arguments": {}}'}, "repeats a key"),
        ({"gold": [{"name": "f"}]}, "exactly the keys"),
        ({"gold": [{"name": "", "arguments": {}}]}, "non-empty"),
        ({"gold": [{"name": "f", "arguments": []}]}, "not an object"),
        ({"gold": [{"name": "f", "arguments": {}}], "should_call_tool": False}, "no tool should be called"),
    ],
)
def test_gold_that_cannot_be_used_is_refused(row, says):
    with pytest.raises(TruthFault, match=says):
        read_truth(row)


def test_an_example_without_gold_is_refused():
    with pytest.raises(GoldMissing):
        ANY.match(Example("e"), made(F))


def test_without_scipy_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy.optimize", None)
    with pytest.raises(DependencyMissing) as caught:
        assignment.assign([[(1, 1, 1)]])
    assert "faircall[protocols]" in caught.value.hint


def test_a_name_too_often_is_not_the_same_names():
    assert ANY.match(due(F, F, G), made(F, G, G)).name == 0
