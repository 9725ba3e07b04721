"""Rows to examples: each case gives exactly these examples and these reasons."""

import json
from pathlib import Path

import pytest

from faircall.importing.reasons import Reason
from faircall.importing.rows import Candidate, read_rows
from faircall.store.files import read_json_lines

CASES = [line.value for line in read_json_lines(Path(__file__).parents[1] / "cases/importing/rows.jsonl")]


def outcomes(lines, **options):
    return list(read_rows(lines, language="en", **options))


def golds(found):
    return {one.example.example_id: one.example.gold.to_dict() for one in found if isinstance(one, Candidate)}


def reasons(found):
    return {one.example_id: one.reason.value for one in found if not isinstance(one, Candidate)}


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_each_row_gives_its_examples_or_its_reason(case):
    found = outcomes([(5, case["row"])])
    assert golds(found) == case.get("golds", {})
    assert reasons(found) == case.get("reasons", {})
    assert len(found) == len(case.get("golds", {})) + len(case.get("reasons", {}))
    assert {one.line for one in found} == {5}


def test_the_cases_reach_every_reason_of_a_reader():
    policy = list(Reason)[list(Reason).index(Reason.QUERY_MISSING) :]
    reached = {reason for case in CASES for reason in case.get("reasons", {}).values()}
    missing = {reason.value for reason in Reason} - reached - {reason.value for reason in policy}
    assert missing == {
        Reason.SOURCE_INVALID.value, Reason.TOOLS_REPEAT_KEY.value, Reason.MESSAGES_MISSING.value,
    }  # fmt: skip
    assert reasons(outcomes([(1, {"id": "a", "source_example_id": 1.5, "answers": []})])) == {
        "a": Reason.SOURCE_INVALID
    }
    row = {"id": "a", "answers": [{"name": "f", "arguments": {}}], "tools": '[{"name":"f","name":"g"}]'}
    assert reasons(outcomes([(1, row)])) == {"a": Reason.TOOLS_REPEAT_KEY}
    assert reasons(outcomes([(1, {"id": "a"})], form="openai")) == {"a": Reason.MESSAGES_MISSING}


def test_a_declared_form_is_not_guessed_again():
    row = {"id": "a", "messages": [], "query": "q", "answers": [{"name": "f", "arguments": {}}]}
    assert golds(outcomes([(1, row)], form="xlam")) == {"a": {"name": "f", "arguments": {}}}
    assert reasons(outcomes([(1, row)])) == {"a": Reason.MESSAGES_INVALID}


def test_a_byte_order_mark_changes_nothing(tmp_path):
    rows = [
        {"id": "1", "query": "q", "answers": '[{"name":"f","arguments":{"city":"Oslo"}}]', "tools": "[]"},
        {"id": "2", "query": "q", "answers": '[{"name":"g","arguments":{"unit":"C"}}]', "tools": "[]"},
    ]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (tmp_path / "marked.jsonl").write_bytes(b"\xef\xbb\xbf" + text.encode())
    found = golds(outcomes(read_json_lines(tmp_path / "marked.jsonl")))
    assert found == {
        "1": {"name": "f", "arguments": {"city": "Oslo"}},
        "2": {"name": "g", "arguments": {"unit": "C"}},
    }


def test_the_rest_of_a_file_is_read_past_a_bad_row():
    lines = [
        {"id": "ok1", "answers": '[{"name":"f","arguments":{}}]'},
        {"id": "bad", "answers": '[{"name":"f","arguments":{]'},
        {"id": "ok2", "answers": '[{"name":"g","arguments":{}}]'},
    ]
    found = outcomes(enumerate(lines, start=1))
    assert list(golds(found)) == ["ok1", "ok2"]
    rejected = found[1]
    assert (rejected.line, rejected.row_id, rejected.reason.value) == (2, "bad", "answers is not valid JSON")


def test_history_keeps_everything_and_holds_arguments_as_objects():
    messages = next(case for case in CASES if case["id"] == "chat-two-steps")["row"]["messages"]
    first, second = outcomes([(1, {"id": "c", "messages": messages})])
    assert first.example.messages == (messages[0],)
    assert first.example.query == "Rain?"
    assert second.example.query == "And book it."
    assert second.example.messages[2:] == tuple(messages[2:5])
    assert second.example.messages[1]["tool_calls"][0]["function"]["arguments"] == {}
    assert first.group == second.group == "c"


def test_a_translated_conversation_names_the_steps_of_its_root():
    messages = next(case for case in CASES if case["id"] == "chat-two-steps")["row"]["messages"]
    row = {"id": "c-fr", "source_example_id": "c", "messages": messages}
    found = outcomes([(1, row)])
    assert [one.example.source_example_id for one in found] == ["c:1", "c:2"]
