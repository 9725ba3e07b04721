"""Files in: JSON Lines in any honest form, and every fault with its line."""

import gzip
import io
import sys

import pytest

from faircall.errors import FileUnreadable, RowInvalid
from faircall.store import files
from faircall.store.atomic import write_json
from faircall.store.files import decode_lines, read_json, read_json_lines

PLAIN = '{"id": "1", "t": "a\u2028b\u0085c"}\n{"id": "2"}\n'


def rows(path):
    return [tuple(line) for line in read_json_lines(path)]


@pytest.mark.parametrize(
    "data",
    [
        PLAIN.encode(),
        b"\xef\xbb\xbf" + PLAIN.encode(),
        PLAIN.replace("\n", "\r\n").encode(),
        PLAIN.rstrip().encode(),
        gzip.compress(PLAIN.encode()),
        gzip.compress(b"\xef\xbb\xbf" + PLAIN.encode()),
    ],
    ids=["plain", "bom", "crlf", "no-last-newline", "gzip", "gzip-bom"],
)
def test_the_form_of_the_file_changes_nothing(tmp_path, data, monkeypatch):
    path = tmp_path / "rows.jsonl"
    path.write_bytes(data)
    expected = [(1, {"id": "1", "t": "a\u2028b\u0085c"}), (2, {"id": "2"})]
    assert rows(path) == expected
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    assert rows("-") == expected


def test_blank_lines_are_skipped_and_counted(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b"\n{}\n \r\n[]\n\n")
    assert rows(path) == [(2, {}), (4, [])]


# L01 (openvang/vanguarstew#1665; BasedHardware/omi#13521): a hostile file is a message, never a traceback.
@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b'{"id":"1","answers":' + b"9" * 4400 + b"}\n", "limit"),
        (b"[" * 20000 + b"]" * 20000 + b"\n", "limit"),
        (b'{"id":"\xe9"}\n', "UTF-8"),
        (b'{"id": NaN}\n', "not valid JSON"),
        (b'{"id": 1\n', "never closes"),
        (b'{"id": 1, "id": 2}\n', "repeats a key"),
        (b"\x00\n", "not valid JSON"),
    ],
)
def test_a_bad_line_is_named(tmp_path, data, reason):
    path = tmp_path / "bad.jsonl"
    path.write_bytes(b"{}\n" + data)
    with pytest.raises(RowInvalid) as caught:
        rows(path)
    assert f"{path}:2: " in caught.value.message
    assert reason in caught.value.message
    assert caught.value.hint
    assert "\n" not in caught.value.message


def test_a_huge_line_is_refused_before_it_is_held(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "MAX_LINE_BYTES", 1000)
    path = tmp_path / "huge.jsonl"
    path.write_bytes(b"{}\n" + b" " * 2000 + b"{}\n")
    with pytest.raises(RowInvalid, match=":2: the line is longer"):
        rows(path)


def test_an_indented_document_gets_a_hint(tmp_path):
    path = tmp_path / "doc.json"
    path.write_text('[\n  {"id": 1}\n]\n')
    with pytest.raises(RowInvalid) as caught:
        rows(path)
    assert "per line" in caught.value.hint


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda path: None, "does not exist"),
        (lambda path: path.mkdir(), "is a folder"),
        (lambda path: path.write_bytes(b""), "holds no rows"),
        (lambda path: path.write_bytes(b"\n \n"), "holds no rows"),
        (lambda path: path.write_bytes(gzip.compress(PLAIN.encode() * 9)[:-9]), "gzip"),
        (lambda path: path.write_bytes(b"\x1f\x8bnonsense"), "gzip"),
    ],
    ids=["missing", "folder", "empty", "blank", "torn-gzip", "no-gzip"],
)
def test_an_unreadable_file_is_named(tmp_path, make, reason):
    path = tmp_path / "rows.jsonl"
    make(path)
    with pytest.raises(FileUnreadable) as caught:
        rows(path)
    assert str(path) in caught.value.message
    assert reason in caught.value.message
    assert list(read_json_lines(path, empty_ok=True)) == [] if reason == "holds no rows" else True


def test_one_document(tmp_path):
    path = tmp_path / "doc.json"
    write_json(path, {"b": "é\ud83d", "a": [1, 2.0]})
    assert path.read_bytes() == b'{\n  "a": [\n    1,\n    2.0\n  ],\n  "b": "\\u00e9\\ud83d"\n}\n'
    assert read_json(path) == {"b": "é\ud83d", "a": [1, 2.0]}
    path.write_text('{\n"a": 1,\n"a": 2}')
    with pytest.raises(RowInvalid, match=r"doc\.json:3: "):
        read_json(path)
    path.write_text(" ")
    with pytest.raises(FileUnreadable, match="empty"):
        read_json(path)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (b'{"id": 1, "id": 2}', "7000: the line repeats a key"),
        (b'{"id": 1', "7000: the line is not valid JSON"),
        (b'{"id": "\xff"}', "7000: the line is not UTF-8"),
        (b'{"id": "\\ud83d"}', None),
        (b"", None),
        (b"  7  ", None),
    ],
)
def test_lines_that_are_decoded_by_blocks_are_those_of_single_lines(tmp_path, line, told):
    lines = [b'{"id": %d, "text": "%s"}' % (number, b"x" * 50) for number in range(1, 9_001)]
    lines[6_999] = line
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b"\n".join(lines))
    found = []
    if told is None:
        found = list(read_json_lines(path))
        assert found == [
            row for n, one in enumerate(lines, 1) for row in decode_lines([one], label="", number=n)
        ]
    else:
        with pytest.raises(RowInvalid, match=told):
            found.extend(read_json_lines(path))
        assert [number for number, _ in found] == list(range(1, 7_000))
