import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from faircall.stats import sign_flip
from faircall.stats.sign_flip import FLIPS, sign_flip_p, swap_contrast
from faircall.stats.streams import philox


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(-3, 3), max_size=9))
def test_exact_is_the_enumeration(values):
    flips = [
        sum(s * v for s, v in zip(signs, values, strict=True))
        for signs in itertools.product((1, -1), repeat=len(values))
    ]
    expected = np.mean([abs(total) >= abs(sum(values)) for total in flips])
    assert sign_flip_p(np.array(values, dtype=float), seed=0, scope="s") == expected


def test_agrees_with_scipy_on_reals():
    values = np.random.default_rng(1).normal(0.4, 1.0, 12)
    expected = stats.permutation_test(
        (values,), lambda x, axis: x.sum(axis=axis), permutation_type="samples", n_resamples=np.inf
    ).pvalue
    assert sign_flip_p(values, seed=0, scope="s") == pytest.approx(expected)


def test_random_flips_are_close_to_the_exact_binomial():
    values = np.array([1.0] * 25 + [-1.0] * 10)
    assert sign_flip_p(values, seed=0, scope="s") == pytest.approx(stats.binomtest(10, 35).pvalue, abs=0.006)
    assert sign_flip_p(np.ones(60), seed=0, scope="s") == 1 / (FLIPS + 1)


def test_seed_and_scope_choose_the_flips():
    values = np.random.default_rng(0).normal(0.1, 1.0, 40)
    found = {sign_flip_p(values, seed=seed, scope=scope) for seed in (0, 1) for scope in ("a", "b")}
    assert len(found) > 1
    assert sign_flip_p(values, seed=0, scope="a") == sign_flip_p(values, seed=0, scope="a")


def test_nothing_to_flip():
    assert sign_flip_p(np.zeros(5), seed=0, scope="s") == 1.0
    assert sign_flip_p(np.zeros(0), seed=0, scope="s") == 1.0


def test_random_flips_are_the_bits_of_the_documented_words(monkeypatch):
    monkeypatch.setattr(sign_flip, "FLIPS", 50)
    values = np.random.default_rng(0).normal(0.1, 1.0, 70)
    words = philox(seed=3, scope="s|sign_flip").random_raw(100).tolist()
    signs = [[2 * (words[50 * (v // 64) + flip] >> v % 64 & 1) - 1 for v in range(70)] for flip in range(50)]
    as_extreme = sum(abs(np.dot(row, values)) >= abs(values.sum()) - 1e-9 for row in signs)
    assert sign_flip.sign_flip_p(values, seed=3, scope="s") == (as_extreme + 1) / 51


RATIO = (st.integers(0, 4), st.integers(1, 4))
ROOTS = st.lists(st.tuples(*RATIO, *RATIO), max_size=7)


@settings(max_examples=40, deadline=None)
@given(ROOTS.filter(bool))
def test_flipping_contrasts_is_exchanging_arms(rows):
    """Every exchange is carried out on the counts, and the two pooled ratios are compared again."""
    first, second = np.array([row[:2] for row in rows]), np.array([row[2:] for row in rows])
    values = swap_contrast(first, second)
    for signs in itertools.product((1, -1), repeat=len(rows)):
        kept = np.array(signs)[:, None] > 0
        one, two = np.where(kept, first, second).sum(axis=0), np.where(kept, second, first).sum(axis=0)
        difference = two[0] / two[1] - one[0] / one[1]
        assert np.dot(signs, values) == pytest.approx(2 * one[1] * two[1] * difference)


def test_distant_ratios_have_a_small_p_and_binary_ones_that_of_their_surplus():
    first, second = np.tile([[1, 4]], (12, 1)), np.tile([[4, 4]], (12, 1))
    assert sign_flip_p(swap_contrast(first, second), seed=0, scope="s") == 2 / 2**12
    first, second = np.array([[1, 2], [0, 2], [2, 2], [0, 1]]), np.array([[2, 2], [2, 2], [1, 2], [1, 1]])
    surplus = (second - first)[:, 0].astype(float)
    contrasts = swap_contrast(first, second)
    assert sign_flip_p(contrasts, seed=0, scope="s") == sign_flip_p(surplus, seed=0, scope="s")
