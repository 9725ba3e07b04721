"""Rows read by column are the rows read one by one; whatever is not usual is left to the latter."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from faircall.canonical import canonical_json
from faircall.errors import FaircallError
from faircall.importing.from_jsonl import import_rows
from faircall.importing.row_columns import columns_of, read_columns
from faircall.store.files import decode_lines
from faircall.strict_json.columns import escape

GOLD = {"name": "f", "arguments": {"x": 1}}
ROW = {"id": "a", "raw_text": "no", "gold": GOLD}


def dump(row):
    return json.dumps(row).encode()


def one_by_one(data, columns=None):
    rows = import_rows(decode_lines(data.split(b"\n"), label="rows", number=1), label="rows", columns=columns)
    return columns_of(rows) if rows.examples and rows.ids_given else None


def assert_same(found, expected):
    assert found._replace(gold_texts=None) == expected._replace(gold_texts=None)
    assert [json.loads(text) for text in found.gold_texts] == [gold.to_dict() for gold in expected.golds]
    assert [[*gold.arguments] for gold in found.golds] == [[*gold.arguments] for gold in expected.golds]


@pytest.mark.parametrize(
    "row",
    [
        ROW,
        {**ROW, "id": 7, "source_example_id": 8, "language": "fr", "note": {"any": [1, {"thing": ":"}]}},
        {**ROW, "raw_text": None, "language": None, "source_example_id": "", "failure": "timeout"},
        {**ROW, "gold": json.dumps(GOLD)},
        {**ROW, "gold": [GOLD]},
        {**ROW, "gold": json.dumps([GOLD], indent=1)},
        {
            **ROW,
            "gold": {"name": "f", "arguments": {"a": 2**70, "b": 1e22, "c": -0.0, "d": "é\u2028:", "e": []}},
        },
        {**ROW, "gold": {"name": "f", "arguments": {"path": "C:\\new", "emoji": "\U0001f600"}}},
        {**ROW, "tools": [{"name": "f"}], "messages": [{"role": "user"}], "message": {"content": ":"}},
        {**ROW, "tools": '[{"name": "f"}]', "messages": '[{"role": "user"}]'},
        {**ROW, "model": "m", "decoding": {"temperature": 0}, "finish_reason": "stop", "query": "q"},
        {"a: b": 1, **ROW, "prompt": ["not", "text"], "prompt_sha256": "0" * 64},
        {"task_id": "a", "resps": "no", "target": GOLD},
    ],
)
def test_usual_rows_are_taken(row):
    data = (
        dump(row)
        + b"\n"
        + dump({**row, "id": "b", "task_id": "b"} if "id" in row else {**row, "task_id": "b"})
    )
    assert_same(read_columns(data), one_by_one(data))


@pytest.mark.parametrize(
    "data",
    [
        dump(ROW) + b"\r\n \n" + dump({**ROW, "id": "b"}) + b"  \r\n",
        dump(ROW) + b"\n" + dump({**ROW, "id": "b", "language": "fr"}),
        dump({**ROW, "language": "fr"}) + b"\n" + dump({**ROW, "id": "b"}),
        dump({**ROW, "lang": "fr"})
        + b"\n"
        + dump({**ROW, "id": "b", "locale": 1}).replace(b"locale", b"place"),
    ],
)
def test_lines_may_be_untidy_and_rows_may_lack_columns(data):
    assert_same(read_columns(data), one_by_one(data))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b'"text"',
        dump(ROW)[:-1],
        dump(ROW) + dump({**ROW, "id": "b"}),
        dump(ROW)[:-1] + b"\n" + b"}",
        dump(ROW) + b"\n" + dump(ROW),
        b"\xef\xbb\xbf" + dump(ROW),
        dump(ROW).replace(b'"no"', b'"\xff"'),
        dump(ROW).replace(b'"no"', b'"\\ud83d"'),
        dump(ROW).replace(b'"id"', b'"id": "z", "id"'),
        dump(ROW).replace(b'"x"', b'"x": 2, "x"'),
        dump(ROW).replace(b'"x": 1', b'"x": "\\u003a", "x": "\\u003a"'),
        dump(ROW).replace(b'"x": 1', b'"x" : 1, "x":"::"'),
        dump(ROW).replace(b": 1", b": " + b"9" * 1001),
        dump(ROW).replace(b": 1", b": 1e400"),
        dump(ROW).replace(b": 1", b": " + b"[" * 255 + b"]" * 255),
        dump({**ROW, "other": 1}).replace(b"1}", b"{}}").replace(b'"other": {}', b'"o": {"a": 1, "a": 2}'),
        dump({**ROW, "id": True}),
        dump({**ROW, "id": ""}),
        dump({**ROW, "id": None}),
        dump({**ROW, "raw_text": 1}),
        dump({"id": "a", "gold": GOLD}),
        dump({"id": "a", "gold": GOLD, "message": {"content": "no"}}),
        dump({"raw_text": "no", "gold": GOLD}),
        dump({"id": "a", "raw_text": "no"}),
        dump({**ROW, "gold": None}),
        dump({**ROW, "gold": []}),
        dump({**ROW, "gold": [GOLD, GOLD]}),
        dump({**ROW, "gold": {**GOLD, "name": ""}}),
        dump({**ROW, "gold": {**GOLD, "type": "function"}}),
        dump({**ROW, "gold": {**GOLD, "arguments": "{}"}}),
        dump({**ROW, "gold": '{"name": "f", "arguments": {"x": 1, "x": 1}}'}),
        dump({**ROW, "gold": "f(x=1)"}),
        dump({**ROW, "language": 1}),
        dump({**ROW, "source_example_id": 1.5}),
        dump({**ROW, "tools": [1]}),
        dump({**ROW, "tools": "[{]"}),
        dump({**ROW, "tools": "null"}),
        dump({**ROW, "messages": {}}),
        dump({**ROW, "messages": "null"}),
        dump({**ROW, "message": "text"}),
        dump({**ROW, "prompt": "p", "prompt_sha256": "0" * 64}),
        dump({**ROW, "model": "m"}) + b"\n" + dump({**ROW, "id": "b", "model": "n"}),
        dump({**ROW, "decoding": {"n": 1}}) + b"\n" + dump({**ROW, "id": "b"}),
        dump({**ROW, "decoding": {"n": 1}}) + b"\n" + dump({**ROW, "id": "b", "decoding": {"n": 1.0}}),
        dump({"id": "a", "output": "no", "response": "no", "gold": GOLD}),
        dump({**ROW, "language": "fr"}) + b"\n" + dump({**ROW, "id": "b", "lang": "fr"}),
        dump({**ROW, "gold": GOLD}) + b"\n" + dump({**ROW, "id": "b", "gold": json.dumps(GOLD)}),
    ],
)
def test_what_is_wrong_or_unusual_is_left_to_the_reader_of_single_rows(data):
    assert read_columns(data) is None


def test_a_mapped_column_must_be_there():
    assert read_columns(dump({**ROW, "out": "yes"}), columns={"raw_text": "out"}).raw_texts == ["yes"]
    assert read_columns(dump(ROW), columns={"raw_text": "out"}) is None
    rows = dump({**ROW, "out": "yes"}) + b"\n" + dump({**ROW, "id": "b"})
    assert read_columns(rows, columns={"query": "out"}) is None


def test_rows_with_the_same_tools_share_one_object():
    rows = [dump({**ROW, "id": number, "tools": [{"name": "f"}]}) for number in range(3)]
    assert len({id(tools) for tools in read_columns(b"\n".join(rows)).tools}) == 1


def test_gold_texts_are_canonical_in_most_cases():
    arguments = {"b": [1, 2.5, True, None], "a": {"é": 'ü \\ "', "": {}}, "c": "\n"}
    found = read_columns(dump({**ROW, "gold": {"name": "f", "arguments": arguments}}))
    assert json.loads(found.gold_texts[0]) == {"name": "f", "arguments": arguments}
    assert [escape(text) for text in found.gold_texts] == found.gold_texts  # it holds a backslash
    arguments["a"] = {"é": "ü"}
    found = read_columns(dump({**ROW, "gold": {"name": "f", "arguments": arguments}}))
    assert escape(found.gold_texts[0]) == canonical_json({"name": "f", "arguments": arguments})


LEAVES = st.sampled_from(
    [0, -0.0, 1.5, 1e22, 2**64, -(2**70), True, None, "", ":", "é", "\\", '"', "\U0001f600"]
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["", "a:", "é"]), inner, max_size=2)
    ),
    max_leaves=4,
)
CALLS = st.fixed_dictionaries(
    {
        "name": st.sampled_from(["f", "é:"]),
        "arguments": st.dictionaries(st.sampled_from("xyz"), VALUES, max_size=3),
    }
)
CELLS = {
    "id": st.sampled_from(["a", "b", "c:d", 1, 2**70, None, ""]),
    "raw_text": st.sampled_from(["no", "a:b", "é:", None, 1]),
    "gold": CALLS | CALLS.map(json.dumps) | CALLS.map(lambda call: [call]) | VALUES,
    "language": st.sampled_from(["fr", None, 1]),
    "lang": st.sampled_from(["fr", "de"]),
    "source_example_id": st.sampled_from(["a", 1, "", None, 1.5]),
    "tools": st.sampled_from([None, [{"name": "f"}], '[{"name":"f"}]', [1], "x", "null"]),
    "message": st.sampled_from([None, {"content": ":"}, 1]),
    "decoding": st.sampled_from([None, {"temperature": 0}, {"temperature": 0.0}, {"temperature": False}]),
    "model": st.sampled_from(["m", "n"]),
    "failure": st.sampled_from([None, "", "timeout"]),
    "x:y": VALUES,
}
WHOLE = st.fixed_dictionaries({name: CELLS[name] for name in ("id", "raw_text", "gold")})
ROWS = st.builds(lambda row, more: {**row, **more}, WHOLE, st.fixed_dictionaries({}, optional=CELLS))
CHANGES = st.sampled_from(
    [(b"", b""), (b'":', b'" :'), (b":", b"\\u003a"), (b'"x"', b'"x": 1, "x"'), (b"}", b"}\r"), (b"{", b" {"),
     (b"\n", b"\n\n"), (b'"id"', b'"id": 1, "id"'), (b'"a"', b'"\\u0061"'), (b"0", b"-0"), (b"\n", b"")]
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(rows=st.lists(ROWS, min_size=1, max_size=4), change=CHANGES, times=st.integers(1, 3))
def test_columns_are_right_whenever_there_are_some(rows, change, times):
    data = b"\n".join(map(dump, rows)).replace(*change, times)
    found = read_columns(data)
    try:
        expected = one_by_one(data)
    except FaircallError:
        expected = None
    assert found is None or expected is not None
    if found is not None:
        assert_same(found, expected)


def test_rows_with_columns_of_their_own_make_no_table():
    rows = [dump({**ROW, "id": number, f"note {number}": 1}) for number in range(100)]
    assert read_columns(b"\n".join(rows)) is None
    assert_same(read_columns(b"\n".join(rows[:3])), one_by_one(b"\n".join(rows[:3])))
