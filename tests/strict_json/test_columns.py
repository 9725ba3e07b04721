"""Many lines decoded at once are the lines decoded one by one, or nothing is said about them."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from faircall.strict_json import JsonFault, decode
from faircall.strict_json.columns import count_bytes, decode_columns, decode_rows, escape, tidy_lines

PIECES = [
    '{"a": 1}', '{"a":1,"b":":"}', '{"é": "\\u003a"}', '{"a":"","a":""}', "{}", "[]", '{"a":{"b":[{}]}}',
    "\n", "\n\n", " ", "}", "{", ",", '"', "\\", "\\ud83d", '{"a":-0}', '{"a":1e400}',
    '{"a":' + "9" * 1001 + "}", '{"a":' + "[" * 255 + "]" * 255 + "}", '{"a":' + "[" * 256 + "]" * 256 + "}",
]  # fmt: skip


def one_by_one(text):
    try:
        return [decode(line) for line in text.split("\n")]
    except JsonFault:
        return None


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.sampled_from(PIECES), max_size=6).map("\n".join)
    | st.lists(st.sampled_from(PIECES)).map("".join)
)
def test_rows_are_those_of_the_strict_reader(text):
    found = decode_rows(text.encode())
    assert found is None or repr(found) == repr(one_by_one(text.removesuffix("\n")))


@pytest.mark.parametrize("rows", [1, 2, 5_000])
def test_usual_lines_are_decoded_at_once(rows):
    values = [{"id": number, "text": "a: é " * 20} for number in range(rows)]
    data = "\n".join(json.dumps(value, ensure_ascii=number % 2 > 0) for number, value in enumerate(values))
    assert decode_rows(data.encode()) == values
    assert decode_rows(data.encode() + b"\n") == values


@pytest.mark.parametrize("at", [0, 65_520, 65_530, 65_534, 65_535, 65_536, 131_000])
def test_what_is_refused_may_stand_anywhere(at):
    """Bytes are looked at in pieces; what lies across two of them is seen."""
    repeated = '", "k": "\\u003a", "k": "\\u003a'
    row = '{"a": "' + "x" * at + repeated + "y" * 1000 + '"}'
    assert decode_rows(row.encode()) is None
    assert decode_rows(row.replace(repeated, "").encode()) is not None


def test_every_key_that_a_row_may_have_must_be_named():
    lines = tidy_lines(b'{"id": 1}\n{"id": 2, "more": 3}')
    assert decode_columns(lines, names=("id",), types={}) is None
    assert decode_columns(lines, names=("id", "more"), types={}).rows == 2


def test_an_escape_is_never_one_that_json_does_not_have():
    for text in ("é", "\U0001f600", "\\x", "\\é", "\u2028"):
        assert json.loads(escape(json.dumps(text, ensure_ascii=False))) == text


def test_bytes_are_counted_in_every_piece():
    assert count_bytes(b":" * 200_000, ord(":")) == 200_000
