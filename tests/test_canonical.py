"""Canonical JSON: one spelling per value, whatever the state of the interpreter."""

import json
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from faircall.canonical import _pieces, canonical_json

values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=6)
    | st.sampled_from(["\ud83d", "\U0001f600", "\x7f\u2028"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=150, deadline=None)
@given(values)
def test_it_is_what_json_dumps_writes_and_so_is_the_way_around(value):
    expected = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    assert canonical_json(value) == expected
    assert "".join(_pieces(value)) == expected


@pytest.mark.parametrize(
    ("value", "error"),
    [
        (float("nan"), ValueError),
        ([float("inf")], ValueError),
        ({1: 2}, TypeError),
        ([{"a": {None: 1}}], TypeError),
        ({"a": {1, 2}}, TypeError),
    ],
)
def test_what_json_does_not_have_is_refused(value, error):
    with pytest.raises(error):
        canonical_json(value)


@pytest.mark.parametrize("deep", [0, 5000])
def test_a_value_that_contains_itself_is_refused(deep):
    inner: list = []
    inner.append({"again": inner})
    value = inner
    for _ in range(deep):
        value = [value]
    with pytest.raises(ValueError, match=r"itself"):
        canonical_json(value)


def test_a_value_may_occur_twice():
    shared = {"a": [1]}
    assert "".join(_pieces([shared, shared])) == canonical_json([shared, shared]) == '[{"a":[1]},{"a":[1]}]'


def test_long_integers_are_exact_under_the_lowest_digit_limit():
    value = {"n": [10**1300 + 7, -(10**700), 10**600]}
    expected = json.dumps(value, separators=(",", ":"))
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(640)
    try:
        written = canonical_json(value)
    finally:
        sys.set_int_max_str_digits(before)
    assert written == expected


def test_depth_past_the_recursion_limit_is_no_matter():
    value: list = []
    for _ in range(5000):
        value = [value]
    assert canonical_json(value) == "[" * 5001 + "]" * 5001
