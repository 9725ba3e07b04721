import pytest
from scipy import stats

from faircall.stats.quantiles import incomplete_beta, normal_quantile, normal_tail, t_quantile, t_tail

DEGREES = [1, 2, 3, 7.5, 30, 999, 1_999, 2_001, 1e6]


@pytest.mark.parametrize("probability", [1e-6, 0.025, 0.3, 0.5, 0.9, 0.975, 0.99999])
def test_quantiles_agree_with_scipy(probability):
    assert normal_quantile(probability) == pytest.approx(stats.norm.ppf(probability), rel=1e-9, abs=1e-12)
    for degrees in DEGREES:
        expected = stats.t.ppf(probability, degrees)
        assert t_quantile(probability, degrees) == pytest.approx(expected, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("value", [-3.0, -0.2, 0.0, 0.5, 1.96, 8.0, 30.0])
def test_tails_agree_with_scipy(value):
    assert normal_tail(value) == pytest.approx(stats.norm.sf(value), rel=1e-9)
    for degrees in DEGREES:
        assert t_tail(value, degrees) == pytest.approx(stats.t.sf(value, degrees), rel=1e-8)


def test_incomplete_beta_agrees_with_scipy():
    for x in (0.0, 0.01, 0.4, 0.99, 1.0):
        for a, b in [(0.5, 0.5), (2, 7), (150, 0.5)]:
            assert incomplete_beta(x, a, b) == pytest.approx(stats.beta.cdf(x, a, b), rel=1e-10)
