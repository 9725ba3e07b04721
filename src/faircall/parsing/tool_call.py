"""The reader `sommelier.parser.v1`: the first balanced span, exactly one call, nothing repaired."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from faircall.parsing.span import first_bracket, has_bracket
from faircall.parsing.typed import decode_call, decode_first_call
from faircall.records import Generation, Parsed, ParseStatus, ToolCall
from faircall.strict_json import JsonFault, decode_at, is_cut_off, walk

INVALID_JSON_REASONS: Final = ("limit", "unbalanced", "bad_json")
INVALID_SHAPE_REASONS: Final = (
    "duplicate_key",
    "empty_array",
    "multiple_calls",
    "not_an_object",
    "missing_keys",
    "extra_keys",
    "name_not_string",
    "empty_name",
    "arguments_not_object",
)
NO_JSON: Final = Parsed(None, "no_json", "no_bracket")
BACKEND_FAILED: Final = Parsed(None, "no_json", "backend_failed")

_CUT_OFF: Final = Parsed(None, "invalid_json", "unbalanced")
_KEYS: Final = frozenset(("name", "arguments"))


def parse_tool_call(text: str) -> Parsed:
    """The single tool call in a raw generation, or the status and reason why there is none.

    Any `str` gets an answer in time linear in its length; nothing is raised and nothing is repaired. Reasons
    are those of decision D5, the first that applies.

    >>> parse_tool_call('I will call {"name": "wx", "arguments": {"city": "Graz"}}.').call
    ToolCall(name='wx', arguments={'city': 'Graz'})
    >>> parsed = parse_tool_call('{"name": "wx", "parameters": {}}')
    >>> parsed.call, parsed.status, parsed.reason
    (None, 'invalid_shape', 'missing_keys')
    >>> parse_tool_call("It is sunny.").status
    'no_json'
    """
    start = first_bracket(text)
    if start is None:
        return NO_JSON
    found = decode_first_call(text, start)
    if found is None:
        return _read_carefully(text, start)
    call, end = found
    return Parsed(call, "ok", None, (start, end), end < len(text) and has_bracket(text, end))


def read_call(text: str) -> ToolCall | None:
    """`parse_tool_call(text).call`, without a record of how it was found.

    >>> read_call('{"name": "f", "arguments": {}}'), read_call("Sunny.")
    (ToolCall(name='f', arguments={}), None)
    """
    if text[:1] == "{" and text[-1:] == "}":  # most texts that are read for scores
        call = decode_call(text)
        if call is not None:
            return call
    start = first_bracket(text)
    if start is None:
        return None
    found = decode_first_call(text, start)
    return _read_carefully(text, start).call if found is None else found[0]


def _read_carefully(text: str, start: int) -> Parsed:
    if is_cut_off(text, start):
        return _CUT_OFF
    try:
        value, end = decode_at(text, start)
    except JsonFault as fault:
        return _failed(text, start, fault)
    trailing_json = end < len(text) and has_bracket(text, end)
    return read_shape(value, span=(start, end), trailing_json=trailing_json)


def read_shape(value: Any, *, span: tuple[int, int] | None = None, trailing_json: bool = False) -> Parsed:
    """A decoded value as a call: `{"name": non-empty str, "arguments": object}` or a one-element array of it.

    >>> read_shape([{"name": "f", "arguments": {}}]).call
    ToolCall(name='f', arguments={})
    >>> read_shape([]).reason
    'empty_array'
    >>> len(read_shape([{"name": "f", "arguments": {}}] * 2).calls)
    2
    """
    if type(value) is list:
        if len(value) != 1:
            failure = "multiple_calls" if value else "empty_array"
            return Parsed(None, "invalid_shape", failure, span, calls=_several(value))
        value = value[0]
    reason = _shape_fault(value)
    if reason is not None:
        return Parsed(None, "invalid_shape", reason, span)
    return Parsed(ToolCall(value["name"], value["arguments"]), "ok", None, span, trailing_json)


def parse_generations(generations: Iterable[Generation]) -> tuple[Parsed, ...]:
    """What v1 reads in each generation; a failed backend is `no_json` with the reason `backend_failed`."""
    return tuple(
        BACKEND_FAILED if generation.failure is not None else parse_tool_call(generation.raw_text)
        for generation in generations
    )


def _several(values: Sequence[Any]) -> tuple[ToolCall, ...] | None:
    """The calls of an array in which each is well-formed; None for every other."""
    if any(_shape_fault(value) for value in values):
        return None
    return tuple(ToolCall(value["name"], value["arguments"]) for value in values)


def _shape_fault(value: Any) -> str | None:
    if type(value) is not dict:
        return "not_an_object"
    if value.keys() != _KEYS:
        return "extra_keys" if value.keys() >= _KEYS else "missing_keys"
    if type(value["name"]) is not str:
        return "name_not_string"
    if not value["name"]:
        return "empty_name"
    return None if type(value["arguments"]) is dict else "arguments_not_object"


def _failed(text: str, start: int, fault: JsonFault) -> Parsed:
    if fault.reason in ("limit", "unbalanced"):
        return Parsed(None, "invalid_json", fault.reason)
    status: ParseStatus = "invalid_shape" if fault.reason == "duplicate_key" else "invalid_json"
    return Parsed(None, status, fault.reason, (start, walk(text, start).end))
