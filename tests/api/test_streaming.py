"""A summary made block by block is the summary of the whole file."""

import gzip
import json
import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from faircall.api import score_file, streaming
from faircall.api.streaming import summarise_file
from faircall.errors import DuplicateId, FaircallError, FileUnreadable, InvariantViolation, RowInvalid

TOOLS = [{"name": "f", "parameters": {"type": "object", "properties": {"x": {"type": "integer"}}}}]
TEXTS = [
    '{"arguments":{"x":1},"name":"f"}',
    'Sure: [{"name": "f", "arguments": {"x": "1"}}] {',
    '{"name": "g", "arguments": {"x": 1, "y": 2}}',
    '{"name": "f", "arguments": {}}',
    '{"name": "f", "arguments": {"x": 1}',
    "<tool_call> none",
    "",
]


GOLD = {"name": "f", "arguments": {"x": 1}}
ODD = [
    {"extra": {"a": [1]}},
    {"language": "de"},
    {"gold": json.dumps(GOLD)},
    {"gold": [GOLD]},
    {"gold": {"name": "f", "arguments": {"x": 2**70, "y": [1, {}], "z": 1e22}}},
    {"gold": None},
    {"gold": "f(1)"},
    {"failure": "timeout", "raw_text": ""},
    {"finish_reason": None},
    {"finish_reason": "MAX_TOKENS"},
    {"raw_text": None},
    {"raw_text": 1},
    {"raw_text": "\ud83d"},
    {"raw_text": 'So (at last) [f(x=1)] <think> {"name":"f","arguments":{"x":1}}'},
    {"raw_text": '{"name": "f", "parameters": {}}'},
    {"raw_text": 'é {"arguments":{"x":1},"name":"f"}'},
    {"raw_text": '[] {"arguments":{"x":1},"name":"f"}'},
    {"raw_text": '{"arguments":{"x":1},"name":"f"}', "tools": None},
    {"message": {"tool_calls": [1]}},
    {"id": 7},
    {"id": ""},
    {"source_example_id": "r0"},
    {"source_example_id": "elsewhere"},
    {"source_example_id": 0.5},
    {"tools": json.dumps(TOOLS)},
    {"tools": [1]},
    {"model": "m"},
]
REWRITTEN = [
    (b"", b""),
    (b"\n", b"\r\n"),
    (b"\n", b"\n\n \n"),
    (b'{"id": "r0"', b'\xef\xbb\xbf{"id": "r0"'),
    (b'{"x": 1}', b'{"x": 1, "x": 1}'),
    (b'"id": "r5"', b'"id": "r5", "id": "r6"'),
    (b'"id": "r7"', b'"id": "r3"'),
    (b'"id": "r9", ', b""),
    (b'"id": "r11"', b'"id": "r11'),
    (b'"x": 1', b'"x" :1'),
    (b'"x": 1', b'"x": "\\u003a"'),
]


def rows(count):
    rng = random.Random(count)
    for number in range(count):
        row = {
            "id": f"r{number}",
            "raw_text": rng.choice(TEXTS),
            "gold": GOLD,
        }
        row["language"] = rng.choice(["en", "fr", None])
        if rng.random() < 0.5:
            row["tools"] = TOOLS
        if number and rng.random() < 0.4:
            row["source_example_id"] = f"r{rng.randrange(number)}"
        row["finish_reason"] = rng.choice(["stop", "length"])
        yield row


def write(path, values):
    path.write_text("".join(json.dumps(value) + "\n" for value in values))
    return path


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch):
    monkeypatch.setattr(streaming, "BLOCK_BYTES", 2_000)


def rounded(value):
    """Sums over roots in another order may differ in the last bit."""
    return json.loads(json.dumps(value), parse_float=lambda text: round(float(text), 12))


@pytest.mark.parametrize("jobs", [1, 2])
def test_blocks_add_up_to_the_whole_file(tmp_path, jobs):
    path = write(tmp_path / "rows.jsonl", rows(400))
    assert len(list(streaming.read_blocks(path, size=2_000))) > 10
    summary = summarise_file(path, jobs=jobs)
    whole = score_file(path).summary()
    assert list(summary) == list(whole)
    assert list(summary["slices"]) == list(whole["slices"])
    assert rounded(summary) == rounded(whole)
    assert summary["diagnosis"]["reading"]["suggested_reader"] == "hermes.v1"


def test_blocks_of_a_good_file_never_ask_for_the_whole(tmp_path, monkeypatch):
    monkeypatch.setattr(streaming, "score_file", None)
    assert summarise_file(write(tmp_path / "rows.jsonl", rows(50)))["examples"] == 50


@pytest.mark.parametrize(
    ("change", "error", "told"),
    [
        (lambda all_rows: [*all_rows, all_rows[0]], DuplicateId, "line 1 and on line 101"),
        (lambda all_rows: [*all_rows, "text"], RowInvalid, "rows.jsonl:101"),
        (lambda all_rows: [*all_rows, {**all_rows[0], "id": None}], RowInvalid, "rows.jsonl:101"),
        (lambda all_rows: [{**row, "decoding": {"n": n // 50}} for n, row in enumerate(all_rows)],
         InvariantViolation, "rows.jsonl:51"),
        (lambda all_rows: [{**row, "decoding": {"n": (1, 1.0)[n // 50]}} for n, row in enumerate(all_rows)],
         InvariantViolation, "rows.jsonl:51"),
        (lambda all_rows: [{**row, "tools": None if n else "null"} for n, row in enumerate(all_rows)],
         RowInvalid, "rows.jsonl:1: tools"),
        (lambda all_rows: [], FileUnreadable, "no rows"),
    ],
)  # fmt: skip
def test_what_spans_blocks_is_told_as_for_the_whole_file(tmp_path, change, error, told):
    path = write(tmp_path / "rows.jsonl", change(list(rows(100))))
    with pytest.raises(error, match=told):
        summarise_file(path)


def test_conditions_in_another_order_are_the_same_and_stand_as_the_first_row_has_them(tmp_path):
    orders = [{"n": 1, "top_k": 2}, {"top_k": 2, "n": 1}]
    values = [{**row, "decoding": orders[number // 50]} for number, row in enumerate(rows(100))]
    path = write(tmp_path / "rows.jsonl", values)
    assert json.dumps(summarise_file(path)) == json.dumps(score_file(path).summary())


def test_rows_without_ids_are_numbered_through_the_whole_file(tmp_path):
    values = [{key: value for key, value in row.items() if "id" not in key} for row in rows(60)]
    path = write(tmp_path / "rows.jsonl", values)
    assert summarise_file(path) == score_file(path).summary()


@st.composite
def files(draw):
    """Rows that a summary must be made of or refused for: usual ones, with something odd here and there."""
    values = list(rows(draw(st.integers(1, 40))))
    for row in values:
        if draw(st.integers(0, 9)) == 0:
            row.update(draw(st.sampled_from(ODD)))
    data = "".join(json.dumps(row) + "\n" for row in values).encode()
    data = data.replace(*draw(st.sampled_from(REWRITTEN)))
    return gzip.compress(data) if draw(st.booleans()) else data


def told(summarise):
    try:
        return json.dumps(summarise())
    except FaircallError as error:
        return str(error)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=files())
def test_any_file_has_the_summary_or_the_fault_of_the_whole_file(tmp_path, data):
    path = tmp_path / "rows.jsonl"
    path.write_bytes(data)
    assert told(lambda: summarise_file(path)) == told(lambda: score_file(path).summary())
