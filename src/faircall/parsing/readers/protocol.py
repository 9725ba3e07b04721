"""What a reader takes and gives: the records that every file of this folder speaks in."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from msgspec import structs

from faircall.records import Parsed, ParseStatus, ToolCall

STATUS_OF_REASON: Final[Mapping[str, ParseStatus]] = {
    "no_bracket": "no_json",
    "no_marker": "no_json",
    "no_call": "no_json",
    "no_message": "no_json",
    "server_missed_call": "no_json",
    "unclosed_reasoning": "no_json",
    "unopened_reasoning": "no_json",
    "limit": "invalid_json",
    "unbalanced": "invalid_json",
    "bad_json": "invalid_json",
    "bad_syntax": "invalid_json",
    "bad_header": "invalid_json",
    "empty_arguments": "invalid_json",
    "unclosed_call": "invalid_json",
    "text_in_call": "invalid_json",
    "text_outside": "invalid_json",
    "duplicate_key": "invalid_shape",
    "empty_array": "invalid_shape",
    "multiple_calls": "invalid_shape",
    "not_an_array": "invalid_shape",
    "not_an_object": "invalid_shape",
    "missing_keys": "invalid_shape",
    "extra_keys": "invalid_shape",
    "name_not_string": "invalid_shape",
    "empty_name": "invalid_shape",
    "arguments_not_object": "invalid_shape",
    "ambiguous_type": "invalid_shape",
    "not_a_function": "invalid_shape",
}
"""Every reason that a built-in reader gives, and the parse status that it belongs to."""


@dataclass(frozen=True, slots=True)
class ReadingInput:
    """What a reader may look at; None where it is not known.

    Attributes:
        text: the raw text, special tokens kept.
        prompt: the stored prompt text that the model continued.
        tools: the offered tools, in any of the usual nestings.
        message: what the server sent: a message, a whole response or its list of items.
        failure: why the backend failed; such a row is never read.
    """

    text: str
    prompt: str | None = None
    tools: Sequence[Mapping[str, Any]] | None = None
    message: Any = None
    failure: str | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """What a reader found, and what it passed over on the way. Counters never change a metric.

    Attributes:
        parsed: the call, or status and reason.
        ignored: characters outside the call that are not whitespace, thoughts not included.
        thought: characters that are not whitespace in a thought.
        calls_in_thought: calls that stand inside a thought; they are never scored.
        object_arguments: 1 when a server gave the arguments as an object where its protocol says text.
        server_missed: whether call markup was left in the content of a message without a call.
    """

    parsed: Parsed
    ignored: int = 0
    thought: int = 0
    calls_in_thought: int = 0
    object_arguments: int = 0
    server_missed: bool = False


@dataclass(frozen=True, slots=True)
class Reader:
    """One declared way to find a call. The name carries the version; what it accepts never changes under it.

    Attributes:
        name: as it stands in the identity and after `--reader`.
        summary: one line for `faircall readers list`.
        read: any input to a `Reading`; never raises.
        knows: the markers (of `markers.py`) that it understands.
        opens: texts of which each opens a call, to count calls inside thoughts; () when it has none.
        native: whether it reads structured fields, so that rates are "after the server's parser".
        example: a raw text (or, for a native reader, a message) that it reads as a call.
    """

    name: str
    summary: str
    read: Callable[[ReadingInput], Reading]
    knows: frozenset[str] = frozenset()
    opens: tuple[str, ...] = ()
    native: bool = False
    example: Any = ""


@dataclass(frozen=True, slots=True)
class Cut:
    """Where the thought of a text ends: `start` is where the rest begins, or `reason` says why none does.

    `thought` is the half-open character range of the thought, None when there is none; what stands before
    it cannot hold a call.
    """

    start: int = 0
    thought: tuple[int, int] | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Front:
    """A step that comes before a reader and takes something away from the text, as a thought."""

    name: str
    summary: str
    cut: Callable[[ReadingInput], Cut]
    knows: frozenset[str] = frozenset()
    example: str = ""


def fail(reason: str, *, span: tuple[int, int] | None = None) -> Parsed:
    """No call, for `reason`; the status follows from it.

    >>> fail("unclosed_call").status
    'invalid_json'
    """
    return Parsed(None, STATUS_OF_REASON[reason], reason, span)


def count_ink(text: str) -> int:
    r"""Characters that are not whitespace.

    >>> count_ink(" a b\n")
    2
    """
    return sum(map(len, text.split()))


def read_call_object(
    value: Any, *, arguments_key: str = "arguments", may_have: frozenset[str] = frozenset()
) -> Parsed:
    """A decoded value as one call: an object of exactly `name` and `arguments_key` (and keys of `may_have`).

    >>> read_call_object({"name": "f", "parameters": {}}, arguments_key="parameters").call
    ToolCall(name='f', arguments={})
    >>> read_call_object([{"name": "f", "arguments": {}}]).reason
    'not_an_object'
    """
    reason = _object_fault(value, {"name", arguments_key}, may_have)
    if reason is not None:
        return fail(reason)
    return make_call(value["name"], value[arguments_key])


def make_call(name: Any, arguments: Any) -> Parsed:
    """A name and arguments as a call, or why they are none.

    >>> make_call("", {}).reason
    'empty_name'
    """
    if type(name) is not str:
        return fail("name_not_string")
    if not name:
        return fail("empty_name")
    if not isinstance(arguments, Mapping):
        return fail("arguments_not_object")
    return Parsed(ToolCall(name, arguments), "ok")


def join_calls(found: Sequence[Parsed]) -> Parsed:
    """Several calls in one answer: `multiple_calls`, with the calls when every one is well-formed.

    >>> call = make_call("f", {})
    >>> len(join_calls([call, call]).calls), join_calls([call, fail("empty_name")]).calls
    (2, None)
    """
    calls = tuple(parsed.call for parsed in found if parsed.call is not None)
    whole = len(calls) == len(found)
    return structs.replace(fail("multiple_calls"), calls=calls if whole else None)


def place(parsed: Parsed, span: tuple[int, int], *, trailing_json: bool = False) -> Parsed:
    """`parsed` with the range of the text that it was read from."""
    return structs.replace(parsed, span=span, trailing_json=trailing_json and parsed.status == "ok")


def _object_fault(value: Any, keys: set[str], may_have: frozenset[str]) -> str | None:
    if type(value) is list and len(value) != 1:
        return "multiple_calls" if value else "empty_array"
    if type(value) is not dict:
        return "not_an_object"
    if not value.keys() >= keys:
        return "missing_keys"
    return None if value.keys() <= keys | may_have else "extra_keys"
