"""pass@k and pass^k against counting every choice of k answers."""

from itertools import combinations

import pytest

from faircall.stats.pass_at_k import pass_at_k, pass_hat_k, summarise_samples


@pytest.mark.parametrize("n", [1, 2, 5, 6])
def test_both_are_what_counting_gives(n):
    rights = range(n + 1)
    for k in range(1, n + 1):
        some, every = [], []
        for right in rights:
            picks = list(combinations([True] * right + [False] * (n - right), k))
            some.append(sum(any(pick) for pick in picks) / len(picks))
            every.append(sum(all(pick) for pick in picks) / len(picks))
        assert pass_at_k(list(rights), n, k=k) == pytest.approx(sum(some) / len(some))
        assert pass_hat_k(list(rights), n, k=k) == pytest.approx(sum(every) / len(every))


def test_with_one_answer_both_are_the_rate():
    summary = summarise_samples([1, 0, 1, 1], 1)
    assert summary["pass_at_k"] == summary["pass_hat_k"] == {"1": 0.75}


def test_nothing_is_undefined_and_no_zero():
    assert summarise_samples([], 3)["pass_at_k"] is None
