"""The examples behind a report: joined by id, with what each arm answered and what was asked."""

import json

from faircall.api.evaluation import Evaluation, evaluate
from faircall.api.example_rows import MAX_PAIRS, example_rows
from faircall.api.stored import as_result
from faircall.records import Example, Generation, ToolCall
from faircall.scoring import protocols

RIGHT = '{"name": "wx", "arguments": {"city": "Graz"}}'


def evaluated(answers, *, prompts=None, **changes):
    examples = [Example(key, ToolCall("wx", {"city": "Graz"}), **changes) for key in answers]
    generations = [Generation(key, text) for key, text in answers.items()]
    return evaluate(examples, generations, name="arm", prompts=prompts)


def test_arms_are_joined_by_id_and_keep_the_order_of_the_first():
    first = evaluated({"a": RIGHT, "b": "no"})
    second = evaluated({"b": RIGHT, "a": "no"})
    rows = example_rows(as_result(first), as_result(second))
    assert [row.example_id for row in rows] == ["a", "b"]
    assert [[answer.text for answer in row.answers] for row in rows] == [[RIGHT, "no"], ["no", RIGHT]]
    assert rows[0].answers[0].right == (1, 1, 1, 1)
    assert rows[0].answers[1].cause == "no_json:no_bracket"
    assert rows[0].answers[0].span == (0, len(RIGHT))


def test_what_was_asked_is_the_query_else_the_last_message_else_the_prompt():
    said = ({"role": "user", "content": "first"}, {"role": "user", "content": "last"})
    texts = {
        "query": evaluated({"a": "x"}, query="query", messages=said, prompts=["prompt"]),
        "last": evaluated({"a": "x"}, messages=said, prompts=["prompt"]),
        "prompt": evaluated({"a": "x"}, prompts=["prompt"]),
        None: evaluated({"a": "x"}),
    }
    for expected, evaluation in texts.items():
        assert evaluation.asked == (expected,)
        assert Evaluation.from_dict(json.loads(json.dumps(evaluation.to_dict()))).asked == (expected,)


def test_an_evaluation_that_was_stored_before_requests_were_kept_is_still_read():
    stored = json.loads(json.dumps(evaluated({"a": RIGHT}).to_dict()))
    for record in stored["records"]:
        record.pop("asked")
    assert Evaluation.from_dict(stored).asked == (None,)


def test_a_call_with_very_many_arguments_is_not_listed_path_by_path():
    many = {"name": "wx", "arguments": {f"k{n}": n for n in range(MAX_PAIRS + 1)}}
    row = example_rows(as_result(evaluated({"a": json.dumps(many)})))[0]
    assert row.answers[0].pairs is None
    assert row.answers[0].name == "wx"
    assert row.pairs == {"city": '"Graz"'}


def test_gold_of_another_protocol_is_kept_as_its_json():
    truth = protocols.get("multi_call.v1").load_truth({"calls": [json.loads(RIGHT), json.loads(RIGHT)]})
    evaluation = evaluate(
        [Example("a", truth=truth), Example("b", truth=protocols.NO_CALL)],
        [Generation("a", f"[{RIGHT}, {RIGHT}]"), Generation("b", "[]")],
        name="arm",
        protocol="multi_call.v1",
    )
    first, second = example_rows(as_result(evaluation))
    assert (first.name, second.name) == ("wx, wx", "no call")
    assert json.loads(first.gold_text) == truth.to_dict()
    assert first.pairs is None
    assert first.answers[0].name in ("wx, wx", None)
