import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from faircall.stats.holm import holm_adjust


@settings(max_examples=50, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_agrees_with_statsmodels(p_values):
    assert holm_adjust(p_values) == pytest.approx(list(multipletests(p_values, method="holm")[1]), abs=1e-12)


def test_no_claims_no_p_values():
    assert holm_adjust([]) == []
