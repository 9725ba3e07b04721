"""A gold call in the forms that data sets write it."""

from __future__ import annotations

from typing import Any, Final

from faircall.records import ToolCall
from faircall.strict_json import JsonFault, decode

_KEYS: Final = frozenset(("name", "arguments"))


class GoldFault(ValueError):
    """Why a value is not one gold call: a short reason in `reason`, for a message or a count."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def read_gold_call(value: Any) -> ToolCall:
    """One gold call from an object, the JSON text of one, or a list of exactly one of them.

    Arguments must be an object: text is never decoded a second time.

    Raises:
        GoldFault: anything else, with the reason.

    >>> read_gold_call('[{"name": "wx", "arguments": {"city": "Graz"}}]')
    ToolCall(name='wx', arguments={'city': 'Graz'})
    >>> read_gold_call([{"name": "a", "arguments": {}}, {"name": "b", "arguments": {}}])
    Traceback (most recent call last):
        ...
    faircall.importing.gold_call.GoldFault: holds 2 calls, not one
    """
    if isinstance(value, str):
        value = _decoded(value)
    if isinstance(value, list):
        if len(value) != 1:
            raise GoldFault(f"holds {len(value) or 'no'} calls, not one")
        value = value[0]
    if not isinstance(value, dict):
        raise GoldFault("is not an object with name and arguments")
    if value.keys() != _KEYS:
        raise GoldFault(f"must have exactly the keys name and arguments, not {_names(value)}")
    name, arguments = value["name"], value["arguments"]
    if not isinstance(name, str) or not name:
        raise GoldFault("has a name that is not a non-empty string")
    if not isinstance(arguments, dict):
        raise GoldFault("has arguments that are not an object")
    return ToolCall(name, arguments)


def read_gold_calls(value: Any) -> list[ToolCall]:
    """Every gold call of a row: one, or a list of any number, or the JSON text of either.

    Raises:
        GoldFault: one of them is no call, with the reason.

    >>> len(read_gold_calls([{"name": "a", "arguments": {}}, {"name": "b", "arguments": {}}]))
    2
    """
    if isinstance(value, str):
        value = _decoded(value)
    return [read_gold_call(member) for member in (value if isinstance(value, list) else [value])]


def _decoded(text: str) -> Any:
    try:
        return decode(text)
    except JsonFault as fault:
        reason = "repeats a key" if fault.reason == "duplicate_key" else "is not valid JSON"
        raise GoldFault(f"{reason} (character {fault.offset + 1})") from None


def _names(value: dict[str, Any]) -> str:
    return ", ".join(sorted(value))[:80] or "none"
