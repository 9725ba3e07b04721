"""BFCL's accepted values by declared type; every row here is our own, in BFCL's form."""

import json

import pytest

from faircall.cli import main
from faircall.importing.bfcl_answers import TEXT_RULE, accepted_form
from faircall.importing.from_bfcl import first_accepted
from faircall.records import ToolCall
from faircall.scoring.protocols.accepted_values import load_truth, match_accepted
from faircall.store.atomic import write_json_lines

TYPES = {
    "city": {"type": "string"},
    "days": {"type": "integer"},
    "height": {"type": "float"},
    "snow": {"type": "boolean"},
    "tags": {"type": "array", "items": {"type": "string"}},
    "at": {"type": "tuple", "items": {"type": "float"}},
    "ids": {"type": "array", "items": {"type": "integer"}},
    "place": {"type": "dict", "properties": {"lat": {"type": "float"}}},
    "stops": {"type": "array", "items": {"type": "dict"}},
    "note": {"type": "any"},
}
TOOL = {"name": "geo.find", "parameters": {"type": "dict", "properties": TYPES, "required": ["city"]}}


@pytest.mark.parametrize(
    ("argument", "answers", "yes", "no"),
    [
        ("city", ["New York, NY"], ["new york ny", "NEW-YORK, N.Y."], ["York", 1, None]),
        ("city", ["a", ""], ["A", "", "-"], ["b"]),
        ("city", [True], [True], ["true", 1]),
        ("note", ["it's"], ['IT"S'], [1]),
        ("days", [3, 4, ""], [3, 4], [3.0, "3", True, ""]),
        ("days", ["DAYS", ""], ["DAYS", ""], ["days", 3]),
        ("city", ["", None], ["", None], ["null"]),
        ("height", [2.0], [2, 2.0], [2.5, "2.0", True]),
        ("snow", [False], [False], [0, "false", True]),
        ("tags", [["a b", "c"]], [["A-B", "C"]], [["c", "a b"], ["a b"], "a b"]),
        ("at", [[1.5, 2.0]], [[1.5, 2.0]], [[1.5, 2], [2.0, 1.5]]),
        ("at", [[1, 2]], [[1, 2], [1.0, 2.0]], [[1]]),
        ("ids", [[1, 2]], [[1, 2]], [[1.0, 2], [2, 1]]),
        ("place", [{"lat": [8.0], "name": ["Graz", ""]}], [{"lat": 8}, {"lat": 8.0, "name": "graz"}], [{}]),
        ("place", [{"box": [{"lat": 1, "lon": 2}]}], [{"box": {"lat": 1, "lon": 2}}], [{"box": {"lat": 1}}]),
        ("stops", [[{"id": [1]}, {"id": [2, 3]}]], [[{"id": 1}, {"id": 3}]], [[{"id": 1}], [{"id": 2}]]),
        ("unlisted", ["x"], ["X"], ["y"]),
    ],
)  # fmt: skip
def test_the_declared_type_decides_what_is_accepted(argument, answers, yes, no):
    gold = load_truth(accepted_form("geo.find", {argument: answers}, [TOOL]))
    for value, right in [*((value, 1) for value in yes), *((value, 0) for value in no)]:
        assert match_accepted(gold, ToolCall("geo.find", {argument: value})).full == right, value


@pytest.mark.parametrize(
    ("answers", "right"), [(["a", ""], 1), ([1, ""], 1), ([""], 1), (["a"], 0), ([1], 0)]
)
def test_the_empty_text_says_that_an_argument_may_be_left_out(answers, right):
    gold = load_truth(accepted_form("geo.find", {"note": answers}, [TOOL]))
    assert match_accepted(gold, ToolCall("geo.find", {})).full == right


def test_what_the_schema_requires_is_given_whatever_the_answers_say():
    tool = {**TOOL, "parameters": {**TOOL["parameters"], "required": ["city", "days"]}}
    answers = {"city": [""], "days": ["", 3]}
    gold = load_truth(accepted_form("geo.find", answers, [tool]))
    assert not any(accepted.may_be_omitted for accepted in gold.arguments.values())
    assert first_accepted(answers, {"city", "days"}) == {"city": "", "days": 3}
    assert match_accepted(gold, ToolCall("geo.find", {"city": "", "days": 3})).full == 1


def test_the_rules_stand_in_the_data():
    form = accepted_form(
        "geo.find", {"city": ["Graz"], "days": [1]}, [{"type": "function", "function": TOOL}]
    )
    assert form["arguments"] == {"city": {"values": ["Graz"], "rule": TEXT_RULE}, "days": {"values": [1]}}
    assert json.loads(json.dumps(form)) == form


ANSWERS = {
    "city": ["Graz", "graz"],
    "days": [3, ""],
    "height": [2.0],
    "tags": [["a", "b"]],
    "place": [{"lat": [48.0], "box": [{"w": 1}], "name": ["", "x"]}],
    "stops": [[{"id": [1]}]],
}


def test_the_gold_of_a_row_is_accepted_by_the_row():
    gold = load_truth(accepted_form("geo.find", ANSWERS, [TOOL]))
    assert match_accepted(gold, ToolCall("geo.find", first_accepted(ANSWERS))).full == 1


def test_imported_questions_score_one_on_their_own_gold(tmp_path, capsys):
    questions, results = tmp_path / "BFCL_v4_own.json", tmp_path / "gold.jsonl"
    question = [[{"role": "user", "content": "Where is Graz?"}]]
    write_json_lines(
        questions,
        [
            {"id": "own_0", "question": question, "function": [TOOL]},
            {"id": "own_irrelevance_1", "question": question, "function": [TOOL]},
        ],
    )
    answers = tmp_path / "answers.json"
    write_json_lines(answers, [{"id": "own_0", "ground_truth": [{"geo.find": ANSWERS}]}])
    assert main(["import", str(questions), "--with", str(answers), "-o", str(results)]) == 0
    rows = [json.loads(line) for line in results.read_text().splitlines()]
    scored = tmp_path / "scored.jsonl"
    texts = [json.dumps(row["gold"]) if row["should_call_tool"] else "No tool fits." for row in rows]
    write_json_lines(scored, [{**row, "raw_text": text} for row, text in zip(rows, texts, strict=True)])
    capsys.readouterr()
    assert main(["score", str(scored), "--protocol", "accepted_values.v1", "--json"]) == 0
    metrics = json.loads(capsys.readouterr().out)["metrics"]
    assert [value["value"] for value in metrics.values()] == [1.0] * 5
