"""Where JSON begins in a text, and whether more of it follows."""

from __future__ import annotations


def first_bracket(text: str) -> int | None:
    """The offset of the first opening brace or square bracket, None when there is none.

    >>> first_bracket('Sure: [{"name": 1}]')
    6
    """
    brace = text.find("{")
    if brace == 0:
        return 0
    square = text.find("[") if brace < 0 else text.find("[", 0, brace)
    found = square if square >= 0 else brace
    return found if found >= 0 else None


def has_bracket(text: str, start: int) -> bool:
    """Whether an opening brace or square bracket stands at or behind `start`.

    >>> has_bracket('{} and {}', 2)
    True
    """
    return text.find("{", start) >= 0 or text.find("[", start) >= 0
