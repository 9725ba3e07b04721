"""Checks that the author of an extension runs on it: promises, tried on inputs that break promises."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from faircall.parsing.readers import Front, Reader, Reading, ReadingInput
from faircall.records import ToolCall

_PIECES: Final = (
    "", "plain words", "{", "}", "[", "]", '"', "'", "\\", "\ud800", "\x00", "{}", "[]", "NaN", "null",
    "1e999", '{"name": "f", "arguments": {}}', '{"name": "f", "arguments": ', "<think>", "</think>",
    "<tool_call>", "</tool_call>", "[TOOL_CALLS]", "[ARGS]", "<|python_tag|>", "<|message|>", "[f(x=1)]",
    "<function=f>",
)  # fmt: skip
_MESSAGES: Final[tuple[Any, ...]] = (
    None, {}, [], "text", 3, {"content": None}, {"content": "", "tool_calls": []}, {"tool_calls": [None]},
    {"tool_calls": "x"}, {"content": [{"type": "tool_use"}]}, [{"type": "function_call"}], {"output": {}},
)  # fmt: skip
_LONG: Final = 20_000


def check_reader(reader: Reader | Front, *, extra: Iterable[ReadingInput] = ()) -> None:
    """Try a reader (or a front) on its own example and on hostile inputs.

    Args:
        reader: what the entry point `faircall.readers` names.
        extra: further inputs to try, as rows that the author has met.

    Raises:
        AssertionError: what is promised and not kept, with the input.
    """
    _require(bool(reader.name) and "+" not in reader.name, "a reader needs a name without +, which composes")
    _require(bool(reader.summary) and "\n" not in reader.summary, "a reader needs a summary of one line")
    if isinstance(reader, Front):
        _check_front(reader, extra)
        return
    for given in (*_hostile_inputs(), *extra):
        _check_reading(reader, given)
    _check_example(reader)


def _check_reading(reader: Reader, given: ReadingInput) -> None:
    reading = reader.read(given)
    _require(
        isinstance(reading, Reading), f"{reader.name} gives {type(reading).__name__} for {_short(given)}"
    )
    parsed = reading.parsed
    ok = parsed.status == "ok"
    _require(ok == isinstance(parsed.call, ToolCall), f"a call exactly when ok: {parsed} for {_short(given)}")
    _require(ok == (parsed.reason is None), f"a reason exactly when not ok: {parsed} for {_short(given)}")
    start, end = parsed.span or (0, 0)
    _require(
        0 <= start <= end <= len(given.text), f"span {parsed.span} is not in the text of {_short(given)}"
    )
    _require(reader.read(given) == reading, f"{reader.name} reads {_short(given)} in two ways")


def _check_example(reader: Reader) -> None:
    example = reader.example
    given = ReadingInput("", message=example) if reader.native else ReadingInput(example)
    _require(
        reader.read(given).parsed.status == "ok", f"{reader.name} cannot read its own example {example!r}"
    )


def _check_front(front: Front, extra: Iterable[ReadingInput]) -> None:
    for given in (*_hostile_inputs(), *extra):
        cut = front.cut(given)
        _require(0 <= cut.start <= len(given.text), f"the rest starts at {cut.start} in {_short(given)}")
        _require(front.cut(given) == cut, f"{front.name} cuts {_short(given)} in two ways")


def _hostile_inputs() -> Iterable[ReadingInput]:
    for piece in _PIECES:
        yield ReadingInput(piece)
        yield ReadingInput(piece, prompt="<think>\n", tools=[{"name": "f"}])
        yield ReadingInput(piece * (_LONG // max(len(piece), 1)))
        for other in _PIECES:
            yield ReadingInput(piece + other)
    for message in _MESSAGES:
        yield ReadingInput("", message=message)


def _require(kept: bool, promise: str) -> None:
    """An assertion that `python -O` keeps."""
    if not kept:
        raise AssertionError(promise)


def _short(given: ReadingInput) -> str:
    return repr(given)[:200]
