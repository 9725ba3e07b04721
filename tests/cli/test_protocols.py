"""`--protocol` from a file of rows to a report: scored, stored, refused when mixed."""

import json

import pytest

from faircall.cli import main

F, G = {"name": "f", "arguments": {"x": 1}}, {"name": "g", "arguments": {}}
ROWS = [
    {"id": "a", "gold": [F, G], "raw_text": json.dumps([G, F])},
    {"id": "b", "gold": [], "raw_text": "Nothing to do."},
    {"id": "c", "gold": [F], "raw_text": '{"name": "f", '},
    {"id": "d", "should_call_tool": False, "raw_text": "cut of", "finish_reason": "length"},
]
ACCEPTED = {"name": "f", "arguments": {"x": [1, 2], "y": {"values": ["a"], "rule": "text", "default": "a"}}}


@pytest.fixture
def rows(tmp_path):
    def write(name, values):
        path = tmp_path / name
        path.write_text("".join(json.dumps(value) + "\n" for value in values))
        return str(path)

    return write


def run(capsys, *arguments):
    status = main(list(arguments))
    return status, capsys.readouterr()


def test_several_calls_are_scored_by_the_declared_protocol(rows, capsys, tmp_path):
    out = tmp_path / "scored.json"
    command = ("score", rows("m.jsonl", ROWS), "--protocol", "multi_call.v1")
    assert run(capsys, *command, "-o", str(out))[0] == 0
    scored = json.loads(out.read_text())
    assert scored["identity"]["metrics"]["protocol"] == "multi_call.v1"
    assert scored["metrics"]["full_call_exact_match"]["numerator"] == 2
    assert scored["metrics"]["full_call_exact_match"]["denominator"] == 4
    assert scored["diagnosis"]["protocol"]["no_call_right"] == 1
    assert scored["diagnosis"]["causes"] == {"invalid_json:unbalanced": 1, "no_json:no_bracket": 1}
    again, shown = run(capsys, "score", str(out), "--json")
    assert again == 0
    assert json.loads(shown.out) == scored


def test_what_was_scored_otherwise_is_not_scored_again(rows, capsys, tmp_path):
    out = tmp_path / "scored.json"
    run(capsys, "score", rows("m.jsonl", ROWS), "--protocol", "multi_call.v1", "-o", str(out))
    status, said = run(capsys, "score", str(out), "--protocol", "accepted_values.v1")
    assert status == 2
    assert "scored by multi_call.v1" in said.err


def test_arms_under_two_protocols_are_refused(rows, capsys, tmp_path):
    single = [{"id": "a", "gold": F, "raw_text": json.dumps(F)}]
    one = rows("one.jsonl", single)
    out = tmp_path / "multi.json"
    run(capsys, "score", one, "--protocol", "multi_call.v1", "-o", str(out))
    status, said = run(capsys, "compare", str(out), one)
    assert status == 4
    assert "metrics.protocol" in said.err


def test_a_comparison_under_a_protocol_says_so(rows, capsys):
    right = [{**row, "raw_text": json.dumps(row.get("gold", []))} for row in ROWS]
    files = rows("before.jsonl", ROWS), rows("after.jsonl", right)
    status, shown = run(capsys, "compare", *files, "--protocol", "multi_call.v1", "--json")
    report = json.loads(shown.out)
    assert status == 0
    assert "protocol:multi_call.v1" in report["signature"]
    assert report["overall"]["metrics"]["full_call_exact_match"]["delta"] == 0.5


def test_gold_pairs_of_a_protocol_are_its_own_and_survive_storing(rows, capsys, tmp_path):
    from faircall.api import load_evaluation
    from faircall.comparing.pairing import Column

    out = tmp_path / "scored.json"
    run(capsys, "score", rows("m.jsonl", ROWS), "--protocol", "multi_call.v1", "-o", str(out))
    scores = load_evaluation(out).scores
    assert scores.gold_pairs.tolist() == [2, 1, 1, 1]
    assert Column(scores, scores.gold_pairs[:2] * 0).gold_pairs == 4


def test_accepted_values_are_read_from_rows_or_from_a_gold_file(rows, capsys):
    answers = [
        {"id": "a", "raw_text": '{"name": "f", "arguments": {"x": 2}}'},
        {"id": "b", "raw_text": '{"name": "f", "arguments": {"x": 1, "y": "b"}}'},
    ]
    gold = rows("gold.jsonl", [{"id": row["id"], "accepted": ACCEPTED} for row in answers])
    inline = rows("inline.jsonl", [{**row, "accepted": ACCEPTED} for row in answers])
    apart = rows("answers.jsonl", answers)
    command = ("--protocol", "accepted_values.v1", "--json")
    first, second = (
        json.loads(run(capsys, "score", *files, *command)[1].out)
        for files in ([inline], [apart, "--gold", gold])
    )
    assert first["metrics"] == second["metrics"]
    assert first["metrics"]["full_call_exact_match"]["numerator"] == 1
    assert first["diagnosis"]["causes"] == {"wrong_value": 1}


def test_gold_that_a_protocol_cannot_use_names_file_and_line(rows, capsys):
    broken = {"name": "f", "arguments": {"x": {"values": [1], "rule": "close"}}}
    path = rows("bad.jsonl", [{"id": "a", "accepted": broken, "raw_text": ""}])
    status, said = run(capsys, "score", path, "--protocol", "accepted_values.v1")
    assert status == 2
    assert "bad.jsonl:1" in said.err
    assert "argument 'x'" in said.err


def test_an_unknown_protocol_is_refused_with_the_known_ones(rows, capsys):
    status, said = run(capsys, "score", rows("m.jsonl", ROWS), "--protocol", "multi_call")
    assert status == 2
    assert "multi_call.v1" in said.err
