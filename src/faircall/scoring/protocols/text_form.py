"""The form of a text under the rule `text`."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import Final

MAX_NORMALISED_CHARS: Final = 10_000
"""Longer texts are compared without Unicode normalisation, which is quadratic in runs of combining marks."""
MAX_TRANSLATIONS: Final = 256


def plain_text(text: str, *, case: str, space: str, table: Mapping[int, str]) -> str:
    r"""NFC; then the characters of `table` replaced, case folded and whitespace collapsed as asked.

    >>> plain_text("Graz,  AT\n", case="fold", space="collapse", table={ord(","): ""})
    'graz at'
    """
    normal = _composed(text).translate(table)
    folded = _composed(normal.casefold()) if case == "fold" else normal
    return " ".join(folded.split()) if space == "collapse" else folded


def _composed(text: str) -> str:
    return unicodedata.normalize("NFC", text) if len(text) <= MAX_NORMALISED_CHARS else text
