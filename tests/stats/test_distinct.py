import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from faircall.stats import distinct
from faircall.stats.distinct import count_rows, distinct_rows


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.tuples(st.integers(-3, 3), st.integers(0, 2**40), st.integers(-(2**40), 2**40)), min_size=1)
)
def test_distinct_rows_agree_with_numpy(rows):
    table = np.array(rows, dtype=np.int64)
    expected, first, inverse = np.unique(table, axis=0, return_index=True, return_inverse=True)
    places, kinds = distinct_rows(table)
    assert np.array_equal(table[places], expected)
    assert places.tolist() == first.tolist()
    assert kinds.tolist() == inverse.ravel().tolist()


@pytest.mark.parametrize(
    ("low", "high"), [(0, 2), (0, 9), (-1, 2), (0, 2**40)], ids=["few", "many", "negative", "wide"]
)
@pytest.mark.parametrize("block", [64, 1 << 12])
def test_rows_are_counted_as_numpy_counts_them(monkeypatch, low, high, block):
    monkeypatch.setattr(distinct, "_BLOCK", block)
    table = np.random.default_rng(0).integers(low, high, size=(700, 2, 3))
    table[:, 1, 0] = 1
    found = count_rows(table, low=int(table.min()), highs=table.max(axis=0))
    for metric, counted in enumerate(found):
        rows, counts = np.unique(table[:, metric], axis=0, return_counts=True)
        assert np.array_equal(counted.rows, rows)
        assert np.array_equal(counted.counts, counts)


def test_wide_values_alone_are_sorted(monkeypatch):
    sorted_tables = []
    monkeypatch.setattr(distinct, "distinct_rows", lambda t: sorted_tables.append(t) or distinct_rows(t))
    table = np.random.default_rng(1).integers(0, 2, size=(900, 2, 2))
    count_rows(table, low=0, highs=table.max(axis=0))
    assert not sorted_tables
    table[0, 0, 0] = 10**6
    count_rows(table, low=0, highs=table.max(axis=0))
    assert len(sorted_tables) == 2
