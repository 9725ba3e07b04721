"""The exact one-sided bound, against the quantiles of the beta distribution."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta

from faircall.stats.clopper_pearson import rate_bound


@pytest.mark.parametrize("level", [0.9, 0.95, 0.99])
@pytest.mark.parametrize(("found", "among"), [(0, 59), (0, 1), (1, 10), (3, 20), (19, 20), (40, 3000)])
def test_it_is_a_quantile_of_the_beta_distribution(found, among, level):
    assert rate_bound(found, among, level=level) == pytest.approx(
        beta.ppf(level, found + 1, among - found), abs=1e-9
    )


@given(st.integers(0, 300), st.integers(0, 300))
def test_it_lies_above_the_rate_and_falls_as_more_are_looked_at(found, more):
    among = found + more
    bound = rate_bound(found, among)
    assert found <= bound * among + 1e-9
    assert rate_bound(found, among + 1) <= bound <= 1
    assert rate_bound(found + 1, among + 1) >= rate_bound(found, among + 1)


def test_where_all_changed_there_is_no_bound_but_one():
    assert (rate_bound(5, 5), rate_bound(0, 0)) == (1.0, 1.0)
