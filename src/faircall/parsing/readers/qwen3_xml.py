"""`qwen3_xml.v1`: `<function=N>` with `<parameter=K>V` inside `<tool_call>` (Qwen3-Coder, Qwen3.5).

The values carry no type: the offered schema gives it, or the call is refused as `ambiguous_type`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from faircall.parsing.readers.marked import Block, read_blocks
from faircall.parsing.readers.offered_types import AmbiguousType, parameter_types, value_of
from faircall.parsing.readers.protocol import Reader, Reading, ReadingInput, fail, make_call
from faircall.records import Parsed

OPEN: Final = "<tool_call>"
_FUNCTION: Final = re.compile(r"<tool_call>\s*<function=(?P<name>[^<>\n]*)>\s*")
_PARAMETER: Final = re.compile(r"<parameter=(?P<key>[^<>\n]*)>")
_PARAMETER_END: Final = "</parameter>"
_END: Final = re.compile(r"</function>\s*</tool_call>")
_SPACE: Final = re.compile(r"\s*")


class _Torn(ValueError):
    """The markup is not of the protocol's form; the argument is the reason."""


def read(given: ReadingInput) -> Reading:
    """The only `<tool_call>`: one function, its parameters, every tag closed.

    >>> tool = {"name": "f", "parameters": {"properties": {"x": {"type": "integer"}}}}
    >>> text = "<tool_call><function=f><parameter=x>7</parameter></function></tool_call>"
    >>> read(ReadingInput(text, tools=[tool])).parsed.call
    ToolCall(name='f', arguments={'x': 7})
    """
    text = given.text

    def read_block(start: int) -> Block:
        try:
            name, members, end = _scan(text, start)
        except _Torn as torn:
            return fail(str(torn))
        return _typed(name, members, given.tools), end

    return read_blocks(text, opens=OPEN, read_block=read_block)


def _scan(text: str, start: int) -> tuple[str, list[tuple[str, str]], int]:
    """Name, parameters as written, and the offset behind the call."""
    head = _FUNCTION.match(text, start)
    if head is None:
        raise _Torn(_reason(text, start))
    members = []
    position = head.end()
    while parameter := _PARAMETER.match(text, position):
        end = text.find(_PARAMETER_END, parameter.end())
        if end < 0:
            raise _Torn("unclosed_call")
        members.append((parameter["key"], _unwrap(text[parameter.end() : end])))
        position = _SPACE.match(text, end + len(_PARAMETER_END)).end()  # type: ignore[union-attr]
    tail = _END.match(text, position)
    if tail is None:
        raise _Torn(_reason(text, position))
    return head["name"], members, tail.end()


def _reason(text: str, start: int) -> str:
    return "bad_syntax" if text.find("</tool_call>", start) >= 0 else "unclosed_call"


def _unwrap(body: str) -> str:
    """The value without the one line break that the template puts on either side."""
    return body.removeprefix("\n").removesuffix("\n")


def _typed(name: str, members: list[tuple[str, str]], tools: Sequence[Mapping[str, Any]] | None) -> Parsed:
    keys = [key for key, _ in members]
    if len(set(keys)) != len(keys):
        return fail("duplicate_key")
    try:
        arguments = {
            key: value_of(text, parameter_types(tools, tool=name, parameter=key)) for key, text in members
        }
    except AmbiguousType:
        return fail("ambiguous_type")
    return make_call(name, arguments)


READER: Final = Reader(
    name="qwen3_xml.v1",
    summary="<tool_call><function=N><parameter=K>V</parameter></function></tool_call>, typed by the schema",
    read=read,
    knows=frozenset((OPEN, "<function=")),
    opens=(OPEN,),
    example="<tool_call>\n<function=get_time>\n</function>\n</tool_call>",
)
