"""A declared reader in an evaluation: identity, the default beside it, notices, and what is refused."""

import json
from pathlib import Path

import pytest

from faircall.api import compare, load_evaluation, score_file
from faircall.api.evaluation import Evaluation
from faircall.errors import ColumnUnknown, ConfigError, Incomparable, UsageError
from faircall.store.atomic import write_json, write_json_lines

GOLD = {"name": "wx", "arguments": {"city": "Graz"}}
CALL = json.dumps(GOLD)
HERMES = f"<tool_call>{CALL}</tool_call>"
CASES = Path(__file__).parent.parent / "cases"


def rows_file(folder, rows, name="rows.jsonl"):
    path = folder / name
    write_json_lines(path, [{"id": str(i), "gold": GOLD, **row} for i, row in enumerate(rows)])
    return path


def full(evaluation):
    value = evaluation.metrics["full_call_exact_match"]
    return value.numerator, value.denominator


def test_the_default_is_computed_beside_another_reader(tmp_path):
    path = rows_file(tmp_path, [{"raw_text": f'<think>{{"a": 1}}</think>{HERMES}'}, {"raw_text": HERMES}])
    evaluation = score_file(path, reader="think.v1+hermes.v1")
    assert full(evaluation) == (2, 2)
    assert evaluation.identity["reader"]["name"] == "think.v1+hermes.v1"
    reading = evaluation.diagnosis["reading"]
    assert reading["beside"]["reader"] == "sommelier.parser.v1"
    assert reading["beside"]["metrics"]["full_call_exact_match"]["numerator"] == 1
    assert reading["thought"] == len('{"a":1}')


def test_a_stored_prompt_opens_the_thought(tmp_path):
    path = rows_file(
        tmp_path, [{"raw_text": f'{{"a": 1}}</think>{CALL}', "prompt": "user: rain?\n<think>\n"}]
    )
    assert full(score_file(path, reader="think.v1")) == (1, 1)
    assert full(score_file(path)) == (0, 1)


def test_the_default_reader_gives_a_notice_and_switches_nothing(tmp_path):
    evaluation = score_file(rows_file(tmp_path, [{"raw_text": f"<think>[1]</think>{HERMES}"}]))
    assert full(evaluation) == (0, 1)
    assert evaluation.identity["reader"]["name"] == "sommelier.parser.v1"
    assert evaluation.diagnosis["reading"]["notice"].endswith("--reader think.v1+hermes.v1")


def test_rows_without_markers_have_nothing_to_say(tmp_path):
    assert "reading" not in score_file(rows_file(tmp_path, [{"raw_text": CALL}])).diagnosis


def behaviour(name):
    lines = (CASES / "importing" / "behaviour.jsonl").read_text(encoding="ascii").splitlines()
    return next(case for case in map(json.loads, lines) if case["id"].startswith(name))


def test_r11_messages_of_a_server_are_read_by_the_native_reader_and_noticed_by_the_default(tmp_path):
    messages = behaviour("R11")["input"]
    path = rows_file(tmp_path, [messages[name] for name in "abcd"])
    native = score_file(path, reader="openai_chat.native.v1")
    assert [parsed.status for parsed in native.scores.parsed] == ["ok", "no_json", "no_json", "no_json"]
    assert native.diagnosis["reading"]["label"] == "after the server's parser"
    default = score_file(path)
    assert [parsed.status for parsed in default.scores.parsed] == ["no_json"] * 4
    assert "openai_chat.native.v1" in default.diagnosis["reading"]["notice"]


def test_a_native_reader_needs_messages(tmp_path):
    with pytest.raises(ColumnUnknown, match="no row has a message"):
        score_file(rows_file(tmp_path, [{"raw_text": CALL}]), reader="anthropic.native.v1")


def test_an_unknown_reader_is_refused(tmp_path):
    with pytest.raises(ConfigError, match=r"hermes\.v1"):
        score_file(rows_file(tmp_path, [{"raw_text": CALL}]), reader="hermes")


def test_readers_that_differ_are_not_comparable_unless_declared(tmp_path):
    path = rows_file(tmp_path, [{"raw_text": HERMES}])
    arms = score_file(path, name="a"), score_file(path, name="b", reader="hermes.v1")
    with pytest.raises(Incomparable, match="reader"):
        compare(*arms)
    assert compare(*arms, vary=("reader",)).to_dict()["treatment"]


def test_a_stored_evaluation_keeps_its_reader(tmp_path):
    evaluation = score_file(rows_file(tmp_path, [{"raw_text": HERMES}]), reader="hermes.v1")
    stored = tmp_path / "scored.json"
    write_json(stored, evaluation.to_dict())
    assert Evaluation.from_dict(evaluation.to_dict()).diagnosis["reading"]["reader"] == "hermes.v1"
    assert load_evaluation(stored, reader="hermes.v1").metrics == evaluation.metrics
    with pytest.raises(UsageError, match=r"read by hermes\.v1"):
        load_evaluation(stored, reader="think.v1")
