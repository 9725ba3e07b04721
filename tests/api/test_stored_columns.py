"""The quick way to read a stored evaluation: equal to the careful way, and never more generous."""

import json

import numpy as np
import pytest

from faircall import Evaluation, score
from faircall.api.load import score_file
from faircall.digest import sha256_text
from faircall.errors import ArtifactInvalid
from faircall.scoring.scores import gold_digest

GOLD = [
    {"name": "f", "arguments": {"x": 1, "place": "Zürich"}},
    {"name": "g", "arguments": {"share": 1e-05, "note": 'a "b" \\ c', "list": [1.0, {}, None]}},
    {"name": "h", "arguments": {}},
    {"name": "f", "arguments": {"x": 2}},
]
TEXTS = [json.dumps(GOLD[0]), "no", '[{"name": "h", "arguments": {}}] [', json.dumps([GOLD[3]] * 2)]

ROWS = list(zip(GOLD, TEXTS, strict=True))


@pytest.fixture(scope="module")
def stored():
    return json.loads(json.dumps(score(GOLD, TEXTS, ids="abcd").to_dict()))


def read(value):
    return Evaluation.from_json(json.dumps(value).encode())


def test_what_is_written_is_read_quickly(stored):
    quick, careful = read(stored), Evaluation.from_dict(stored)
    assert quick.to_dict() == careful.to_dict() == stored
    assert np.array_equal(quick.scores.components, careful.scores.components)
    assert quick.scores.parsed == careful.scores.parsed
    assert [type(call) for call in quick.gold] == [type(call) for call in careful.gold]


def test_other_protocols_are_read_quickly(tmp_path):
    path = tmp_path / "rows.jsonl"
    rows = [{"id": str(n), "gold": [call, call], "raw_text": text} for n, (call, text) in enumerate(ROWS)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    scored = json.loads(json.dumps(score_file(path, protocol="multi_call.v1").to_dict()))
    quick = read(scored)
    assert quick.scores.gold_pairs.tolist() == Evaluation.from_dict(scored).scores.gold_pairs.tolist()
    assert quick.to_dict() == scored


VALUES = (
    None, 0, -1, 2, 1.0, 2**70, True, "", "zz", [], {}, [[1, 1]] * 5, [[2, 1]] * 5, [[1.0, 1]] * 5,
    [1, 2], {"name": "f", "arguments": {}}, {"name": "f", "arguments": {}, "z": 1}, {"name": "f"},
)  # fmt: skip
FIELDS = (
    "id", "root", "language", "slices", "status", "reason", "span", "trailing_json", "truncated",
    "backend_failed", "cause", "components", "gold_sha256", "tasks_sha256", "prompt_sha256", "gold", "call",
    "raw_text", "asked", "calls", "gold_pairs",
)  # fmt: skip


@pytest.mark.parametrize("field", FIELDS)
def test_what_is_altered_is_read_as_carefully_as_before(stored, field):
    refused = 0
    for row in range(len(GOLD)):
        for value in VALUES:
            records = [dict(record) for record in stored["records"]]
            records[row][field] = value
            altered = {**stored, "records": records}
            try:
                careful = Evaluation.from_dict(altered)
            except ArtifactInvalid:
                refused += 1
                assert read(altered) is None
            else:
                quick = read(altered)
                assert quick is None or quick.to_dict() == careful.to_dict()
    assert refused > 0 or field == "asked"


@pytest.mark.parametrize("field", ["schema_version", "name", "identity", "ids_given", "metrics", "diagnosis"])
def test_a_file_without_a_field_is_left_to_the_careful_way(stored, field):
    assert read({key: value for key, value in stored.items() if key != field}) is None


@pytest.mark.parametrize(
    "spelling",
    [
        '{"name":"f","arguments":{"x":1}}',
        '{"arguments":{"x":1,"x":2},"name":"f"}',
        '{"arguments":{"x":0.00001},"name":"f"}',
        '{"arguments":{"x":1e16},"name":"f"}',
        '{"arguments":{"x":"\\u0041"},"name":"f"}',
        '{"arguments":{"x":"é"},"name":"f"}',
        '{"arguments":{"x":"\\/"},"name":"f"}',
    ],
)
def test_the_digest_of_another_spelling_is_no_digest(stored, spelling):
    records = [
        dict(stored["records"][0], gold="@", gold_sha256=sha256_text(spelling)),
        *stored["records"][1:],
    ]
    data = json.dumps({**stored, "identity_sha256": {}, "records": records}).replace('"@"', spelling).encode()
    assert Evaluation.from_json(data) is None


def test_the_canonical_digest_is_accepted_however_the_gold_is_spelled(stored):
    first = Evaluation.from_dict(stored).gold[0]
    spelling = '{"name": "f", "arguments": {"place": "Zürich", "x": 1}}'
    records = [dict(stored["records"][0], gold="@", gold_sha256=gold_digest(first)), *stored["records"][1:]]
    data = json.dumps({**stored, "records": records}).replace('"@"', spelling).encode()
    assert Evaluation.from_json(data).gold[0] == first


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("records", 0, "slices"), ["long"]),
        (("records", 0, "slices"), [1]),
        (("records", 1, "cause"), None),
        (("records", 1, "truncated"), True),
        (("records", 2, "trailing_json"), False),
        (("slices", "fr", "examples"), 1),
        (("slices", "fr", "metrics", "argument_f1", "numerator"), 0),
        (("slices", "de"), {"examples": 0, "metrics": {}}),
        (("diagnosis", "examples"), 5),
        (("diagnosis", "statuses", "ok"), 3),
        (("diagnosis", "causes"), {}),
        (("diagnosis", "trailing_json"), True),
        (("diagnosis", "backend_failed"), 1),
    ],
)
def test_slices_and_counts_that_the_records_deny_are_refused_either_way(path, value):
    scored = json.loads(json.dumps(score(GOLD, TEXTS, ids="abcd", slices=["en", "en", "fr", "fr"]).to_dict()))
    part = scored
    for step in path[:-1]:
        part = part[step]
    part[path[-1]] = value
    assert read(scored) is None
    with pytest.raises(ArtifactInvalid):
        Evaluation.from_dict(scored)
