import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from faircall.stats.evidence import (
    NoDiscordance,
    decide_mean,
    decide_ratio_difference,
    estimate_guarded_difference,
    estimate_guarded_mean,
    no_discordance_bound,
)
from faircall.stats.linearised import LinearisedEstimate, estimate_mean, estimate_ratio_difference


def arm(data, place):
    """(gold, predicted, matched) per root to numerator and denominator."""
    return np.array([[2 * min(m, p, g), p + g] for g, *arms in data for p, m in [arms[place]]])


pair = st.tuples(st.integers(0, 5), st.integers(0, 5))
roots = st.lists(st.tuples(st.integers(1, 5), pair, pair), min_size=2, max_size=30)


@settings(max_examples=80, deadline=None)
@given(roots)
def test_swapping_the_arms_mirrors_and_bounds_stay_inside(data):
    one, other = (
        estimate_ratio_difference(arm(data, a), arm(data, b)).interval(0.95) for a, b in ((0, 1), (1, 0))
    )
    assert (one.lower, one.upper) == pytest.approx((-other.upper, -other.lower), abs=1e-9)
    assert -1.0 <= one.lower <= one.upper <= 1.0


@settings(max_examples=60, deadline=None)
@given(roots)
def test_guarded_mirrors_and_never_collapses(data):
    gold = float(np.mean([g for g, *_ in data]))
    one, other = (
        estimate_guarded_difference(arm(data, a), arm(data, b), gold_pairs=gold, level=0.95).interval(0.95)
        for a, b in ((0, 1), (1, 0))
    )
    assert (one.lower, one.upper) == pytest.approx((-other.upper, -other.lower), abs=1e-9)
    assert one.upper - one.lower > 0.01


@settings(max_examples=60, deadline=None)
@given(roots, st.floats(-0.5, 0.5))
def test_p_value_is_small_exactly_when_the_interval_excludes_the_bound(data, bound):
    estimate = estimate_ratio_difference(arm(data, 0), arm(data, 1))
    interval = estimate.interval(0.95)
    if estimate.standard_error > 1e-9 and interval.lower > -1 and abs(interval.lower - bound) > 1e-9:
        assert (estimate.p_above(bound) < 0.025) == (interval.lower > bound)
    if estimate.standard_error > 1e-9 and interval.upper < 1 and abs(interval.upper - bound) > 1e-9:
        assert (estimate.p_below(bound) < 0.025) == (interval.upper < bound)


def test_standard_error_is_close_to_the_jackknife():
    rng = np.random.default_rng(0)
    data = [
        (int(g), (int(g), int(rng.integers(0, g + 1))), (int(g), int(g))) for g in rng.integers(1, 5, 200)
    ]
    baseline, candidate = arm(data, 0), arm(data, 1)
    left_out = [
        estimate_ratio_difference(np.delete(baseline, g, 0), np.delete(candidate, g, 0)).centre
        for g in range(200)
    ]
    jackknife = math.sqrt(199 / 200 * np.sum((left_out - np.mean(left_out)) ** 2))
    assert estimate_ratio_difference(baseline, candidate).standard_error == pytest.approx(jackknife, rel=0.01)


def test_means_agree_with_scipy():
    values = np.array([0.0, 1.0, -1.0, 2.0, 0.0, 0.5])
    expected = stats.t.interval(0.95, 5, loc=values.mean(), scale=stats.sem(values))
    interval = estimate_mean(values, limit=2.0).interval(0.95)
    assert (interval.lower, interval.upper) == pytest.approx(expected, rel=1e-9)
    guarded = estimate_guarded_mean(values, limit=2.0, level=0.95).interval(0.95)
    extended = np.append(values, [1, -1])
    expected = stats.norm.interval(0.95, loc=extended.mean(), scale=stats.sem(extended))
    assert (guarded.lower, guarded.upper) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("count", [1, 5, 20, 200])
def test_without_discordance_the_wider_guard_is_taken(count):
    same = np.tile([4, 5], (count, 1))
    interval = estimate_guarded_difference(same, same, gold_pairs=2.0, level=0.95).interval(0.95)
    assert interval.upper >= no_discordance_bound(count, level=0.95)
    assert interval.lower == -interval.upper
    mean = estimate_guarded_mean(np.zeros(count), limit=2.0, level=0.95).interval(0.95)
    assert mean.upper >= no_discordance_bound(count, level=0.95)


def test_too_few_roots_are_undefined_not_nan():
    for count in (0, 1):
        empty = np.ones((count, 2), dtype=np.int64)
        estimate = estimate_ratio_difference(empty, empty)
        assert estimate.interval(0.95).reason == "fewer_than_two_roots"
        assert estimate.p_above(0.0) == estimate.p_below(0.0) == 1.0
    assert NoDiscordance(0, "guarded").interval(0.95).reason == "no_rows"
    guarded = estimate_guarded_difference(np.ones((1, 2)), np.ones((1, 2)), gold_pairs=1.0, level=0.95)
    assert guarded.interval(0.95).upper > 0


def test_a_certain_difference_decides_without_dividing_by_zero():
    certain = LinearisedEstimate(0.5, 0.0, 10)
    assert (certain.p_above(0.0), certain.p_below(0.0), certain.p_above(0.5)) == (0.0, 1.0, 0.5)


def test_p_values_without_discordance_follow_the_interval():
    estimate = NoDiscordance(100, "guarded")
    bound = no_discordance_bound(100, level=0.95)
    assert estimate.p_above(-bound) == pytest.approx(0.025)
    assert estimate.p_below(bound) == pytest.approx(0.025)
    assert estimate.p_above(0.0) == 0.5


def test_the_guard_decides_under_minimum_evidence_and_where_the_spread_vanishes():
    same, better = np.tile([2, 4], (30, 1)), np.tile([4, 4], (30, 1))
    for moved, spread, guarded in ((9, True, True), (10, True, False), (30, False, True)):
        candidate = np.where(np.arange(30)[:, None] < moved, better, same)
        plain, guard = decide_ratio_difference(same, candidate, gold_pairs=lambda: 2.0, level=0.95)
        assert (plain.standard_error > 1e-9) == spread
        assert (guard is not None) == guarded
        values = (candidate[:, 0] - same[:, 0]) / 4
        assert (decide_mean(values, discordant=moved, limit=2.0, level=0.95)[1] is not None) == guarded
    assert decide_mean(np.zeros(0), discordant=0, limit=2.0, level=0.95)[1] is None
