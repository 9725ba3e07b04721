"""The checks for extension authors: they pass what is right, and fail what is not."""

from dataclasses import replace

import pytest

from faircall.parsing import readers
from faircall.parsing.readers import Cut, Front, Reader, Reading, ReadingInput
from faircall.records import Parsed, ToolCall
from faircall.testing import check_reader

HERMES = readers.READERS.get("hermes.v1")


@pytest.mark.parametrize("name", readers.names())
def test_every_built_in_reader_passes(name):
    check_reader(readers.READERS.get(name))


def test_a_composition_is_checked_by_its_parts():
    with pytest.raises(AssertionError, match="composes"):
        check_reader(readers.get("think.v1+hermes.v1"))


def raises(given):
    raise ValueError("not JSON")


def call_with_reason(given):
    return Reading(Parsed(ToolCall("f", {}), "ok", "but"))


def failure_without_reason(given):
    return Reading(Parsed(None, "no_json"))


def span_outside(given):
    return Reading(Parsed(None, "no_json", "no_marker", (0, len(given.text) + 1)))


def bare(given):
    return Parsed(None, "no_json", "no_marker")


def never(given):
    return Reading(Parsed(None, "no_json", "no_marker"))


@pytest.mark.parametrize(
    "read",
    [raises, call_with_reason, failure_without_reason, span_outside, bare, never],
    ids=lambda f: f.__name__,
)
def test_a_reader_that_breaks_a_promise_fails(read):
    with pytest.raises((AssertionError, ValueError)):
        check_reader(replace(HERMES, read=read))


def test_a_reader_that_answers_in_two_ways_fails():
    answers = iter(range(10_000))
    with pytest.raises(AssertionError, match="two ways"):
        check_reader(
            Reader(
                "odd.v1",
                "x",
                lambda given: Reading(readers.get("hermes.v1").read(given).parsed, next(answers)),
            )
        )


def test_a_reader_that_finds_a_call_in_no_text_fails():
    def read(given):
        call = ToolCall("f", {})
        return HERMES.read(given) if given.text else Reading(Parsed(call, "ok", None))

    with pytest.raises(AssertionError, match="a call in no text"):
        check_reader(replace(HERMES, read=read))


def test_extra_inputs_are_tried():
    def read(given):
        return raises(given) if given.text == "mine" else HERMES.read(given)

    with pytest.raises(ValueError, match="not JSON"):
        check_reader(replace(HERMES, read=read), extra=[ReadingInput("mine")])


def test_a_front_that_cuts_outside_fails():
    with pytest.raises(AssertionError, match="rest starts"):
        check_reader(Front("front.v1", "x", lambda given: Cut(start=len(given.text) + 1)))
