import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from faircall.stats.cluster import (
    design_effect,
    estimate_paired_difference,
    number_roots,
    separate_roots,
    undivided_design_effect,
)

rows = st.lists(st.tuples(st.sampled_from("abcdefgh"), st.integers(0, 1), st.integers(0, 1)), min_size=1)


def columns(data):
    names, baseline, candidate = zip(*data, strict=True)
    return number_roots(names), np.array(baseline), np.array(candidate)


@settings(max_examples=80, deadline=None)
@given(rows)
def test_design_effect_is_its_formula(data):
    roots, baseline, candidate = columns(data)
    difference = candidate - baseline
    delta = difference.mean()
    sums, sizes = np.zeros(roots.count), np.zeros(roots.count)
    for root, value in zip(roots.of_row, difference, strict=True):
        sums[root] += value
        sizes[root] += 1
    spread = np.sum((difference - delta) ** 2)
    if len(set(difference.tolist())) == 1:
        expected = np.sum(sizes**2) / len(data)
    else:
        expected = np.sum((sums - delta * sizes) ** 2) / spread
    assert undivided_design_effect(difference, roots) == pytest.approx(expected)
    assert design_effect(difference, roots) >= 1.0


@settings(max_examples=80, deadline=None)
@given(rows, st.integers(2, 3))
def test_repeating_rows_under_their_roots_changes_no_interval(data, times):
    roots, baseline, candidate = columns(data)
    if not roots.repeated or undivided_design_effect(candidate - baseline, roots) < 1.0:
        return
    once = estimate_paired_difference(baseline, candidate, roots).interval(0.95)
    again_roots, *again = columns(data * times)
    again = estimate_paired_difference(*again, again_roots).interval(0.95)
    assert (again.lower, again.upper) == pytest.approx((once.lower, once.upper), abs=1e-9)


def test_repeating_independent_rows_under_their_roots_changes_no_interval():
    baseline, candidate = np.array([1, 1, 0, 0, 1, 0]), np.array([1, 0, 1, 1, 1, 0])
    alone = estimate_paired_difference(baseline, candidate, separate_roots(6)).interval(0.95)
    twice = estimate_paired_difference(
        np.tile(baseline, 2), np.tile(candidate, 2), number_roots([*"abcdef"] * 2)
    )
    assert twice.method == "tango_design_effect"
    again = twice.interval(0.95)
    assert (again.lower, again.upper) == pytest.approx((alone.lower, alone.upper), abs=1e-12)


def test_sums_by_root_are_whole_numbers_in_the_order_of_ids():
    roots = number_roots(["c", "a", "c", "b"])
    assert roots.sum(np.array([[1, 10], [2, 20], [3, 30], [4, 40]])).tolist() == [[2, 20], [4, 40], [4, 40]]
    assert roots.rows.tolist() == [1, 1, 2]
    assert number_roots([]).sum(np.zeros((0, 2), dtype=np.int64)).shape == (0, 2)


def test_independent_rows_are_left_alone():
    assert not separate_roots(5).repeated
    assert design_effect(np.array([1, 0, 1, 0, 0]), separate_roots(5)) == 1.0
    assert undivided_design_effect(np.array([], dtype=np.int64), separate_roots(0)) == 1.0
