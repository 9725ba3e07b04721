"""Put fronts before a reader: the thought is taken away, the rest is read, offsets stay those of the text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from msgspec import structs

from faircall.errors import ConfigError
from faircall.parsing.readers.protocol import Cut, Front, Reader, Reading, ReadingInput, count_ink, fail


def compose(fronts: Sequence[Front], last: Reader) -> Reader:
    """One reader that runs `fronts` from left to right and then `last`; its name joins theirs with `+`.

    Raises:
        ConfigError: `last` is a native reader, which reads no text.
    """
    if fronts and last.native:
        raise ConfigError(
            f"{last.name} reads structured fields, so nothing can be taken from a text before it",
            hint=f"use {last.name} alone",
        )
    reader = last
    for front in reversed(fronts):
        reader = _put_before(front, reader)
    return reader


def _put_before(front: Front, reader: Reader) -> Reader:
    def read(given: ReadingInput) -> Reading:
        return _read_rest(front.cut(given), reader, given)

    return replace(
        reader,
        name=f"{front.name}+{reader.name}",
        summary=f"{front.summary.partition(';')[0]}; then {reader.summary}",
        read=read,
        knows=reader.knows | front.knows,
        example=front.example + reader.example,
    )


def _read_rest(cut: Cut, reader: Reader, given: ReadingInput) -> Reading:
    begin, end = cut.thought or (0, 0)
    hidden = given.text[begin:end]
    before = count_ink(given.text[:begin].removesuffix("<think>"))
    calls = count_calls(reader, replace(given, text=hidden, prompt="")) if hidden else 0
    if cut.reason is not None:
        return Reading(fail(cut.reason), before, count_ink(hidden), calls)
    rest = reader.read(replace(given, text=given.text[cut.start :], prompt=""))
    return replace(
        rest,
        parsed=structs.replace(rest.parsed, span=_shift(rest.parsed.span, cut.start)),
        ignored=rest.ignored + before,
        thought=rest.thought + count_ink(hidden),
        calls_in_thought=rest.calls_in_thought + calls,
    )


def count_calls(reader: Reader, given: ReadingInput) -> int:
    """How many calls of the reader's protocol stand in a text that is not scored."""
    if reader.opens:
        return sum(given.text.count(mark) for mark in reader.opens)
    return int(reader.read(given).parsed.status == "ok")


def _shift(span: tuple[int, int] | None, by: int) -> tuple[int, int] | None:
    return None if span is None else (span[0] + by, span[1] + by)
