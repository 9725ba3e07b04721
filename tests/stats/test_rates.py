import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from faircall.stats.cluster import number_roots, separate_roots
from faircall.stats.rates import metric_interval, rate_interval
from faircall.stats.wilson import wilson_interval

pairs = st.lists(
    st.tuples(st.integers(0, 4), st.integers(1, 4)).map(lambda t: (min(t) * 2, t[0] + t[1])), min_size=2
)


@settings(max_examples=60, deadline=None)
@given(pairs)
def test_ratio_interval_holds_the_ratio_and_is_never_empty(data):
    numerators, denominators = np.array(data).T
    interval = metric_interval(numerators, denominators)
    assert 0.0 <= interval.lower <= numerators.sum() / denominators.sum() <= interval.upper <= 1.0
    assert interval.lower < interval.upper


@pytest.mark.parametrize("value", [0, 4])
def test_ratio_at_the_edge_counts_roots(value):
    interval = metric_interval(np.full(60, value), np.full(60, 4))
    assert interval.upper - interval.lower == pytest.approx(0.0625, abs=0.002)


def test_rates_of_independent_rows_are_wilson():
    ones = np.ones(50, dtype=np.int64)
    right = np.array([1] * 40 + [0] * 10)
    assert metric_interval(right, ones) == wilson_interval(40, 50)


def test_repeated_rows_under_their_roots_change_no_interval():
    right = np.array([1, 1, 0, 1, 0, 1])
    alone = rate_interval(right, separate_roots(6))
    twice = rate_interval(np.tile(right, 2), number_roots([*"abcdef"] * 2))
    assert twice.method == "wilson_design_effect"
    assert (twice.lower, twice.upper) == pytest.approx((alone.lower, alone.upper))
    ratio, again = (
        metric_interval(np.tile([2, 4, 0], k), np.tile([3, 4, 2], k), number_roots([*"abc"] * k))
        for k in (1, 2)
    )
    assert (again.lower, again.upper) == pytest.approx((ratio.lower, ratio.upper))


def test_empty_and_single_roots_are_undefined():
    empty = np.zeros(0, dtype=np.int64)
    assert metric_interval(empty, empty).reason == "no_rows"
    assert metric_interval(np.array([2]), np.array([3])).reason == "fewer_than_two_roots"
    assert rate_interval(np.array([1]), separate_roots(1)).upper == 1.0
