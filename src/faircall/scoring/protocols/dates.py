"""Dates in declared formats: `iso`, or what `strptime` writes with numbers and English month names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from faircall.scoring.protocols.protocol import TruthFault

ISO: Final = "iso"
MAX_DATE_CHARS: Final = 64
_FORMAT: Final = re.compile(r"(?:[^%]|%[YmdHMSybBfz%])+")


def require_formats(value: Any) -> list[str]:
    """A list of formats that can be used.

    Raises:
        TruthFault: it is no list, or one of them is no format.

    >>> require_formats(["iso", "%d.%m.%Y"])
    ['iso', '%d.%m.%Y']
    """
    if not isinstance(value, list) or not value:
        raise TruthFault("has a date rule whose formats are not a list")
    for form in value:
        if not isinstance(form, str) or not _is_format(form):
            raise TruthFault(f"has a date format {form!r} that cannot be used")
    return value


def _is_format(form: str) -> bool:
    if form == ISO:
        return True
    if len(form) > MAX_DATE_CHARS or not _FORMAT.fullmatch(form):
        return False
    try:
        datetime.strptime(datetime(2024, 2, 29).strftime(form), form)
    except (ValueError, re.error):  # a date that the format cannot hold; a directive twice
        return False
    return True


def read_date(text: str, formats: Sequence[str]) -> datetime | None:
    """The moment that a text names in the first format that fits; None when none does.

    >>> read_date("29.2.2024", ["iso", "%d.%m.%Y"])
    datetime.datetime(2024, 2, 29, 0, 0)
    """
    if len(text) > MAX_DATE_CHARS:
        return None
    for form in formats:
        try:
            return datetime.fromisoformat(text) if form == ISO else datetime.strptime(text, form)
        except ValueError:
            continue
    return None
