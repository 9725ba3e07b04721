import hashlib
from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from faircall.stats.streams import IndexStream, philox

MASK = 2**64 - 1


def philox_words(key, count):
    """Philox4x64-10 after Salmon et al. 2011, from the paper; the counter rises before each block."""
    words, counter = [], 0
    while len(words) < count:
        counter += 1
        x, k = [counter & MASK, counter >> 64, 0, 0], [key & MASK, key >> 64]
        for _ in range(10):
            a, b = 0xD2E7470EE14C6C93 * x[0], 0xCA5A826395121157 * x[2]
            x = [(b >> 64) ^ x[1] ^ k[0], b & MASK, (a >> 64) ^ x[3] ^ k[1], a & MASK]
            k = [(k[0] + 0x9E3779B97F4A7C15) & MASK, (k[1] + 0xBB67AE8584CAA73B) & MASK]
        words += x
    return words[:count]


def plain_indices(size, seed, scope, count):
    key = int.from_bytes(hashlib.sha256(f"faircall|{seed}|{scope}".encode()).digest()[:16], "little")
    halves = [half for word in philox_words(key, count) for half in (word & 0xFFFFFFFF, word >> 32)]
    kept = [half * size >> 32 for half in halves if half * size % 2**32 >= 2**32 % size]
    return kept[:count]


def test_raw_words_are_the_documented_cipher():
    key = int.from_bytes(hashlib.sha256(b"faircall|42|overall").digest()[:16], "little")
    assert philox(seed=42, scope="overall").random_raw(9).tolist() == philox_words(key, 9)


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 2**32), st.integers(-5, 5), st.text("abc:é", max_size=5))
def test_indices_are_those_of_the_plain_program(size, seed, scope):
    assert IndexStream(size, seed=seed, scope=scope).take(40).tolist() == plain_indices(size, seed, scope, 40)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(0, 30), max_size=6), st.sampled_from([3, 7, 1000, 3_000_000_001]))
def test_how_many_are_taken_at_a_time_changes_nothing(counts, size):
    apart = IndexStream(size, seed=0, scope="x")
    together = IndexStream(size, seed=0, scope="x").take(sum(counts)).tolist()
    assert [index for count in counts for index in apart.take(count).tolist()] == together


def test_indices_are_uniform():
    counts = Counter(IndexStream(7, seed=0, scope="x").take(70_000).tolist())
    assert sorted(counts) == list(range(7))
    assert stats.chisquare(list(counts.values())).pvalue > 1e-4


def test_seed_and_scope_both_choose_the_stream():
    draws = {tuple(IndexStream(100, seed=s, scope=k).take(8)) for s in (0, 1) for k in ("en", "fr")}
    assert len(draws) == 4
