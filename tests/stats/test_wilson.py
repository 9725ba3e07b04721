import pytest
from statsmodels.stats.proportion import proportion_confint

from faircall.stats.wilson import wilson_interval


@pytest.mark.parametrize(("successes", "n"), [(0, 1), (0, 60), (60, 60), (1, 7), (705, 1000), (916, 1000)])
@pytest.mark.parametrize("level", [0.9, 0.95])
def test_agrees_with_statsmodels(successes, n, level):
    expected = proportion_confint(successes, n, alpha=1 - level, method="wilson")
    interval = wilson_interval(successes, n, level=level)
    assert (interval.lower, interval.upper) == pytest.approx(expected, abs=1e-12)


def test_edges_are_exact_and_empty_is_undefined():
    assert wilson_interval(0, 60).lower == 0.0
    assert wilson_interval(60, 60).upper == 1.0
    assert wilson_interval(0, 0).reason == "no_rows"
