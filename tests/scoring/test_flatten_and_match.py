"""Pairs: injective paths, and a count that never needs them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from faircall.records import ToolCall
from faircall.scoring.flatten import flatten_arguments
from faircall.scoring.match import count_matched, count_pairs, match_call

leaves = st.sampled_from([None, True, False, 0, 1, -0.0, 0.0, 1.0, "1", "", {}, [], "é", 10**30])
keys = st.sampled_from(["a", "b", "", "a.b", "0", "a[0]", '"', "<root>", "a]", '["a"]', "é"])
values = st.recursive(
    leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3), max_leaves=8
)
arguments = st.dictionaries(keys, values, max_size=4)


def test_the_seeds_example_gives_five_pairs():
    pairs = flatten_arguments(
        {"city": "Paris", "filters": {"max_price": 120, "tags": ["romantic", "quiet"]}, "options": {}}
    )
    assert pairs == {
        "city": '"Paris"',
        "filters.max_price": "120",
        "filters.tags[0]": '"romantic"',
        "filters.tags[1]": '"quiet"',
        "options": "{}",
    }


def test_odd_keys_are_quoted():
    pairs = flatten_arguments(
        {"": {"a": 1}, "a.b": 2, "a[0]": 3, 'q"': 4, "<root>": {}, "x]": 5, "é": {"": []}}
    )
    assert pairs == {
        '[""].a': "1",
        '["a.b"]': "2",
        '["a[0]"]': "3",
        '["q\\""]': "4",
        '["<root>"]': "{}",
        '["x]"]': "5",
        'é[""]': "[]",
    }


@pytest.mark.parametrize("key", [0, 1, None, ("a",), b"a"])
def test_keys_that_json_does_not_have_are_refused(key):
    with pytest.raises(TypeError, match="object keys must be strings"):
        flatten_arguments({"a": [{key: 1}]})


@settings(max_examples=200, deadline=None)
@given(arguments, arguments)
def test_counting_side_by_side_is_comparing_printed_pairs(gold, predicted):
    left, right = flatten_arguments(gold), flatten_arguments(predicted)
    assert (count_pairs(gold), count_pairs(predicted)) == (len(left), len(right))
    assert count_matched(gold, predicted) == len(left.items() & right.items())
    assert (left == right) == (ToolCall("f", gold) == ToolCall("f", predicted))


@settings(max_examples=100, deadline=None)
@given(arguments)
def test_gold_matches_itself_and_key_order_is_nothing(value):
    turned = dict(reversed(value.items()))
    match = match_call(ToolCall("f", value), ToolCall("f", turned))
    assert match.full == 1
    assert 2 * match.matched == match.gold_pairs + match.predicted_pairs


def test_a_long_key_over_many_leaves_is_counted_in_linear_time():
    value = {"k" * 1_000_000: [1] * 100_000}
    assert count_matched(value, value) == count_pairs(value) == 100_000
