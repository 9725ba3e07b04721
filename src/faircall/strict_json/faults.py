"""What is refused, and where: the limits on depth and digits, and the fault that names a reason."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

MAX_DEPTH: Final = 256
"""Levels of nesting; the outermost bracket is level 1."""
MAX_DIGITS: Final = 1_000
"""Digits of an integer literal."""

Reason: TypeAlias = Literal["limit", "unbalanced", "bad_json", "duplicate_key"]


class JsonFault(ValueError):
    """Why a text is not a JSON value here: `reason`, and the character offset where it shows."""

    def __init__(self, reason: Reason, offset: int) -> None:
        super().__init__(f"{reason} at character {offset}")
        self.reason: Reason = reason
        self.offset = offset
