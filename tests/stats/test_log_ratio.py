"""The ratio of two costs: its formula against an independent program, its laws, and its guard."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import t as student

from faircall.stats.log_ratio import estimate_log_ratio, guard_log_ratio

roots = st.lists(
    st.tuples(st.integers(1, 10**12), st.integers(0, 3), st.integers(1, 10**12), st.integers(0, 3)),
    min_size=2,
    max_size=40,
).filter(lambda rows: any(row[1] for row in rows) and any(row[3] for row in rows))


def sides(rows):
    table = np.array(rows, dtype=np.int64)
    return table[:, :2], table[:, 2:]


def by_hand(rows, level):
    """The interval of the module's docstring, root by root and without numpy."""
    count = len(rows)
    means = [sum(row[i] for row in rows) / count for i in range(4)]
    influences = [
        row[2] / means[2] - row[3] / means[3] - row[0] / means[0] + row[1] / means[1] for row in rows
    ]
    error = math.sqrt(sum(value * value for value in influences) / (count * (count - 1)))
    centre = math.log(means[2] / means[3]) - math.log(means[0] / means[1])
    half = student.ppf((1 + level) / 2, count - 1) * error
    return math.exp(centre), math.exp(centre - half), math.exp(centre + half)


@given(roots, st.sampled_from([0.8, 0.95, 0.99]))
@settings(max_examples=60, deadline=None)
def test_the_interval_is_the_one_of_the_formula(rows, level):
    ratio, lower, upper = by_hand(rows, level)
    estimate = estimate_log_ratio(*sides(rows))
    assert estimate.ratio == pytest.approx(ratio, rel=1e-9)
    interval = estimate.interval(level)
    if interval.reason is None:
        assert (interval.lower, interval.upper) == pytest.approx((lower, upper), rel=1e-6)
    else:
        assert upper / lower == pytest.approx(1, rel=1e-9)


@given(roots)
@settings(max_examples=40, deadline=None)
def test_exchanging_the_arms_inverts_ratio_and_bounds(rows):
    baseline, candidate = sides(rows)
    there, back = estimate_log_ratio(baseline, candidate), estimate_log_ratio(candidate, baseline)
    assert there.ratio * back.ratio == pytest.approx(1)
    for one, other in ((there, back), (guarded(baseline, candidate), guarded(candidate, baseline))):
        bounds, mirrored = one.interval(0.95), other.interval(0.95)
        if bounds.reason is None:
            assert bounds.lower * mirrored.upper == pytest.approx(1)


def guarded(baseline, candidate):
    plain = estimate_log_ratio(baseline, candidate)
    return guard_log_ratio(plain, baseline, candidate) or plain


@given(roots, st.integers(2, 5))
@settings(max_examples=40, deadline=None)
def test_repeating_every_row_of_a_root_changes_nothing(rows, times):
    """Source: the law of clustered intervals in the statistics document."""
    once = estimate_log_ratio(*sides(rows))
    more = estimate_log_ratio(*(side * times for side in sides(rows)))
    assert (more.centre, more.standard_error) == pytest.approx((once.centre, once.standard_error), abs=1e-12)


def test_a_slower_clock_of_one_arm_moves_the_ratio_alone():
    baseline, candidate = sides([(10, 1, 20, 1), (30, 0, 10, 1), (20, 1, 40, 0)])
    one = estimate_log_ratio(baseline, candidate)
    other = estimate_log_ratio(baseline, candidate * [3, 1])
    assert other.ratio == pytest.approx(3 * one.ratio)
    assert other.standard_error == pytest.approx(one.standard_error)


def test_without_two_roots_or_any_spread_there_are_no_bounds():
    assert estimate_log_ratio(*sides([(1, 1, 2, 1)])).interval(0.95).reason == "fewer_than_two_roots"
    assert estimate_log_ratio(*sides([(1, 1, 2, 1)] * 4)).interval(0.95).reason == "no_spread"


def test_the_guard_keeps_the_interval_of_equal_answers_open():
    """Both arms right on the same roots and steady times: the spread alone would claim to know the ratio."""
    baseline, candidate = sides([(1000 + i, i % 2, 2000 + 2 * i + i % 3, i % 2) for i in range(40)])
    plain = estimate_log_ratio(baseline, candidate)
    guard = guard_log_ratio(plain, baseline, candidate)
    assert plain.interval(0.95).upper / plain.interval(0.95).lower < 1.001
    assert guard.interval(0.95).upper / guard.interval(0.95).lower > 1.2
    assert guard.centre == plain.centre
    assert guard.interval(0.95).method == "guarded_log_linearised_t"


def test_the_guard_never_narrows_and_stands_aside_at_ten_discordant_roots():
    rng = np.random.default_rng(3)
    for discordant in range(12):
        table = np.stack([rng.integers(1, 9, 30), np.ones(30), rng.integers(1, 9, 30), np.ones(30)], axis=1)
        table[:discordant, 3] = 0
        baseline, candidate = table[:, :2], table[:, 2:]
        plain = estimate_log_ratio(baseline, candidate)
        guard = guard_log_ratio(plain, baseline, candidate)
        assert (guard is None) == (discordant >= 10)
        assert guard is None or guard.standard_error >= plain.standard_error


def test_an_interval_beyond_what_floats_hold_is_undefined():
    """Two roots with opposite times, at a level where Student's t is in the hundreds."""
    ratio = estimate_log_ratio(np.array([[1, 1], [1000, 1]]), np.array([[1000, 1], [1, 1]]))
    assert ratio.interval(0.99).lower > 0
    assert (ratio.interval(0.999).lower, ratio.interval(0.999).reason) == (None, "out_of_range")
