"""`faircall readers`: the table, and what each reader finds in a file."""

import json

import pytest

from faircall.cli import main
from faircall.parsing import readers
from faircall.store.files import write_json_lines

CALL = '{"name": "wx", "arguments": {"city": "Graz"}}'


@pytest.fixture
def rows(tmp_path):
    path = tmp_path / "rows.jsonl"
    texts = [f"<think>hm</think><tool_call>{CALL}</tool_call>", "Sunny.", f"<tool_call>{CALL}"]
    write_json_lines(path, [{"id": str(i), "raw_text": text} for i, text in enumerate(texts)])
    return str(path)


def test_list_names_every_reader(capsys):
    assert main(["readers", "list"]) == 0
    shown = capsys.readouterr().out
    assert all(name in shown for name in readers.names())


def test_list_for_machines(capsys):
    assert main(["readers", "list", "--json"]) == 0
    found = {entry["name"]: entry["kind"] for entry in json.loads(capsys.readouterr().out)}
    assert found["think.v1"] == "front"
    assert found["hermes.v1"] == "text"
    assert found["anthropic.native.v1"] == "native"


def test_explain_counts_markers_and_statuses(rows, capsys):
    assert main(["readers", "explain", rows, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["markers"] == {"</think>": 1, "<think>": 1, "<tool_call>": 2}
    by_name = {entry["name"]: entry for entry in found["readers"]}
    assert by_name["hermes.v1"]["statuses"] == {"ok": 1, "no_json": 1, "invalid_json": 1, "invalid_shape": 0}
    assert by_name["hermes.v1"]["reasons"] == {"no_marker": 1, "unclosed_call": 1}
    assert "think.v1+hermes.v1" in by_name
    assert "openai_chat.native.v1" not in by_name


def test_explain_for_people_and_one_reader(rows, capsys):
    assert main(["readers", "explain", rows, "--reader", "think.v1+hermes.v1"]) == 0
    shown = capsys.readouterr().out
    assert "<tool_call>" in shown
    assert "unclosed_call" in shown or "no_marker" in shown
    assert "mistral.v1" not in shown


def test_an_unknown_reader_exits_with_2(rows, capsys):
    assert main(["readers", "explain", rows, "--reader", "hermes.v9"]) == 2
    assert "did you mean" in capsys.readouterr().err
