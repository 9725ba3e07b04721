"""The laws of rounding; the ordinary cases are doctests."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faircall.reporting.numbers import interval, p_value, points, rate

shares = st.floats(min_value=0.0, max_value=1.0, allow_nan=False)


@given(shares)
def test_a_rate_is_shown_as_nought_or_all_exactly_when_it_is(value):
    assert (rate(value) == "0.0%") == (value == 0.0)
    assert (rate(value) == "100.0%") == (value == 1.0)


@given(st.floats(min_value=-1.0, max_value=1.0, allow_nan=False))
def test_a_difference_keeps_its_sign(value):
    text = points(value)
    assert text[0] == ("+" if value > 0 else "-" if value < 0 else "0")


@given(shares, shares)
def test_swapping_the_arms_mirrors_the_text(a, b):
    turned = points(a - b).translate(str.maketrans("+-", "-+"))
    assert points(b - a) == turned


@pytest.mark.parametrize(
    ("lower", "upper", "text"),
    [
        (-0.0369935, 0.0369935, "[-3.7, +3.7]"),
        (0.0004, 0.2, "[+0.04, +20.0]"),
        (None, 0.2, "undefined"),
    ],
)
def test_intervals(lower, upper, text):
    assert interval(lower, upper) == text


def test_a_small_p_value_is_a_bound():
    assert p_value(8.5e-9) == "<0.001"
