"""Which answers make no call on purpose: what protocols need whose gold may be "no call".

An answer abstains when its reader found nothing that looks like a call: no bracket, no marker, no structured
call. It does not when it was cut off, when its backend failed, when markup of another protocol or a bare call
stands in it that the reader does not take, or when a call was begun and is malformed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from faircall.parsing.readers.markers import has_call_markup
from faircall.parsing.tool_call import parse_tool_call
from faircall.records import Generation, Parsed

ABSTAINING_REASONS: Final = frozenset(("no_bracket", "no_marker", "no_call"))
CUT_OFF: Final = frozenset(("length", "max_tokens", "max_new_tokens", "model_length"))


def mark_abstentions(generations: Sequence[Generation], parsed: Sequence[Parsed]) -> tuple[Parsed, ...]:
    """`parsed` with `calls=()` where the answer makes no call on purpose; row i of both belongs together.

    >>> rows = [Generation("a", "It is sunny."), Generation("b", "<tool_call> f")]
    >>> [found.calls for found in mark_abstentions(rows, [Parsed(None, "no_json", "no_bracket")] * 2)]
    [(), None]
    """
    return tuple(
        replace(found, calls=()) if _abstains(generation, found) else found
        for generation, found in zip(generations, parsed, strict=True)
    )


def _abstains(generation: Generation, found: Parsed) -> bool:
    if found.reason not in ABSTAINING_REASONS or generation.failure is not None:
        return False
    cut_off = (generation.finish_reason or "").lower() in CUT_OFF
    return not cut_off and not _holds_call(generation.raw_text)


def _holds_call(text: str) -> bool:
    """Whether a call stands in a text in a form that another reader takes."""
    return has_call_markup(text) or bool(parse_tool_call(text).all_calls)
