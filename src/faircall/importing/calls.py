"""Gold calls and offered tools out of foreign rows: decoded at most once, never repaired."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from faircall.importing.reasons import Reason, Refused
from faircall.records import ToolCall
from faircall.strict_json import JsonFault, decode
from faircall.tools import tool_name


def decode_text(text: str, *, broken: Reason, repeated: Reason) -> Any:
    """The value of a JSON text; a repeated key has a reason of its own (D3)."""
    try:
        return decode(text)
    except JsonFault as fault:
        raise Refused(repeated if fault.reason == "duplicate_key" else broken) from None


def read_arguments(value: Any, *, may_be_text: bool) -> Mapping[str, Any]:
    """The arguments object. JSON text is decoded exactly once, and only where the form writes text.

    >>> read_arguments('{"city": "Graz"}', may_be_text=True)
    {'city': 'Graz'}
    """
    if isinstance(value, str):
        if not may_be_text:
            raise Refused(Reason.ARGUMENTS_TWICE)
        if not value.strip():
            raise Refused(Reason.ARGUMENTS_EMPTY)
        value = decode_text(value, broken=Reason.ARGUMENTS_NOT_JSON, repeated=Reason.ARGUMENTS_REPEAT_KEY)
        if isinstance(value, str):
            raise Refused(Reason.ARGUMENTS_TWICE)
    if not isinstance(value, Mapping):
        raise Refused(Reason.ARGUMENTS_NOT_OBJECT)
    return value


def make_call(name: Any, arguments: Mapping[str, Any]) -> ToolCall:
    """A call with a name."""
    if not isinstance(name, str) or not name:
        raise Refused(Reason.NAME_INVALID)
    return ToolCall(name, arguments)


def read_tools(value: Any) -> tuple[Mapping[str, Any], ...] | None:
    """The offered tools, as they were written; None where the row says nothing about them."""
    if isinstance(value, str):
        value = decode_text(value, broken=Reason.TOOLS_NOT_JSON, repeated=Reason.TOOLS_REPEAT_KEY)
    if value is None:
        return None
    if not isinstance(value, list) or not all(isinstance(tool, Mapping) for tool in value):
        raise Refused(Reason.TOOLS_NOT_LIST)
    names = [tool_name(tool) for tool in value]
    if None in names:
        raise Refused(Reason.TOOL_NAMELESS)
    if len(set(names)) != len(names):
        raise Refused(Reason.TOOL_REPEATED)
    return tuple(value)
