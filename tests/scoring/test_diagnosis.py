"""What a report says about the misses of one arm."""

import json

from faircall.parsing.tool_call import parse_generations
from faircall.records import Example, Generation, ToolCall
from faircall.scoring.diagnosis import diagnose
from faircall.scoring.scores import score_rows

TOOLS = tuple(
    {"name": name, "parameters": {"type": "object", "properties": {"n": {"type": "integer"}}}}
    for name in ("f", "g", "no_call")
)


def call(name, arguments):
    return json.dumps({"name": name, "arguments": arguments})


def diagnosed(rows, tools=TOOLS):
    examples = [Example(str(i), ToolCall(*gold), tools=tools) for i, (gold, _) in enumerate(rows)]
    generations = [Generation(str(i), text) for i, (_, text) in enumerate(rows)]
    return diagnose(examples, score_rows(examples, generations, parse_generations(generations)))


ROWS = [
    (("f", {"n": 1}), call("f", {"n": 1}) + " {"),
    (("f", {"n": 1}), call("f", {"n": 2})),
    (("f", {"n": 1, "m": 1}), call("f", {"n": "2"})),
    (("f", {"n": 1}), call("g", {"n": 1})),
    (("f", {"n": 1}), call("no_call", {})),
    (("f", {"n": 1}), call("zzz", {})),
    (("g", {}), "nothing"),
]


def test_a_diagnosis_counts_every_row():
    found = diagnosed(ROWS)
    assert found["examples"] == 7
    assert found["statuses"] == {"ok": 6, "no_json": 1, "invalid_json": 0, "invalid_shape": 0}
    assert list(found["causes"].items()) == [
        ("wrong_tool", 2),
        ("missing_argument", 1),
        ("no_json:no_bracket", 1),
        ("unknown_tool", 1),
        ("wrong_value", 1),
    ]
    assert found["trailing_json"] == 1
    assert found["confusion"] == [
        {
            "gold": "f",
            "examples": 6,
            "predicted": {"f": 3, "g": 1, "no_call": 1},
            "no_call": 0,
            "unknown_tool": 1,
        },
        {"gold": "g", "examples": 1, "predicted": {}, "no_call": 1, "unknown_tool": 0},
    ]
    assert found["worst_arguments"] == [
        {"tool": "f", "argument": "n", "examples": 3, "missing": 0, "wrong": 2},
        {"tool": "f", "argument": "m", "examples": 1, "missing": 1, "wrong": 0},
    ]
    validity = found["schema_validity"]
    assert (validity["numerator"], validity["denominator"], validity["unknown_tool"]) == (4, 5, 1)
    json.dumps(found, allow_nan=False)


def test_tools_that_are_not_known_are_not_unknown_tools():
    found = diagnosed(ROWS, tools=None)
    assert found["confusion"][0]["predicted"] == {"f": 3, "g": 1, "no_call": 1, "zzz": 1}
    assert found["causes"]["wrong_tool"] == 3
    assert found["schema_validity"]["no_schema"] == 6
    assert found["schema_validity"]["denominator"] == 0


def test_row_order_is_nothing():
    assert diagnosed(ROWS) == diagnosed(ROWS[::-1])
