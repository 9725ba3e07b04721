"""`faircall readers`: the table, and what each reader finds in a file."""

import json

import pytest

from faircall.cli import main
from faircall.parsing import readers
from faircall.store.atomic import write_json_lines

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


@pytest.fixture
def hermes_rows(tmp_path):
    path = tmp_path / "hermes.jsonl"
    gold = json.loads(CALL)
    texts = [f"Look [1]: <tool_call>{CALL}</tool_call>", f"<tool_call>{CALL}</tool_call>"]
    write_json_lines(path, [{"id": str(i), "raw_text": text, "gold": gold} for i, text in enumerate(texts)])
    return str(path)


def test_score_prints_the_default_beside_a_declared_reader(hermes_rows, capsys):
    assert main(["score", hermes_rows, "--reader", "hermes.v1"]) == 0
    shown = capsys.readouterr().out
    assert "2/2" in shown
    assert "The same answers under sommelier.parser.v1" in shown
    assert "1/2" in shown


def test_score_names_the_reader_to_try(hermes_rows, capsys):
    assert main(["score", hermes_rows]) == 0
    assert "--reader hermes.v1" in capsys.readouterr().out


def test_compare_reads_both_arms_with_the_declared_reader(hermes_rows, capsys):
    assert main(["compare", hermes_rows, hermes_rows, "--reader", "hermes.v1", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["overall"]["metrics"]["full_call_exact_match"]["baseline"]["numerator"] == 2
    assert "hermes.v1" in report["signature"]


def test_a_stored_evaluation_cannot_be_read_again(hermes_rows, tmp_path, capsys):
    scored = str(tmp_path / "scored.json")
    assert main(["score", hermes_rows, "-o", scored]) == 0
    assert main(["compare", scored, hermes_rows, "--reader", "hermes.v1"]) == 2
    assert "sommelier.parser.v1" in capsys.readouterr().err
