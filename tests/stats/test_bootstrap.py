import numpy as np
import pytest
from scipy import stats

from faircall.errors import UsageError
from faircall.stats import bootstrap
from faircall.stats.bootstrap import order_ranks, percentile_bounds, resample_totals
from faircall.stats.streams import IndexStream, philox


def components(roots, seed=0):
    return np.random.default_rng(seed).integers(0, 5, size=(roots, 3, 4))


@pytest.mark.parametrize("roots", [1, 2, 37, 1200])
def test_totals_are_the_sums_of_the_planned_roots(roots):
    values = components(roots)
    totals = resample_totals(values, resamples=99, seed=42, scope="overall")
    plan = IndexStream(roots, seed=42, scope="overall").take(99 * roots).reshape(99, roots)
    assert totals.dtype == np.int64
    assert np.array_equal(totals, values[plan].sum(axis=1))


def test_the_size_of_a_block_changes_nothing(monkeypatch):
    whole = resample_totals(components(50), resamples=199, seed=1, scope="x")
    monkeypatch.setattr(bootstrap, "_BLOCK", 120)
    assert np.array_equal(whole, resample_totals(components(50), resamples=199, seed=1, scope="x"))


def test_three_arms_share_one_plan():
    arms = components(80)
    pairs = [
        resample_totals(arms[:, :, list(p)], resamples=99, seed=0, scope="s")
        for p in ((0, 1), (1, 2), (0, 2))
    ]
    first, second, both = (totals[..., 1] - totals[..., 0] for totals in pairs)
    assert np.array_equal(first + second, both)


def test_counts_have_the_distribution_of_the_plan(monkeypatch):
    values = components(60)
    planned = resample_totals(values, resamples=4999, seed=0, scope="s")
    monkeypatch.setattr(bootstrap, "PLAN_ROOTS", 10)
    counted = resample_totals(values, resamples=4999, seed=0, scope="s")
    assert counted.shape == planned.shape
    for metric in range(3):
        difference = [totals[:, metric, 0] - totals[:, metric, 1] for totals in (planned, counted)]
        assert stats.ks_2samp(*difference).pvalue > 1e-3
    assert "numpy" in bootstrap.stream_name(60)


def test_counts_are_those_of_the_documented_draws(monkeypatch):
    monkeypatch.setattr(bootstrap, "PLAN_ROOTS", 10)
    values = components(500)
    totals = resample_totals(values, resamples=99, seed=3, scope="overall")
    for metric in range(3):
        rows, counts = np.unique(values[:, metric], axis=0, return_counts=True)
        draw = np.random.Generator(philox(seed=3, scope="overall")).multinomial
        assert np.array_equal(totals[:, metric], draw(500, counts / 500, size=99) @ rows)


def test_no_roots_give_zeros():
    assert not resample_totals(np.zeros((0, 2, 4), dtype=np.int64), resamples=99, seed=0, scope="s").any()


def test_sums_that_doubles_cannot_hold_are_refused():
    with pytest.raises(UsageError, match="2\\^53"):
        resample_totals(np.full((2, 1, 1), 2**52), resamples=99, seed=0, scope="s")


@pytest.mark.parametrize(
    ("resamples", "level", "ranks"), [(9999, 0.95, (250, 9750)), (999, 0.9, (50, 950)), (39, 0.95, (1, 39))]
)
def test_bounds_are_order_statistics(resamples, level, ranks):
    assert order_ranks(resamples, level) == ranks
    values = np.random.default_rng(0).permutation(resamples).astype(float)
    assert percentile_bounds(values, level=level) == (ranks[0] - 1, ranks[1] - 1)


@pytest.mark.parametrize(
    ("resamples", "level"), [(10_000, 0.95), (1000, 0.95), (9, 0.95), (9999, 0.0), (9999, 1.0)]
)
def test_resamples_without_exact_bounds_are_refused(resamples, level):
    with pytest.raises(UsageError, match="not whole"):
        order_ranks(resamples, level)
