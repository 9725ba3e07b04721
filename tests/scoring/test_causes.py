"""One cause for each miss, the first that applies."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from faircall.parsing.tool_call import parse_tool_call
from faircall.records import Example, ToolCall
from faircall.scoring.causes import CALL_CAUSES, MAX_NORMALISED_CHARS, cause_of_miss
from faircall.scoring.match import match_call

CASES = Path(__file__).parent.parent / "cases" / "scoring" / "causes.jsonl"
ROWS = [json.loads(line) for line in CASES.read_text(encoding="ascii").splitlines()]

TOOLS = (
    {
        "type": "function",
        "function": {"name": "f", "parameters": {"properties": {"a": {}, "b": {}, "c": {}}}},
    },
    {"name": "g"},
)


def cause(gold, predicted, tools=TOOLS):
    example = Example("1", ToolCall("f", gold), tools=tools)
    return cause_of_miss(example, parse_tool_call(json.dumps(predicted)))


@pytest.mark.parametrize("row", ROWS, ids=[row["id"] for row in ROWS])
def test_cases(row):
    tools = TOOLS if row.get("tools", True) else None
    assert (
        cause(row["gold"], {"name": row.get("name", "f"), "arguments": row["predicted"]}, tools)
        == row["cause"]
    )


def test_every_cause_has_a_case():
    assert {row["cause"] for row in ROWS} == set(CALL_CAUSES)


def test_a_parse_failure_is_its_status_and_reason():
    example = Example("1", ToolCall("f", {}))
    for text, expected in [
        ("words", "no_json:no_bracket"),
        ("[1", "invalid_json:unbalanced"),
        ("[]", "invalid_shape:empty_array"),
    ]:
        assert cause_of_miss(example, parse_tool_call(text)) == expected


def test_long_runs_of_combining_marks_cost_little():
    marks = "a" + "\u0301\u0316" * 200_000
    assert len(marks) > MAX_NORMALISED_CHARS
    assert cause({"a": marks}, {"name": "f", "arguments": {"a": marks.upper() + " "}}) == "text_form"


leaves = st.sampled_from([None, True, 1, 1.0, "1", "A", "a ", {}, []])
values = st.recursive(
    leaves,
    lambda v: st.lists(v, max_size=3) | st.dictionaries(st.sampled_from("ab"), v, max_size=2),
    max_leaves=6,
)
arguments = st.dictionaries(st.sampled_from("abcd"), values, max_size=3)


@settings(max_examples=200, deadline=None)
@given(arguments, arguments)
def test_every_miss_has_a_cause(gold, predicted):
    if match_call(ToolCall("f", gold), ToolCall("f", predicted)).full == 0:
        assert cause(gold, {"name": "f", "arguments": predicted}) in CALL_CAUSES
