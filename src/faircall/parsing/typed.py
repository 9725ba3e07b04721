"""The fast reader of calls: shape and JSON checked in one pass in C, where that proves what v1 says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import msgspec

from faircall.records import ToolCall
from faircall.strict_json import ALWAYS_WITHIN, has_unique_keys, is_within_limits

_GOES_ON: Final = (",", "]")
"""What stands behind the last closing bracket of a call that is cut off: a guess that saves an attempt."""

_decode_object: Final = msgspec.json.Decoder(ToolCall).decode
_decode_array: Final = msgspec.json.Decoder(tuple[ToolCall]).decode  # an array of exactly one


def decode_call(text: str, decode: Callable[[str], ToolCall] = _decode_object) -> ToolCall | None:
    """The call that is the whole text; None says nothing about the text.

    msgspec accepts less than RFC 8259 (no lone surrogates), and its success can be trusted once limits and
    repeated keys are looked at.
    """
    if len(text) > ALWAYS_WITHIN and not is_within_limits(text):
        return None
    try:
        call = decode(text)
    except (ValueError, RecursionError):
        return None
    # Most calls have a colon for each key that is seen at once, and no other.
    missing = text.count(":") - len(call.arguments) - 2
    if missing:
        for value in call.arguments.values():
            if type(value) is dict:
                missing -= len(value)
        if missing and not has_unique_keys(text, call):
            return None
    return call if call.name else None


def decode_first_call(text: str, start: int) -> tuple[ToolCall, int] | None:
    """The call whose bracket is at `start`, and the offset behind it; None says nothing about the text.

    A JSON value is self-delimiting: what reads as one value from the first bracket to the last closing one is
    what the walk finds.
    """
    alone = text[start] == "{"
    end = text.rfind("}" if alone else "]") + 1
    if end <= start or text[end : end + 1] in _GOES_ON:
        return None
    call = decode_call(text[start:end]) if alone else decode_call(text[start:end], _decode_lone_element)
    return None if call is None else (call, end)


def _decode_lone_element(text: str) -> ToolCall:
    return _decode_array(text)[0]
