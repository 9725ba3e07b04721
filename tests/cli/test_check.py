"""`faircall check` on files."""

import json

import pytest

from faircall.cli import main
from faircall.store.atomic import write_json_lines

TOOLS = [{"name": "wx", "parameters": {"type": "dict", "properties": {"city": {"type": "string"}}}}]
CALL = '{"name": "wx", "arguments": {"city": "Graz"}}'


@pytest.fixture
def rows(tmp_path):
    path = tmp_path / "rows.jsonl"
    texts = [CALL, CALL.replace("city", "town"), "I cannot."]
    due = [True, True, False]
    write_json_lines(
        path,
        [
            {"id": str(n), "raw_text": text, "tools": TOOLS, "should_call_tool": due[n], "group": "g"}
            for n, text in enumerate(texts)
        ],
    )
    return path


def report_of(capsys, *arguments):
    assert main(["check", *map(str, arguments), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_no_gold_is_needed(rows, capsys):
    checks = report_of(capsys, rows)["checks"]
    shares = {name: (share["numerator"], share["denominator"]) for name, share in checks.items()}
    assert shares["readable"] == (2, 3)
    assert shares["invented_argument"] == (1, 2)
    assert shares["schema_valid"] == (2, 2)
    assert shares["silent"] == (1, 3)
    assert shares["call_recall"] == (2, 2)
    assert shares["no_call_recall"] == (1, 1)


def test_the_dialect_and_the_cluster_are_declared(rows, capsys):
    report = report_of(capsys, rows, "--dialect", "bfcl", "--cluster", "group")
    assert report["clusters"] == 1
    assert (report["checks"]["schema_valid"]["numerator"], report["dialect"]) == (2, "bfcl")


def test_a_schema_in_another_dialect_than_the_declared_one_is_not_used(rows, capsys):
    report = report_of(capsys, rows, "--dialect", "json_schema")
    assert report["checks"]["schema_valid"]["denominator"] == 0


def test_gold_of_any_form_is_not_looked_at(tmp_path, capsys):
    path = tmp_path / "rows.jsonl"
    write_json_lines(path, [{"id": "1", "raw_text": CALL, "gold": [{"wx": {"city": ["Graz"]}}]}])
    assert report_of(capsys, path)["checks"]["readable"]["numerator"] == 1


def test_for_people_and_into_a_file(rows, tmp_path, capsys):
    out = tmp_path / "report.json"
    assert main(["check", str(rows), "-o", str(out)]) == 0
    shown = capsys.readouterr().out
    assert "2/3" in shown
    assert "has an argument that the schema lacks" in shown
    assert shown.splitlines()[-1] == f"wrote {out}"
    assert json.loads(out.read_text())["schema_version"] == "faircall.check.v1"


def test_unknown_markers_are_noticed(tmp_path, capsys):
    path = tmp_path / "rows.jsonl"
    write_json_lines(path, [{"id": "1", "raw_text": f"<tool_call>{CALL}</tool_call>"}])
    assert "faircall check FILE --reader hermes.v1" in report_of(capsys, path)["notice"]


def test_an_unknown_dialect_or_column_exits_with_2(rows, capsys):
    assert main(["check", str(rows), "--dialect", "xml"]) == 2
    assert main(["check", str(rows), "--cluster", "colour"]) == 2
