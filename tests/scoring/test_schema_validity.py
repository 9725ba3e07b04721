"""Schema validity under schemas that want to break the checker."""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from jsonschema import validators

from faircall.records import Example, ToolCall
from faircall.scoring import schema_validity
from faircall.scoring.backtracking import is_search_bounded
from faircall.scoring.causes import invented_arguments
from faircall.scoring.schema_validity import first_violation, validity


def verdict(schema, arguments):
    return validity([{"name": "f", "parameters": schema}], ToolCall("f", arguments))


@pytest.mark.parametrize(
    ("schema", "arguments", "expected"),
    [
        ({"properties": {"a": {"type": "integer"}}, "required": ["a"]}, {"a": 1}, "valid"),
        ({"properties": {"a": {"type": "integer"}}, "required": ["a"]}, {"a": "1"}, "invalid"),
        ({"properties": {"a": {"type": "integer"}}, "required": ["a"]}, {}, "invalid"),
        ({"additionalProperties": False}, {"a": 1}, "invalid"),
        ({"properties": {"a": {"enum": ["x"]}}}, {"a": "y"}, "invalid"),
        (
            {"properties": {"a": {"prefixItems": [{"type": "string"}]}}},
            {"a": [1]},
            "invalid",
        ),
        ({"$defs": {"n": {"type": "number"}}, "properties": {"a": {"$ref": "#/$defs/n"}}}, {"a": 1}, "valid"),
        ({"properties": {"a": {"pattern": "^[a-z]+$"}}}, {"a": "abc"}, "valid"),
        ({"properties": {"a": {"pattern": "^[a-z]+$"}}}, {"a": "ABC"}, "invalid"),
        ({"type": "dict"}, {}, "unusable_schema"),
        ({"properties": {"a": {"type": "str"}}}, {"a": 1}, "unusable_schema"),
        ("{}", {}, "unusable_schema"),
        (None, {}, "no_schema"),
        ({"properties": {"a": {"$ref": "http://127.0.0.1:9/x.json"}}}, {"a": 1}, "unusable_schema"),
        ({"properties": {"a": {"$ref": "file:///etc/hostname"}}}, {"a": 1}, "unusable_schema"),
        ({"properties": {"a": {"pattern": "("}}}, {"a": "x"}, "unusable_schema"),
        ({"$ref": "#"}, {"a": 1}, "unusable_schema"),
        ({"properties": {"a": {"multipleOf": 0.5}}}, {"a": 10**400}, "unusable_schema"),
    ],
)
def test_verdicts(schema, arguments, expected):
    assert verdict(schema, arguments) == expected


def test_a_schema_that_doubles_at_each_level_ends_soon():
    schema = {"$defs": {"d0": {}}, "$ref": "#/$defs/d60"}
    for level in range(1, 61):
        schema["$defs"][f"d{level}"] = {"allOf": [{"$ref": f"#/$defs/d{level - 1}"}] * 2}
    start = time.process_time()
    assert verdict(schema, {}) == "unusable_schema"
    assert time.process_time() - start < 5


def test_a_pattern_that_doubles_with_each_letter_ends_soon():
    for schema in (
        {"properties": {"a": {"pattern": "^(a+)+$"}}},
        {"properties": {"a": {"pattern": "^(a|a)*$"}}},
        {"properties": {"a": {"patternProperties": {"^(a+)+$": {}}}}},
    ):
        value = "a" * 60 + "!"
        argument = value if "pattern" in schema["properties"]["a"] else {value: 1}
        assert verdict(schema, {"a": argument}) == "unusable_schema"


@pytest.mark.parametrize(
    ("pattern", "length", "expected"),
    [
        (r"^\d{4}-\d{2}-\d{2}$", 1000, True),
        (r"^[^@]+@[^@]+\.[a-z]{2,}$", 60, True),
        (r"^(red|green|blue)$", 500, True),
        (r"(a?){40}a{40}", 40, False),
        (r"(.*)*x", 30, False),
        (r"(x+x+)+y", 30, False),
        (r"^(?:(?=(a+))\1)*$", 60, False),
        (r"a*a*a*a*a*b", 500, False),
    ],
)
def test_the_worst_case_of_a_pattern_is_bounded(pattern, length, expected):
    assert is_search_bounded(pattern, length) is expected


@pytest.mark.parametrize("key", ["parameters", "input_schema"])
def test_a_schema_counts_under_the_key_of_either_form(key):
    tools = [{"name": "f", key: {"type": "object", "properties": {"x": {"type": "string"}}}}]
    assert first_violation(tools, ToolCall("f", {"x": "a"})) is None
    assert "is not of type" in (first_violation(tools, ToolCall("f", {"x": 1})) or "")
    assert invented_arguments(Example("1", tools=tuple(tools)), ToolCall("f", {"y": 1})) == {"y"}


def test_a_tool_that_is_not_offered_has_no_schema():
    assert validity([{"name": "g"}], ToolCall("f", {})) == "unknown_tool"
    assert validity(None, ToolCall("f", {})) == "no_schema"
    assert validity(["odd", {"function": 3}], ToolCall("f", {})) == "unknown_tool"


def test_many_schemas_share_one_validator_class(monkeypatch):
    made, extend = [], validators.extend
    monkeypatch.setattr(validators, "extend", lambda *parts: made.append(parts) or extend(*parts))
    schema_validity._bounded_validator.cache_clear()
    for number in range(9):
        assert verdict({"required": [f"only here {number}"]}, {}) == "invalid"
    assert len(made) == 1


def test_the_budget_of_a_call_is_not_that_of_the_call_before_it_nor_of_another_thread(monkeypatch):
    monkeypatch.setattr(schema_validity, "MAX_STEPS", 40)
    dear, cheap = {"items": {"minimum": 0}}, {"properties": {"a": {"items": {"minimum": 0}}}}
    assert verdict({"properties": {"a": dear}}, {"a": [1] * 100}) == "unusable_schema"
    assert verdict(cheap, {"a": [1] * 10}) == "valid"
    steps = schema_validity._bounded_validator()[1]
    steps.left = 0
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(verdict, cheap, {"a": [1] * 10}).result() == "valid"
    assert steps.left == 0
