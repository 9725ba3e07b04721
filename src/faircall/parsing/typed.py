"""The fast reader of calls: shape and JSON checked in one pass in C, where that proves what v1 says."""

from __future__ import annotations

from typing import Final

import msgspec

from faircall.records import ToolCall
from faircall.strict_json import ALWAYS_WITHIN, has_unique_keys, is_within_limits

_GOES_ON: Final = (",", "]")
"""What stands behind the last closing bracket of a call that is cut off: a guess that saves an attempt."""

_decode_call: Final = msgspec.json.Decoder(ToolCall).decode
_decode_array: Final = msgspec.json.Decoder(tuple[ToolCall]).decode  # an array of exactly one


def decode_call(text: str, start: int) -> tuple[ToolCall, int] | None:
    """The call whose bracket is at `start`, and the offset behind it; None says nothing about the text.

    A JSON value is self-delimiting: what reads as one value from the first bracket to the last closing one is
    what the walk finds. msgspec accepts less than RFC 8259 (no lone surrogates), and its success can be
    trusted once limits and repeated keys are looked at.
    """
    alone = text[start] == "{"
    end = text.rfind("}" if alone else "]") + 1
    if end <= start or text[end : end + 1] in _GOES_ON:
        return None
    span = text[start:end]
    if len(span) > ALWAYS_WITHIN and not is_within_limits(span):
        return None
    try:
        call = _decode_call(span) if alone else _decode_array(span)[0]
    except (ValueError, RecursionError):
        return None
    return (call, end) if call.name and _has_unique_keys(span, call) else None


def _has_unique_keys(span: str, call: ToolCall) -> bool:
    """`has_unique_keys`, for less where all colons belong to the keys that are seen at once."""
    missing = span.count(":") - len(call.arguments) - 2
    if not missing:
        return True
    for value in call.arguments.values():
        if type(value) is dict:
            missing -= len(value)
    return not missing or has_unique_keys(span, call)
