"""Why an example is not a full exact match: exactly one cause, the first that applies.

A cause is `status:reason` of the parse (`no_json:no_bracket`), or one of `CALL_CAUSES`. `invented` says that
the tool's schema does not know the argument that the gold call does not have.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Any, Final

from faircall.canonical import spell
from faircall.records import Example, Parsed, ToolCall
from faircall.scoring.match import is_equal
from faircall.tools import declared_arguments, find_tool

CALL_CAUSES: Final = (
    "unknown_tool",
    "wrong_tool",
    "missing_argument",
    "unexpected_argument:invented",
    "unexpected_argument",
    "numeric_form",
    "text_form",
    "list_order",
    "wrong_type",
    "wrong_value",
)
MAX_NORMALISED_CHARS: Final = 10_000
"""Longer texts are compared without Unicode normalisation, which is quadratic in runs of combining marks."""

_TYPE_NAMES: Final = {
    type(None): "null", bool: "boolean", int: "number", float: "number", str: "string", list: "array"
}  # fmt: skip
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,299})(\.[0-9]{1,300})?([eE][+-]?[0-9]{1,3})?")


def cause_of_miss(example: Example, parsed: Parsed) -> str:
    """The cause for an example whose prediction is not its gold call in full."""
    if parsed.call is None:
        return f"{parsed.status}:{parsed.reason}"
    if example.gold is None:
        raise ValueError(f"example {example.example_id} has no gold call")
    return (
        _cause_of_name(example, parsed.call)
        or _cause_of_keys(example, parsed.call)
        or _cause_of_values(example.gold, parsed.call)
    )


def _cause_of_name(example: Example, call: ToolCall) -> str | None:
    if example.tools is not None and find_tool(example.tools, call.name) is None:
        return "unknown_tool"
    return "wrong_tool" if example.gold is None or call.name != example.gold.name else None


def _cause_of_keys(example: Example, call: ToolCall) -> str | None:
    gold = example.gold.arguments if example.gold else {}
    if gold.keys() == call.arguments.keys():
        return None
    if gold.keys() - call.arguments.keys():
        return "missing_argument"
    invented = (call.arguments.keys() - gold.keys()) & invented_arguments(example, call)
    return "unexpected_argument:invented" if invented else "unexpected_argument"


def invented_arguments(example: Example, call: ToolCall) -> frozenset[str]:
    """Arguments of a call that the schema of its tool does not know; none when there is no schema to ask."""
    tool = find_tool(example.tools or (), call.name)
    declared = declared_arguments(tool) if tool is not None else None
    return frozenset() if declared is None else frozenset(call.arguments) - declared


def _cause_of_values(gold: ToolCall, call: ToolCall) -> str:
    different = list(differences(gold.arguments, call.arguments))
    if all(_is_number_alike(*pair) for pair in different):
        return "numeric_form"
    if all(_is_text_alike(*pair) for pair in different):
        return "text_form"
    if all(is_reordered(*pair) for pair in different):
        return "list_order"
    return "wrong_type" if any(json_type(a) != json_type(b) for a, b in different) else "wrong_value"


def differences(gold: Any, predicted: Any) -> Iterator[tuple[Any, Any]]:
    """The smallest parts of two values that differ, gold first; a reordered list is one part.

    >>> list(differences({"a": 1, "b": [1, 2], "c": [{"x": 0}]}, {"a": 1, "b": [2, 1], "c": [{"x": "0"}]}))
    [([1, 2], [2, 1]), (0, '0')]
    """
    pending = [(gold, predicted)]
    while pending:
        left, right = pending.pop()
        if is_equal(left, right):
            continue
        if type(left) is type(right) is dict and left and left.keys() == right.keys():
            pending += reversed([(member, right[key]) for key, member in left.items()])
        elif _is_list_pair(left, right) and left and not is_reordered(left, right):
            pending += reversed(list(zip(left, right, strict=True)))
        else:
            yield left, right


def _is_list_pair(left: Any, right: Any) -> bool:
    return isinstance(left, list) and isinstance(right, list) and len(left) == len(right)


def is_reordered(left: Any, right: Any) -> bool:
    """Whether two values are lists of the same members in another order.

    >>> is_reordered([1, 2], [2, 1]), is_reordered([1, 2], [1, 2]), is_reordered([1, 1], [1, 2])
    (True, False, False)
    """
    if not _is_list_pair(left, right):
        return False
    spelt, other = _spellings(left), _spellings(right)
    return spelt != other and sorted(spelt) == sorted(other)


def _spellings(members: Iterable[Any]) -> list[str]:
    return [spell(member) for member in members]


def json_type(value: Any) -> str:
    """`null`, `boolean`, `number`, `string`, `array` or `object`."""
    return _TYPE_NAMES.get(type(value), "object")


def _is_number_alike(left: Any, right: Any) -> bool:
    number = _number(left)
    return number is not None and number == _number(right)


def _number(value: Any) -> int | float | None:
    """A number, or a string that spells one in JSON's grammar."""
    if isinstance(value, str):
        match = _NUMBER.fullmatch(value)
        if match is None:
            return None
        return float(value) if match[1] or match[2] else int(value)
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _is_text_alike(left: Any, right: Any) -> bool:
    return isinstance(left, str) and isinstance(right, str) and _plain_text(left) == _plain_text(right)


def _plain_text(text: str) -> str:
    """NFC, case folded, whitespace collapsed."""
    if len(text) <= MAX_NORMALISED_CHARS:
        text = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())
    return " ".join(text.casefold().split())
