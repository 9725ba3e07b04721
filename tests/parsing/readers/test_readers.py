"""Every reader: its table of cases, its own example, and the laws that hold for all of them."""

import json
import string
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from faircall.errors import ConfigError
from faircall.parsing import readers
from faircall.parsing.readers.literals import Tokens, read_literal
from faircall.parsing.readers.protocol import STATUS_OF_REASON, Front, Reader, Reading, ReadingInput
from faircall.parsing.tool_call import parse_tool_call
from faircall.records import PARSER_VERSION

CASES = Path(__file__).parent.parent.parent / "cases" / "parsing" / "readers"
COUNTERS = ("ignored", "thought", "calls_in_thought", "object_arguments", "server_missed")
COMPOSED = ["think.v1+hermes.v1", "think_until_call.v1+qwen3_xml.v1", "think.v1+pythonic.v1"]
ALL = [*readers.names(), *COMPOSED]


def cases():
    for path in sorted(CASES.glob("*.jsonl")):
        for case in map(json.loads, path.read_text(encoding="ascii").splitlines()):
            name = case.get("reader", path.stem)
            yield pytest.param(name, case, id=f"{name}/{case['id']}")


def input_of(case):
    return ReadingInput(case["text"], case.get("prompt"), case.get("tools"), case.get("message"))


@pytest.mark.parametrize(("name", "case"), list(cases()))
def test_cases(name, case):
    reading = readers.get(name).read(input_of(case))
    parsed = reading.parsed
    assert (parsed.status, parsed.reason) == (case["status"], case["reason"])
    assert (parsed.call and parsed.call.to_dict()) == case["call"]
    for counter in COUNTERS:
        if counter in case:
            assert getattr(reading, counter) == case[counter], counter


@pytest.mark.parametrize("name", [name for name in readers.names() if name != PARSER_VERSION])
def test_every_reader_has_a_table_of_cases(name):
    lines = (CASES / f"{name}.jsonl").read_text(encoding="ascii").splitlines()
    statuses = {json.loads(line)["status"] for line in lines}
    assert len(lines) >= 15
    assert {"ok", "no_json"} <= statuses


@pytest.mark.parametrize("name", ALL)
def test_the_example_of_a_reader_is_read_as_a_call(name):
    reader = readers.get(name)
    given_example = (
        ReadingInput("", message=reader.example) if reader.native else ReadingInput(reader.example)
    )
    assert reader.read(given_example).parsed.status == "ok"


MARKUP = [
    "<think>", "</think>", "<tool_call>", "</tool_call>", "<function=f>", "</function>", "<parameter=x>",
    "</parameter>", "<|python_tag|>", "[TOOL_CALLS]", "[ARGS]", "<|channel|>commentary to=functions.f",
    "<|message|>", "<|end|>", "<|call|>", "<|start|>assistant", '{"name": "f", "arguments": {}}', "[f(x=1)]",
    "[f(", "x='", "'", '"', "{", "}", "[", "]", ",", "\\", "\ud800", "\x00", "1e999", "True", ")", "\n",
]  # fmt: skip
TEXTS = st.lists(st.sampled_from(MARKUP) | st.text(max_size=6), max_size=12).map("".join)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(["tool_use", "function", "", "x"]),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(["type", "name", "arguments", "function", "tool_calls", "content", "output", "input",
                         "function_call", "text", "parameters", "properties", "enum", "anyOf", "choices"]),
        inner, max_size=4,
    ),
    max_leaves=12,
)  # fmt: skip
INPUTS = st.builds(
    ReadingInput,
    TEXTS,
    st.none() | TEXTS,
    st.none()
    | st.lists(st.dictionaries(st.sampled_from(["name", "parameters", "function"]), JSON, max_size=3)),
    JSON,
)


@settings(max_examples=60, deadline=None)
@pytest.mark.parametrize("name", ALL)
@given(given_input=INPUTS)
def test_reading_never_raises_and_every_failure_has_a_known_reason(name, given_input):
    reading = readers.get(name).read(given_input)
    assert isinstance(reading, Reading)
    parsed = reading.parsed
    assert (parsed.call is not None) == (parsed.reason is None) == (parsed.status == "ok")
    assert parsed.reason is None or STATUS_OF_REASON[parsed.reason] == parsed.status
    assert min(getattr(reading, counter) for counter in COUNTERS) >= 0
    start, end = parsed.span or (0, 0)
    assert 0 <= start <= end <= len(given_input.text)


@settings(max_examples=100, deadline=None)
@given(text=TEXTS)
def test_the_default_reads_what_the_parser_reads(text):
    assert readers.get(PARSER_VERSION).read(ReadingInput(text)).parsed == parse_tool_call(text)


@settings(max_examples=100, deadline=None)
@given(text=TEXTS.filter(lambda text: "<think>" not in text and "</think>" not in text))
def test_a_text_without_a_thought_is_handed_on_whole(text):
    alone, behind = readers.get("hermes.v1"), readers.get("think.v1+hermes.v1")
    assert alone.read(ReadingInput(text)) == behind.read(ReadingInput(text))


LITERALS = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(string.printable), inner, max_size=3),
    max_leaves=10,
)


@settings(max_examples=200, deadline=None)
@given(value=LITERALS)
def test_what_python_writes_as_a_literal_is_read_back(value):
    assert repr(read_literal(Tokens(repr(value)))) == repr(value)


HOSTILE = [
    "<tool_call>" * 20_000,
    "<think>" * 20_000,
    "[TOOL_CALLS]f[ARGS]{" * 20_000,
    "<|channel|>commentary to=functions.f json<|message|>{" * 5_000,
    "<|message|>" * 20_000,
    "<tool_call><function=f>" + "<parameter=x>1</parameter>" * 5_000,
    "<tool_call><function=f>" + "<parameter=x>" * 20_000,
    "[f(" + "x=[" * 60_000,
    "[f(x='" + "\\" * 100_001,
    "[f(x=" + "1" * 100_000,
    "[" * 100_000,
    "<tool_call>" + " " * 100_000 + "{",
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_time_is_linear_on_hostile_texts(text):
    for name in ALL:
        started = time.process_time()
        assert readers.get(name).read(ReadingInput(text)).parsed.status != "ok"
        assert time.process_time() - started < 2, name


def test_composition_refuses_what_cannot_follow():
    for name in (
        "hermes.v1+think.v1",
        "hermes.v1+mistral.v1",
        "think.v1+openai_chat.native.v1",
        "",
        "think.v1+",
    ):
        with pytest.raises(ConfigError):
            readers.get(name)


def test_a_misspelt_reader_is_answered_with_the_nearest():
    with pytest.raises(ConfigError, match=r"hermes\.v1"):
        readers.get("hermes.v2")


def test_a_failed_backend_is_not_read():
    rows = [ReadingInput("", failure="timeout"), ReadingInput("<tool_call>")]
    found = [reading.parsed.reason for reading in readers.read_rows(readers.get("hermes.v1"), rows)]
    assert found == ["backend_failed", "unclosed_call"]


def test_offsets_are_those_of_the_whole_text():
    text = '<think>hm</think>\n<tool_call>{"name": "f", "arguments": {}}</tool_call>'
    start, end = readers.get("think.v1+hermes.v1").read(ReadingInput(text)).parsed.span
    assert text[start:end].startswith("<tool_call>")
    assert end == len(text)


def test_a_third_party_can_register_one():
    def read(given):
        return readers.get("hermes.v1").read(given)

    readers.READERS.register("mine.v1", Reader("mine.v1", "a test", read, opens=("<tool_call>",)))
    try:
        assert readers.get("think.v1+mine.v1").name == "think.v1+mine.v1"
    finally:
        readers.READERS.restore()


def test_what_is_no_reader_is_refused():
    readers.READERS.register("odd.v1", 3)
    try:
        with pytest.raises(ConfigError, match="odd"):
            readers.get("odd.v1")
    finally:
        readers.READERS.restore()


def test_names_are_those_of_the_entries():
    for name in readers.names():
        entry = readers.READERS.get(name)
        assert isinstance(entry, (Reader, Front))
        assert entry.name == name


def think_rows(share, total=100):
    thinking = ReadingInput('<think>hm</think><tool_call>{"name": "f", "arguments": {}}</tool_call>')
    return [thinking] * share + [ReadingInput("none")] * (total - share)


def test_a_notice_names_the_reader_to_try():
    notice = readers.notice_unknown(readers.get(PARSER_VERSION), think_rows(6))
    assert (notice.rows, notice.total, notice.suggestion) == (6, 100, "think.v1+hermes.v1")
    assert notice.text("faircall score a.jsonl").endswith(
        "faircall score a.jsonl --reader think.v1+hermes.v1"
    )


def test_marks_that_tell_no_protocol_name_no_reader():
    row = readers.ReadingInput("<function=wx><parameter=city>Graz</parameter></function>")
    text = readers.notice_unknown(readers.get(PARSER_VERSION), [row]).text("faircall score FILE")
    assert "--reader" not in text
    assert text.endswith("faircall readers explain FILE")


def test_no_notice_at_five_percent_or_when_the_reader_knows():
    assert readers.notice_unknown(readers.get(PARSER_VERSION), think_rows(5)) is None
    assert readers.notice_unknown(readers.get("think.v1+hermes.v1"), think_rows(90)) is None
    assert readers.notice_unknown(readers.get(PARSER_VERSION), []) is None


@pytest.mark.parametrize("name", [name for name in readers.names() if name != PARSER_VERSION])
def test_the_example_of_every_reader_is_recognised_under_the_default(name):
    reader = readers.get(name)
    row = ReadingInput("", message=reader.example) if reader.native else ReadingInput(reader.example)
    notice = readers.notice_unknown(readers.get(PARSER_VERSION), [row])
    assert readers.get(notice.suggestion).read(row).parsed.status == "ok"
