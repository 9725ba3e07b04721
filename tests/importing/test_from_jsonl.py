"""Rows of outputs become examples and generations, or an error with file and line."""

import json

import pytest

from faircall.digest import sha256_text
from faircall.errors import (
    ColumnUnknown,
    DataError,
    DuplicateId,
    GoldMissing,
    IdMismatch,
    InvariantViolation,
    RowInvalid,
    UsageError,
)
from faircall.importing.from_jsonl import import_gold, import_rows
from faircall.records import ToolCall
from faircall.store.files import JsonLine

GOLD = {"name": "wx", "arguments": {"city": "Graz"}}


def lines(*rows):
    return [JsonLine(number, row) for number, row in enumerate(rows, start=1)]


def imported(*rows, **options):
    return import_rows(lines(*rows), label="rows.jsonl", **options)


def row(**cells):
    return {"id": "a", "raw_text": "t", "gold": GOLD} | cells


@pytest.mark.parametrize(
    "cells",
    [
        {"id": "a", "raw_text": "t", "gold": GOLD},
        {"example_id": "a", "output": "t", "answers": json.dumps([GOLD])},
        {"task_id": "a", "completion": "t", "ground_truth": [GOLD]},
        {"id": "a", "generated_text": "t", "target_text": json.dumps(GOLD)},
        {"id": "a", "raw_text": "t", "gold": GOLD, "response": "not this"},
    ],
)
def test_common_names_and_forms_are_recognised(cells):
    found = imported(cells)
    assert found.examples[0].gold == ToolCall("wx", {"city": "Graz"})
    assert (found.examples[0].example_id, found.generations[0].raw_text) == ("a", "t")
    assert found.ids_given


def test_every_field_finds_its_place():
    found = imported(
        row(
            id=7,
            tools='[{"name": "wx"}]',
            language="fr",
            source_example_id=6,
            prompt="<p>",
            finish_reason="length",
            decoding={"temperature": 0.0},
            model="m",
            query="q",
            messages=[{"role": "user"}],
            failure=None,
        ),
        row(id=8, tools=[{"name": "wx"}], decoding={"temperature": 0.0}, model="m"),
    )
    example, generation = found.examples[0], found.generations[0]
    assert (example.example_id, example.root, example.language) == ("7", "6", "fr")
    assert (example.query, example.messages) == ("q", ({"role": "user"},))
    assert example.tools == ({"name": "wx"},)
    assert found.examples[1].tools is example.tools
    assert (generation.prompt_sha256, generation.finish_reason) == (sha256_text("<p>"), "length")
    assert found.identity == {"model": {"base_model_id": "m"}, "decoding": {"temperature": 0.0}}


@pytest.mark.parametrize(
    ("given", "stated"), [(0, "0.0"), (0.0, "0.0"), (1, "1"), (False, "False"), ("0", "'0'")]
)
def test_a_temperature_of_0_is_one_of_0_0_and_nothing_else_is_coerced(given, stated):
    decoding = imported(row(decoding={"temperature": given, "max_new_tokens": 0})).identity["decoding"]
    assert (repr(decoding["temperature"]), repr(decoding["max_new_tokens"])) == (stated, "0")


def test_rows_without_ids_are_numbered_and_say_so():
    found = imported({"raw_text": "t", "gold": GOLD}, {"raw_text": "u", "gold": GOLD})
    assert [example.example_id for example in found.examples] == ["1", "2"]
    assert not found.ids_given


def test_null_text_is_a_model_that_wrote_nothing():
    assert imported(row(raw_text=None)).generations[0].raw_text == ""


def test_a_map_wins_over_recognised_names():
    found = imported(row(out="u"), columns={"raw_text": "out"})
    assert found.generations[0].raw_text == "u"
    assert imported({"id": 1, "output": "x", "answer": GOLD}, columns={"gold": "answer"}).columns == {
        "id": "id",
        "raw_text": "output",
        "gold": "answer",
    }


@pytest.mark.parametrize(
    ("rows", "error", "told"),
    [
        ([row(), row(id="b"), row()], DuplicateId, ["'a'", "line 1", "line 3"]),
        ([row(id="1"), row(id=1)], DuplicateId, ["'1'", "line 1", "line 2"]),
        ([row(), {"raw_text": "t", "gold": GOLD}], RowInvalid, ["rows.jsonl:2", "no id"]),
        ([{"raw_text": "t", "gold": GOLD}, row()], RowInvalid, ["rows.jsonl:2", "an id"]),
        ([row(id=None)], RowInvalid, ["rows.jsonl:1", "id"]),
        ([row(id=1.5)], RowInvalid, ["rows.jsonl:1", "number"]),
        ([row(id=True)], RowInvalid, ["rows.jsonl:1", "boolean"]),
        ([[]], RowInvalid, ["rows.jsonl:1", "not an object"]),
        ([{"id": "a", "gold": GOLD}], ColumnUnknown, ["rows.jsonl:1", "raw text"]),
        ([{"id": "a", "raw_text": "t"}], GoldMissing, ["rows.jsonl:1", "gold"]),
        ([row(gold=None)], GoldMissing, ["rows.jsonl:1", "gold"]),
        ([row(raw_text={"name": "f"})], RowInvalid, ["rows.jsonl:1", "an object, not text"]),
        ([row(gold=[GOLD, GOLD])], RowInvalid, ["rows.jsonl:1", "2 calls"]),
        ([row(gold=[])], RowInvalid, ["rows.jsonl:1", "no calls"]),
        ([row(gold="{'name': 1}")], RowInvalid, ["rows.jsonl:1", "gold is not valid JSON"]),
        ([row(gold='{"name":"f","name":"g","arguments":{}}')], RowInvalid, ["repeats a key"]),
        ([row(gold={"name": "f", "arguments": '{"city": "Graz"}'})], RowInvalid, ["not an object"]),
        ([row(gold={"name": "f", "arguments": {}, "id": 1})], RowInvalid, ["exactly the keys"]),
        ([row(gold={"name": "", "arguments": {}})], RowInvalid, ["name"]),
        ([row(gold=3)], RowInvalid, ["not an object"]),
        ([row(tools={"name": "f"})], RowInvalid, ["tools is not an array"]),
        ([row(tools="[")], RowInvalid, ["tools is not valid JSON"]),
        ([row(language=3)], RowInvalid, ["language is a number"]),
        (
            [{"id": 1, "output": "t", "response": "u", "gold": GOLD}],
            ColumnUnknown,
            ["'output'", "'response'"],
        ),
        ([row(prompt="p", prompt_sha256="0" * 64)], InvariantViolation, ["rows.jsonl:1", "digest"]),
        ([row(decoding={"t": 0}), row(id="b", decoding={"t": 1})], InvariantViolation, [":2", "decoding"]),
        ([row(decoding={"t": 0}), row(id="b")], InvariantViolation, [":2", "decoding"]),
        ([row(decoding={"t": 1}), row(id="b", decoding={"t": 1.0})], InvariantViolation, [":2", "decoding"]),
        ([row(decoding={"t": 1}), row(id="b", decoding={"t": True})], InvariantViolation, [":2", "decoding"]),
        ([row(tools="null")], RowInvalid, ["tools is not an array"]),
        ([row(model="m"), row(id="b", model="n")], DataError, [":2", "model"]),
    ],
)
def test_what_is_wrong_is_named(rows, error, told):
    with pytest.raises(error) as caught:
        imported(*rows)
    for part in told:
        assert part in caught.value.message
    assert caught.value.hint


def test_the_hints_say_what_to_do():
    with pytest.raises(ColumnUnknown) as caught:
        imported({"id": 1, "output": "t", "response": "u", "gold": GOLD})
    assert "--map raw_text=" in caught.value.hint
    with pytest.raises(GoldMissing) as missing:
        imported({"id": 1, "output": "t"})
    assert "faircall check" in missing.value.hint
    with pytest.raises(ColumnUnknown) as unknown:
        imported(row(), columns={"raw_text": "outputs"})
    assert "'raw_text'" in unknown.value.hint
    with pytest.raises(UsageError):
        imported(row(), columns={"raw": "raw_text"})


def test_gold_is_optional_where_it_is_not_needed():
    assert imported({"id": 1, "output": "t"}, gold_needed=False).examples[0].gold is None


def test_a_gold_file_is_joined_by_id():
    columns = {"raw_text": "out", "gold": "call"}
    gold = import_gold(
        lines({"id": "b", "call": GOLD, "language": "fr"}, {"id": "a", "call": GOLD}),
        label="gold.jsonl",
        columns=columns,
    )
    rows = [{"id": "a", "out": "1", "answer": "x"}, {"id": "b", "out": "2", "language": "en"}]
    found = imported(*rows, gold=gold, columns=columns)
    assert [
        (e.example_id, e.language, g.raw_text) for e, g in zip(found.examples, found.generations, strict=True)
    ] == [
        ("a", None, "1"),
        ("b", "fr", "2"),
    ]
    with pytest.raises(IdMismatch, match="'b'"):
        imported(rows[0], gold=gold, columns=columns)
    with pytest.raises(IdMismatch, match=r"rows\.jsonl:3.*'c'"):
        imported(*rows, {"id": "c", "out": ""}, gold=gold, columns=columns)
    with pytest.raises(ColumnUnknown, match=r"gold\.jsonl"):
        import_gold(lines({"call": GOLD}), label="gold.jsonl", columns=columns)
    with pytest.raises(GoldMissing):
        import_gold(lines({"id": "a"}), label="gold.jsonl")
