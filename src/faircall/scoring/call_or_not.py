"""Calling at all: precision and recall of calls and of silences, where rows say whether a call is due."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from faircall.records import Parsed

Verdict: TypeAlias = bool | None
"""Whether a check holds for a row; None where it does not apply."""


def call_or_not(due: Sequence[bool | None], parsed: Sequence[Parsed]) -> dict[str, list[Verdict]]:
    """One verdict per row for each of the four; nothing when no row says what is due.

    Malformed output is neither a call nor a silence: both recalls count it, and no precision does.

    >>> silent = Parsed(None, "no_json", "no_bracket", calls=())
    >>> call_or_not([False], [silent])["no_call_recall"]
    [True]
    """
    if all(value is None for value in due):
        return {}
    rows = [
        (value, bool(found.all_calls), found.all_calls == ())
        for value, found in zip(due, parsed, strict=True)
    ]
    return {
        "call_precision": [value if called and value is not None else None for value, called, _ in rows],
        "call_recall": [called if value is True else None for value, called, _ in rows],
        "no_call_precision": [
            not value if silent and value is not None else None for value, _, silent in rows
        ],
        "no_call_recall": [silent if value is False else None for value, _, silent in rows],
    }
