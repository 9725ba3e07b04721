"""The v1 reader: cases from the field, reasons in the order of D5, and laws."""

import json
import sys
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from faircall.canonical import canonical_json
from faircall.parsing.tool_call import parse_generations, parse_tool_call, read_call
from faircall.records import Generation, ToolCall

CASES = Path(__file__).parent.parent / "cases" / "parsing"


def cases(name):
    lines = (CASES / name).read_text(encoding="ascii").splitlines()
    return [pytest.param(case, id=case["id"]) for case in map(json.loads, lines)]


@pytest.mark.parametrize("case", cases("parser.jsonl"))
def test_cases_from_the_field(case):
    parsed = parse_tool_call(case["text"])
    assert parsed.status == case["status"]
    assert (parsed.call and parsed.call.to_dict()) == case["call"]
    assert (parsed.reason is None) == (parsed.status == "ok")


@pytest.mark.parametrize("case", cases("reasons.jsonl"))
def test_the_first_reason_that_applies(case):
    parsed = parse_tool_call(case["text"])
    assert (parsed.status, parsed.reason) == (case["status"], case["reason"])


@pytest.mark.parametrize(
    ("text", "trailing"),
    [
        ('{"name":"f","arguments":{}}', False),
        ('{"name":"f","arguments":{}} done } ]', False),
        ('{"name":"f","arguments":{}} {', True),
        ('[{"name":"f","arguments":{}}] and [1]', True),
        ('a {"name":"f","arguments":{"t":"{["}}', False),
    ],
)
def test_trailing_json_is_noted(text, trailing):
    parsed = parse_tool_call(text)
    assert parsed.status == "ok"
    assert parsed.trailing_json is trailing


def test_the_span_is_what_was_read():
    for text, span in [
        ('hm {"name":"f","arguments":{}} ok', '{"name":"f","arguments":{}}'),
        ("see [1] first", "[1]"),
        ("see [a] first", "[a]"),
        ('{"a":1,"a":2}!', '{"a":1,"a":2}'),
    ]:
        start, end = parse_tool_call(text).span
        assert text[start:end] == span
    assert parse_tool_call("[1").span is None


def test_a_failed_backend_is_no_json_with_its_own_reason():
    rows = [
        Generation("a", "", failure="timeout"),
        Generation("b", ""),
        Generation("c", '{"name":"f","arguments":{}}'),
    ]
    assert [(parsed.status, parsed.reason) for parsed in parse_generations(rows)] == [
        ("no_json", "backend_failed"),
        ("no_json", "no_bracket"),
        ("ok", None),
    ]


@settings(max_examples=300, deadline=None)
@given(
    st.text(alphabet=st.sampled_from('{}[]",:\\ \nname"arguments01e.-\x00\ud83d'), max_size=60) | st.text()
)
@example("\ud800{")
def test_any_text_gets_an_answer(text):
    parsed = parse_tool_call(text)
    assert (parsed.call is not None) == (parsed.status == "ok") == (parsed.reason is None)
    assert (parsed.status == "no_json") == ("{" not in text and "[" not in text)
    assert repr(read_call(text)) == repr(parsed.call)


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)
calls = st.builds(
    ToolCall, st.text(min_size=1, max_size=8), st.dictionaries(st.text(max_size=4), values, max_size=4)
)


@settings(max_examples=100, deadline=None)
@given(
    calls,
    st.sampled_from(["{}", "[{}]", "Sure!\n```json\n{}\n```", "<tool_call>{}</tool_call>"]),
    st.booleans(),
)
def test_rendering_then_parsing_gives_the_call_back(call, frame, indented):
    body = (
        json.dumps(call.to_dict(), indent=2, ensure_ascii=False)
        if indented
        else canonical_json(call.to_dict())
    )
    assert parse_tool_call(frame.replace("{}", body, 1)).call == call


def test_a_caller_near_its_recursion_limit_gets_an_answer():
    text = '{"name":"f","arguments":{"a":' + "[" * 200 + "]" * 200 + "}}"

    def at_depth(levels):
        return parse_tool_call(text).status if levels == 0 else at_depth(levels - 1)

    frame, used = sys._getframe(), 0
    while frame is not None:
        frame, used = frame.f_back, used + 1
    assert at_depth(sys.getrecursionlimit() - used - 40) == "ok"
