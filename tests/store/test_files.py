"""Files: JSON Lines in any honest form in, atomic writes out."""

import gzip
import io
import os
import sys

import pytest

from faircall.errors import FileUnreadable, ResourceExhausted, RowInvalid
from faircall.store import files
from faircall.store.files import (
    open_atomically,
    read_json,
    read_json_lines,
    write_bytes_atomically,
    write_json,
    write_json_lines,
)

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


def test_lines_written_are_lines_read(tmp_path):
    values = [{"b": 1, "a": "\u2028"}, {"x": "\ud800"}, 10**900]
    path = tmp_path / "new" / "rows.jsonl"
    write_json_lines(path, iter(values))
    assert [line.value for line in read_json_lines(path)] == values
    assert path.read_bytes().startswith(b'{"a":"\\u2028","b":1}\n')


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "rows.jsonl"
    write_bytes_atomically(path, b"old")

    def broken():
        yield {}
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_json_lines(path, broken())
    with pytest.raises(ValueError, match="JSON compliant"):
        write_json(path, float("nan"))
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["rows.jsonl"]


def test_a_pipe_takes_the_bytes_and_stays_a_pipe(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    descriptor = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)
    try:
        write_bytes_atomically(pipe, b"x\n")
        assert os.read(descriptor, 9) == b"x\n"
    finally:
        os.close(descriptor)
    assert pipe.is_fifo()
    link = tmp_path / "link"
    link.symlink_to(pipe)
    write_bytes_atomically(link, b"y\n")  # a link in a run is not followed: it is replaced
    assert (link.is_symlink(), link.read_bytes(), pipe.is_fifo()) == (False, b"y\n", True)


def test_a_full_disk_has_its_own_error(tmp_path):
    with pytest.raises(ResourceExhausted), open_atomically(tmp_path / "x"):
        raise OSError(28, "No space left on device")
    with pytest.raises(FileUnreadable), open_atomically(tmp_path):
        pass
