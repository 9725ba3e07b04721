"""Checks without gold: what each applies to, what it counts, and its interval."""

import pytest

from faircall.records import Example, Generation, Parsed, ToolCall
from faircall.scoring.dialects import in_dialect
from faircall.scoring.output_checks import CheckedRow, Due, check_outputs, read_due

TOOL = {
    "name": "wx",
    "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
}


def row(
    call=None,
    *,
    reason="no_bracket",
    tools=(TOOL,),
    name="a",
    finish=None,
    due=None,
    cluster=None,
    source=None,
):
    example = Example(name, tools=tools, source_example_id=source, truth=Due(due))
    parsed = (
        Parsed(None, "no_json", reason, calls=() if reason == "no_bracket" else None)
        if call is None
        else Parsed(ToolCall(*call), "ok")
    )
    return CheckedRow(example, Generation(name, "", finish_reason=finish), parsed, cluster or name)


GOOD = ("wx", {"city": "Graz"})


def counts(rows, check):
    found = check_outputs(rows)["checks"][check]
    return found["numerator"], found["denominator"]


@pytest.mark.parametrize(
    ("check", "rows", "expected"),
    [
        ("readable", [row(GOOD), row(name="b")], (1, 2)),
        ("schema_valid", [row(GOOD), row(("wx", {"city": 3}), name="b"), row(name="c")], (1, 2)),
        ("schema_valid", [row(GOOD, tools=None), row(("other", {}), name="b")], (0, 0)),
        ("unknown_tool", [row(GOOD), row(("other", {}), name="b"), row(GOOD, tools=None, name="c")], (1, 2)),
        (
            "invented_argument",
            [row(GOOD), row(("wx", {"colour": 1}), name="b"), row(("no", {}), name="c")],
            (1, 2),
        ),
        ("truncated", [row(finish="length"), row(finish="stop", name="b"), row(name="c")], (1, 2)),
        ("repeated_call", [row(GOOD), row(GOOD, name="b"), row(("wx", {}), name="c")], (1, 3)),
        ("repeated_call", [row(GOOD), row(GOOD, name="b", source="a")], (0, 2)),
    ],
)
def test_a_check_counts_the_rows_that_it_applies_to(check, rows, expected):
    assert counts(rows, check) == expected


def test_call_or_not_has_precision_and_recall_and_malformed_output_is_no_abstention():
    rows = [
        row(GOOD, name="a", due=True),
        row(GOOD, name="b", due=False),
        row(name="c", due=False),
        row(name="d", due=True),
        row(reason="bad_json", name="e", due=False),
        row(GOOD, name="f"),
    ]
    assert counts(rows, "call_precision") == (1, 2)
    assert counts(rows, "call_recall") == (1, 2)
    assert counts(rows, "no_call_precision") == (1, 2)
    assert counts(rows, "no_call_recall") == (1, 3)
    assert "call_recall" not in check_outputs([row(GOOD)])["checks"]


def test_clusters_widen_the_interval():
    apart = [row(GOOD if n < 10 else None, name=str(n)) for n in range(20)]
    together = [r._replace(cluster=str(n // 10)) for n, r in enumerate(apart)]
    narrow, wide = (check_outputs(rows)["checks"]["readable"]["interval"] for rows in (apart, together))
    assert wide["upper"] - wide["lower"] > narrow["upper"] - narrow["lower"]


def test_no_rows_have_no_interval():
    report = check_outputs([])
    assert report["checks"]["readable"]["denominator"] == 0
    assert report["rows"] == 0


def test_the_dialect_of_bfcl_is_translated_at_every_depth():
    inner = {"type": "array", "items": {"type": "tuple", "items": {"type": "float"}}}
    schema = {"type": "dict", "properties": {"a": inner, "b": {"type": "any"}, "type": {"type": "string"}}}
    tools = [{"type": "function", "function": {"name": "f", "parameters": schema}}]
    assert in_dialect(tools, "json_schema") == tuple(tools)
    assert in_dialect(tools, "auto") == in_dialect(tools, "bfcl")
    assert in_dialect(tools, "auto") == (
        {
            "name": "f",
            "parameters": {
                "type": "object",
                "properties": {
                    "a": {"type": "array", "items": {"type": "array", "items": {"type": "number"}}},
                    "b": {},
                    "type": {"type": "string"},
                },
            },
        },
    )


def test_only_schemas_are_translated_and_json_schema_is_left_alone():
    default = {"type": "dict", "value": ["float"]}
    schema = {"type": "dict", "properties": {"x": {"type": "dict", "default": default, "enum": ["any"]}}}
    (found,) = in_dialect([{"name": "f", "parameters": schema}], "bfcl")
    assert found["parameters"]["properties"]["x"] == {"type": "object", "default": default, "enum": ["any"]}
    assert in_dialect([TOOL], "auto") == (TOOL,)
    deep = {"type": "dict"}
    for _ in range(400):
        deep = {"type": "dict", "properties": {"x": deep}}
    assert in_dialect([{"name": "f", "parameters": deep}], "auto")[0]["parameters"]["type"] == "object"


def test_several_calls_are_checked_one_by_one():
    good, bad, other = ToolCall(*GOOD), ToolCall("wx", {"town": 1}), ToolCall("map", {})

    def several(name, *calls):
        found = Parsed(None, "invalid_shape", "multiple_calls", calls=calls)
        return row(name=name)._replace(parsed=found)

    rows = [several("a", good, good), several("b", good, bad), several("c", other, good)]
    assert counts(rows, "readable") == (3, 3)
    assert counts(rows, "schema_valid") == (2, 3)
    assert counts(rows, "unknown_tool") == (1, 3)
    assert counts(rows, "invented_argument") == (1, 3)
    assert counts(rows, "repeated_in_answer") == (1, 3)
    assert counts(rows, "repeated_call") == (2, 3)
    report = check_outputs(rows)
    assert report["unknown_tools"] == {"map": 1}
    assert report["invented_arguments"] == {"wx.town": 1}


def test_malformed_output_is_neither_a_call_nor_a_silence():
    rows = [row(reason="bad_json", name="a", due=True), row(reason="bad_json", name="b", due=False)]
    assert counts(rows, "malformed") == (2, 2)
    assert [counts(rows, f"{kind}_recall") for kind in ("call", "no_call")] == [(0, 1), (0, 1)]
    assert [counts(rows, f"{kind}_precision") for kind in ("call", "no_call")] == [(0, 0), (0, 0)]


def test_whether_a_call_is_due_is_true_or_false():
    assert read_due({"should_call_tool": False}) == Due(False)
    assert read_due({"gold": "whatever"}) == Due(None)
    with pytest.raises(ValueError, match="neither true nor false"):
        read_due({"should_call_tool": 1})
