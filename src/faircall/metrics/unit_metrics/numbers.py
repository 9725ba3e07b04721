"""Reading numbers out of values."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import Any, Final

MAX_DIGITS: Final = 1_000
"""A longer text is no number, nor is one of more digits before the point: the limit of the JSON reader."""


def read_number(value: Any) -> Decimal | None:
    """The number that `value` is, or that its text writes, exactly; None for anything else and for NaN.

    Booleans are no numbers. Python's underscores are not digits.

    >>> read_number(3), read_number(" 1.50 "), read_number(True), read_number("1_000"), read_number("nan")
    (Decimal('3'), Decimal('1.50'), None, None, None)
    """
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    text = value.strip() if isinstance(value, str) else repr(value)
    if len(text) > MAX_DIGITS or "_" in text:
        return None
    try:
        number = Decimal(text)
    except InvalidOperation:
        return None
    if number.is_finite():
        return number if number.adjusted() < MAX_DIGITS else None
    return None if number.is_nan() else number
