"""Every bad file is two lines and a status, with file and line; odd but sound files read like plain ones."""

import gzip
import io
import json
import sys

import pytest

from faircall.cli import main

GOLD = {"name": "wx", "arguments": {"city": "Graz"}}
ROW = {"id": "1", "raw_text": json.dumps(GOLD), "gold": GOLD}
LINE = json.dumps(ROW).encode()


def refusal(capsys, *arguments):
    """The status and the two lines of a command that must not get anywhere."""
    status = main(list(map(str, arguments)))
    out, err = capsys.readouterr()
    lines = err.splitlines()
    assert out == ""
    assert "Traceback" not in err
    assert len(lines) in (1, 2)
    assert lines[0].startswith("faircall: ")
    return status, lines[0], lines[-1]


# Source: case L01 (hostile files), and the list of issue 1: malformed, duplicate, incomplete, unknown.
BAD_FILES = {
    "empty": (b"", "FILE", ""),
    "blank": (b"\n \n", "FILE", ""),
    "malformed": (LINE + b'\n{"id": "2", \n', "ROW", ":2"),
    "two values": (LINE + b" " + LINE + b"\n", "ROW", ":1"),
    "a list": (b"[1]\n", "ROW", ":1"),
    "NaN": (LINE + b'\n{"id": NaN}\n', "ROW", ":2"),
    "repeated key": (b'{"id": "1", "id": "2"}\n', "ROW", ":1"),
    "huge integer": (b'{"id":"1","answers":' + b"9" * 4400 + b"}\n", "ROW", ":1"),
    "huge float": (b'{"id":"1","answers":1e999}\n', "ROW", ":1"),
    "deep": (b"[" * 20000 + b"]" * 20000 + b"\n", "ROW", ":1"),
    "deep and open": (b'{"a":' * 50000 + b"\n", "ROW", ":1"),
    "latin-1": (LINE + b'\n{"id":"\xe9"}\n', "ROW", ":2"),
    "torn gzip": (gzip.compress(LINE * 50)[:-9], "FILE", ""),
    "binary": (bytes(range(256)) * 4, "ROW", ":1"),
    "duplicate id": (LINE + b"\n\n" + LINE + b"\n", "DUPLICATE_ID", "line 1 and on line 3"),
    "no gold": (LINE + b'\n{"id": "2", "raw_text": "x"}\n', "GOLD_MISSING", ":2"),
    "no text": (b'{"id": "1", "gold": {"name": "f", "arguments": {}}}\n', "COLUMN", ":1"),
    "bad gold": (b'{"id": "1", "raw_text": "", "gold": {"name": "f"}}\n', "ROW", ":1"),
    "two gold calls": (
        b'{"id": "1", "raw_text": "", "gold": [' + b",".join([LINE] * 2) + b"]}\n",
        "ROW",
        ":1",
    ),
    "text that is a number": (
        b'{"id": "1", "raw_text": 7, "gold": {"name": "f", "arguments": {}}}\n',
        "ROW",
        ":1",
    ),
}


@pytest.mark.parametrize("verb", ["score", "compare", "diff"])
@pytest.mark.parametrize("kind", BAD_FILES)
def test_a_bad_file_is_named_with_its_line(capsys, tmp_path, verb, kind):
    content, code, place = BAD_FILES[kind]
    good, bad = tmp_path / "good.jsonl", tmp_path / "bad.jsonl"
    good.write_bytes(LINE + b"\n")
    bad.write_bytes(content)
    status, first, _ = refusal(capsys, verb, *([bad] if verb == "score" else [good, bad]))
    assert status == 2
    assert first.startswith(f"faircall: {code}: ")
    assert "bad.jsonl" in first
    assert place in first


def test_rows_without_gold_say_what_to_use_instead(capsys, tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"id": "1", "raw_text": "x"}\n')
    assert "faircall check" in refusal(capsys, "score", path)[2]


@pytest.mark.parametrize("name", ["missing.jsonl", "folder", "missing/evaluation_report.json"])
def test_what_is_no_file_is_refused(capsys, tmp_path, name):
    (tmp_path / "folder").mkdir()
    status, first, _ = refusal(capsys, "score", tmp_path / name)
    assert status == 2
    assert name in first


def test_a_huge_line_is_refused_without_reading_it_all(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr("faircall.store.files.MAX_LINE_BYTES", 1000)
    path = tmp_path / "long.jsonl"
    path.write_bytes(LINE + b"\n" + b'{"id": "' + b"x" * 5000 + b'"}\n')
    status, first, _ = refusal(capsys, "score", path)
    assert status == 2
    assert "long.jsonl:2" in first


def test_a_column_that_is_not_there_is_named_with_those_that_are(capsys, tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(LINE)
    status, first, hint = refusal(capsys, "score", path, "--map", "raw_text=output")
    assert status == 2
    assert "'output'" in first
    assert "'raw_text'" in hint


@pytest.mark.parametrize("maps", [["raw_text"], ["raw_text="], ["=x"], ["nonsense=x"], ["id=a", "id=b"]])
def test_a_map_that_is_none_is_refused(capsys, tmp_path, maps):
    path = tmp_path / "a.jsonl"
    path.write_bytes(LINE)
    assert refusal(capsys, "score", path, *(word for pair in maps for word in ("--map", pair)))[0] == 2


# --- Odd but sound files

U2028 = "a\u2028b\u2029c\u0085d"
SOUND = [
    {"id": "1", "raw_text": f"{U2028} {json.dumps(GOLD)}", "gold": GOLD, "language": "en"},
    {"id": "2", "raw_text": "", "gold": {"name": U2028, "arguments": {}}, "language": "en"},
]
PLAIN = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in SOUND).encode()
FORMS = {
    "plain": PLAIN,
    "gzip": gzip.compress(PLAIN),
    "two gzip members": b"".join(gzip.compress(line + b"\n") for line in PLAIN.split(b"\n") if line),
    "byte-order mark": b"\xef\xbb\xbf" + PLAIN,
    "CRLF": PLAIN.replace(b"\n", b"\r\n"),
    "no last newline": PLAIN.removesuffix(b"\n"),
    "blank lines": b"\n" + PLAIN.replace(b"\n", b"\n\n"),
}


def score_json(capsys, *arguments):
    assert main(["score", *map(str, arguments), "--json", "--label", "arm"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.fixture
def expected(capsys, tmp_path):
    path = tmp_path / "expected.jsonl"
    path.write_bytes(PLAIN)
    return score_json(capsys, path)


@pytest.mark.parametrize("form", FORMS)
def test_the_form_of_a_file_changes_nothing(capsys, tmp_path, expected, form):
    path = tmp_path / "form.jsonl"
    path.write_bytes(FORMS[form])
    assert score_json(capsys, path) == expected


@pytest.mark.parametrize("form", FORMS)
def test_standard_input_reads_like_a_file(capsys, monkeypatch, expected, form):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(FORMS[form])))
    assert score_json(capsys, "-") == expected


@pytest.mark.parametrize(
    ("text", "gold"), [("output", "answers"), ("response", "expected"), ("prediction", "ground_truth")]
)
def test_common_column_names_are_recognised(capsys, tmp_path, expected, text, gold):
    path = tmp_path / "named.jsonl"
    rows = [{"example_id": r["id"], text: r["raw_text"], gold: r["gold"], "lang": "en"} for r in SOUND]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert score_json(capsys, path) == expected


def test_other_column_names_are_mapped(capsys, tmp_path, expected):
    path = tmp_path / "odd.jsonl"
    rows = [{"k": r["id"], "what it said": r["raw_text"], "want": r["gold"], "language": "en"} for r in SOUND]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    maps = ("--map", "id=k", "--map", "raw_text=what it said", "--map", "gold=want")
    assert score_json(capsys, path, *maps) == expected


# --- Gold in a file of its own


def split(tmp_path, golds):
    answers, gold = tmp_path / "answers.jsonl", tmp_path / "gold.jsonl"
    answers.write_text(
        "".join(json.dumps({"id": r["id"], "out": r["raw_text"], "language": "en"}) + "\n" for r in SOUND)
    )
    gold.write_text("".join(json.dumps(row) + "\n" for row in golds))
    return answers, "--gold", gold, "--map", "raw_text=out"


def test_gold_is_joined_by_id_whatever_the_order(capsys, tmp_path, expected):
    golds = [{"id": row["id"], "gold": row["gold"]} for row in reversed(SOUND)]
    assert score_json(capsys, *split(tmp_path, golds)) == expected


@pytest.mark.parametrize(
    ("ids", "named"), [(["1"], "'2'"), (["1", "2", "3"], "'3'")], ids=["only outputs", "only gold"]
)
def test_ids_that_one_side_lacks_are_an_error(capsys, tmp_path, ids, named):
    status, first, _ = refusal(capsys, "score", *split(tmp_path, [{"id": key, "gold": GOLD} for key in ids]))
    assert status == 2
    assert first.startswith("faircall: ID_MISMATCH: ")
    assert named in first


def test_duplicate_ids_in_the_gold_file_are_an_error(capsys, tmp_path):
    golds = [{"id": "1", "gold": GOLD}] * 2
    status, first, _ = refusal(capsys, "score", *split(tmp_path, golds))
    assert (status, first.startswith("faircall: DUPLICATE_ID: ")) == (2, True)
    assert "gold.jsonl" in first


def test_rows_without_ids_are_never_joined_to_gold_by_position(capsys, tmp_path):
    answers, gold = tmp_path / "answers.jsonl", tmp_path / "gold.jsonl"
    answers.write_text('{"raw_text": "x"}\n')
    gold.write_text(json.dumps({"gold": GOLD}) + "\n")
    assert refusal(capsys, "score", answers, "--gold", gold)[0] == 2
