import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from faircall.stats.quantiles import normal_quantile
from faircall.stats.tango import ScoreEstimate, tango_interval, tango_z

tables = st.tuples(*[st.integers(0, 60)] * 4).filter(lambda t: sum(t) > 0)


@settings(max_examples=60, deadline=None)
@given(tables, st.sampled_from([0.8, 0.95, 0.99]))
def test_bounds_hold_the_estimate_and_are_where_the_statistic_is_z(table, level):
    both, b, c, neither = table
    n = both + b + c + neither
    interval = tango_interval(b, c, n=n, level=level)
    assert -1.0 <= interval.lower <= (c - b) / n <= interval.upper <= 1.0
    assert interval.lower < interval.upper
    z = normal_quantile((1 + level) / 2)
    if interval.lower > -1:
        assert tango_z(b, c, n=n, trial=interval.lower) == pytest.approx(z, abs=1e-4)
    if interval.upper < 1:
        assert tango_z(b, c, n=n, trial=interval.upper) == pytest.approx(-z, abs=1e-4)


@settings(max_examples=60, deadline=None)
@given(tables)
def test_swapping_the_arms_mirrors_the_interval(table):
    both, b, c, neither = table
    n = both + b + c + neither
    one, other = tango_interval(b, c, n=n), tango_interval(c, b, n=n)
    assert (one.lower, one.upper) == pytest.approx((-other.upper, -other.lower), abs=1e-12)


@settings(max_examples=40, deadline=None)
@given(tables, st.floats(-0.99, 0.99))
def test_p_value_is_small_exactly_when_the_interval_excludes_the_bound(table, bound):
    both, b, c, neither = table
    estimate = ScoreEstimate(b, c, both + b + c + neither)
    interval = estimate.interval(0.95)
    if abs(interval.lower - bound) > 1e-9:
        assert (estimate.p_above(bound) < 0.025) == (interval.lower > bound)
    if abs(interval.upper - bound) > 1e-9:
        assert (estimate.p_below(bound) < 0.025) == (interval.upper < bound)


def test_no_discordance_has_the_closed_form():
    z2 = normal_quantile(0.975) ** 2
    for n in (1, 20, 1000, 12.5):
        assert tango_interval(0, 0, n=n).upper == pytest.approx(z2 / (n + z2), abs=1e-12)


def test_edges():
    assert tango_interval(0, 0, n=0).to_dict() == {
        "method": "tango", "level": 0.95, "lower": None, "upper": None, "reason": "no_rows",
    }  # fmt: skip
    assert tango_interval(7, 0, n=7).lower == -1.0
    assert tango_interval(0, 7, n=7).upper == 1.0
    assert tango_z(0, 7, n=7, trial=1.0) == 0.0
    assert tango_z(0, 7, n=7, trial=-1.0) == math.inf


def test_fractional_counts_scale_the_width():
    wide, narrow = tango_interval(3, 8, n=50), tango_interval(6, 16, n=100)
    assert tango_interval(6 / 2, 16 / 2, n=100 / 2) == wide
    assert wide.upper - wide.lower > narrow.upper - narrow.lower
