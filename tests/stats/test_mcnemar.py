import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar

from faircall.stats.mcnemar import mcnemar_exact, mcnemar_mid_p


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 1500), st.integers(0, 1500))
def test_exact_agrees_with_statsmodels(b, c):
    expected = mcnemar([[0, b], [c, 0]], exact=True).pvalue if b + c else 1.0
    assert mcnemar_exact(b, c) == pytest.approx(expected, rel=1e-8)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 1500), st.integers(0, 1500))
def test_mid_p_takes_the_observed_table_half(b, c):
    m, k = b + c, min(b, c)
    observed = stats.binom.pmf(k, m, 0.5)
    expected = 2 * stats.binom.cdf(k, m, 0.5) - observed if b != c else 1 - observed / 2
    assert mcnemar_mid_p(b, c) == pytest.approx(expected if m else 1.0, rel=1e-8)
    assert mcnemar_mid_p(b, c) <= mcnemar_exact(b, c) or b == c == 0


@pytest.mark.parametrize(("b", "c"), [(1000, 1001), (60_000, 61_000), (400_000, 600_000)])
def test_both_ways_of_summing_agree_and_nothing_underflows(b, c):
    assert mcnemar_exact(b, c) == pytest.approx(stats.binomtest(b, b + c).pvalue, rel=1e-7)
    assert 0.0 <= mcnemar_exact(b, c) <= 1.0
