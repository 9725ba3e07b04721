"""`faircall lint` on gold rows."""

import json

import pytest

from faircall.cli import main
from faircall.store.atomic import write_json_lines

PARAMETERS = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
TOOLS = [{"name": "wx", "parameters": PARAMETERS}]


def gold_row(row_id, query, arguments, name="wx"):
    answers = json.dumps([{"name": name, "arguments": arguments}])
    return {"id": row_id, "query": query, "tools": json.dumps(TOOLS), "answers": answers}


@pytest.fixture
def files(tmp_path):
    test, train = tmp_path / "test.jsonl", tmp_path / "train.jsonl"
    rows = [
        gold_row("good", "Rain in Graz?", {"city": "Graz"}),
        gold_row("schema", "Rain in Oslo?", {"city": 3}),
        gold_row("invented", "Rain in Rome?", {"city": "Rome", "day": 1}),
        gold_row("absent", "Book a table", {}, name="book"),
        gold_row("again", "rain in GRAZ?", {"city": "Graz"}),
        {**gold_row("torn", "x", {}), "answers": '[{"name": "wx", "name": "wx", "arguments": {}}]'},
    ]
    write_json_lines(test, rows)
    write_json_lines(train, [gold_row("t", "Rain in Oslo?", {"city": "Oslo"})])
    return str(test), str(train)


def test_every_kind_of_finding_is_named(files, capsys):
    test, train = files
    assert main(["lint", test, "--train", train, "--json"]) == 1
    report = json.loads(capsys.readouterr().out)
    found = {(entry["kind"], entry["id"]) for entry in report["findings"]}
    assert found == {
        ("refused", "torn"),
        ("not_offered", "absent"),
        ("breaks_schema", "schema"),
        ("invented_argument", "invented"),
        ("repeated", "again"),
        ("in_training", "schema"),
    }
    assert report["known_tools"] == {"rows": 4, "of_rows": 5, "tools": 1, "of_tools": 2}
    assert report["rows"] == 5


def test_clean_gold_exits_with_0(files, capsys):
    assert main(["lint", files[1]]) == 0
    assert "1 gold rows, 0 findings" in capsys.readouterr().out


def test_for_people(files, capsys):
    assert main(["lint", files[0]]) == 1
    shown = capsys.readouterr().out
    assert "answers repeats a key" in shown
    assert "breaks_schema" in shown


def test_plain_rows_of_gold_are_read(tmp_path, capsys):
    path = tmp_path / "rows.jsonl"
    rows = [
        {"id": "a", "query": "q", "gold": {"name": "wx", "arguments": {"city": "Graz"}}, "tools": TOOLS},
        {"id": "b", "query": "r", "gold": {"name": "wx"}, "tools": TOOLS},
    ]
    write_json_lines(path, rows)
    assert main(["lint", str(path), "--json"]) == 1
    (finding,) = json.loads(capsys.readouterr().out)["findings"]
    assert (finding["kind"], finding["id"]) == ("refused", "b")


def test_gold_of_several_calls_is_held_against_the_tools_call_by_call(tmp_path, capsys):
    path = tmp_path / "rows.jsonl"
    good, bad = {"name": "wx", "arguments": {"city": "Graz"}}, {"name": "wx", "arguments": {"city": 1}}
    rows = [
        {"id": "two", "query": "q", "gold": [good, bad], "tools": TOOLS},
        {"id": "none", "query": "r", "gold": [], "tools": TOOLS},
    ]
    write_json_lines(path, rows)
    assert main(["lint", str(path), "--json"]) == 1
    (finding,) = json.loads(capsys.readouterr().out)["findings"]
    assert (finding["kind"], finding["id"]) == ("breaks_schema", "two")
    assert finding["what"] == "wx: $.city: 1 is not of type 'string'"


def test_an_unknown_dialect_exits_with_2(files):
    assert main(["lint", files[0], "--dialect", "xml"]) == 2


def test_a_request_in_messages_is_the_last_one_of_the_user(tmp_path, capsys):
    gold = {"name": "wx", "arguments": {"city": "Graz"}}
    messages = [{"role": "system", "content": "s"}, {"role": "user", "content": "Rain in Graz?"}]
    test, train = tmp_path / "test.jsonl", tmp_path / "train.jsonl"
    write_json_lines(test, [{"example_id": "m", "messages": messages, "gold": gold, "tools": TOOLS}])
    write_json_lines(train, [{"example_id": "q", "query": "rain in graz?", "gold": gold, "tools": TOOLS}])
    assert main(["lint", str(test), "--train", str(train), "--json"]) == 1
    (finding,) = json.loads(capsys.readouterr().out)["findings"]
    assert (finding["kind"], finding["id"]) == ("in_training", "m")


def test_rows_that_ask_nothing_are_counted_instead_of_passing_for_clean(tmp_path, capsys):
    path = tmp_path / "rows.jsonl"
    write_json_lines(path, [{"id": "a", "raw_text": "", "gold": {"name": "wx", "arguments": {}}}])
    assert main(["lint", str(path), "--train", str(path)]) == 0
    shown = capsys.readouterr().out
    assert "1 rows without query or messages: no repeat or leak can show" in shown
    assert "1 training rows without query or messages" in shown
