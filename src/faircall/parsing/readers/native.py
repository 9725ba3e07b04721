"""What the native readers share: calls in structured fields, after the server's own parser."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

from faircall.parsing.readers.markers import has_call_markup
from faircall.parsing.readers.protocol import Reading, count_ink, fail, join_calls, make_call
from faircall.parsing.tool_call import parse_tool_call
from faircall.records import Parsed
from faircall.strict_json import JsonFault, decode

ABSENT: Final = object()
"""Stands for a field that a message does not have; null is another thing."""


class NativeCall(NamedTuple):
    """One call as a server sent it: `arguments` is text, an object, or what it should not be."""

    name: Any
    arguments: Any
    is_function: bool = True


def read_calls(calls: Sequence[NativeCall], content: str, *, texts: bool = True) -> Reading:
    """The only call of a message, or why there is none; the content is never read for one.

    Args:
        calls: what the structured fields hold.
        content: the text that came with them.
        texts: whether the protocol sends arguments as text, so that an object is worth counting.
    """
    if not calls:
        missed = has_call_markup(content) or parse_tool_call(content).status == "ok"
        reason = "server_missed_call" if missed else "no_call"
        return Reading(fail(reason), count_ink(content), server_missed=missed)
    found = [read_call(call) for call in calls]
    parsed = found[0] if len(found) == 1 else join_calls(found)
    objects = sum(isinstance(call.arguments, Mapping) for call in calls) if texts else 0
    return Reading(parsed, count_ink(content), object_arguments=objects)


def read_call(call: NativeCall) -> Parsed:
    """One structured call: text arguments are decoded strictly once, objects taken as they are.

    >>> read_call(NativeCall("f", '{"x": 1}')).call
    ToolCall(name='f', arguments={'x': 1})
    >>> read_call(NativeCall("f", "")).status
    'invalid_json'
    """
    if not call.is_function:
        return fail("not_a_function")
    if call.name is ABSENT or call.arguments is ABSENT:
        return fail("missing_keys")
    if call.arguments is None or call.arguments == "":
        return fail("empty_arguments")
    if not isinstance(call.arguments, str):
        return make_call(call.name, call.arguments)
    try:
        return make_call(call.name, decode(call.arguments))
    except JsonFault as fault:
        return fail(fault.reason)


def text_of(content: Any) -> str:
    """The text of a message's content: a string, or the text parts of a list.

    >>> text_of([{"type": "text", "text": "a"}, {"type": "image"}, {"type": "output_text", "text": "b"}])
    'ab'
    """
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = [part.get("text") for part in parts if isinstance(part, Mapping)]
    return "".join(text for text in texts if isinstance(text, str))


def field(value: Any, key: str) -> Any:
    """`value[key]`, `ABSENT` when there is no such field."""
    return value.get(key, ABSENT) if isinstance(value, Mapping) else ABSENT


def as_list(value: Any) -> list[Any]:
    """A list, or what should have been one as its only entry: a broken answer is not a silent one."""
    return value if isinstance(value, list) else [value]


def without_message(text: str) -> Reading:
    """There is no message to read: the row is a text row, and says so."""
    return replace(Reading(fail("no_message")), ignored=count_ink(text))
