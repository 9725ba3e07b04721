"""Foreign files as records: every form, and faults that stop nothing."""

import gzip
import json
import zipfile

import pytest

from faircall.errors import FileUnreadable
from faircall.store.sources import SourceRecord, expand_paths, read_source

ROWS = [{"id": "1", "x": {"a": [1, 2.5]}}, {"id": "2", "x": "\u2028"}]
LINES = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in ROWS).encode("utf-8")


def written(folder, data, name="file.jsonl"):
    path = folder / name
    path.write_bytes(data)
    return path


def values(path):
    return [record.value for record in read_source(path)]


@pytest.mark.parametrize(
    "data",
    [
        LINES,
        b"\xef\xbb\xbf" + LINES,
        LINES.replace(b"\n", b"\r\n"),
        LINES.rstrip(b"\n"),
        gzip.compress(LINES),
        json.dumps(ROWS).encode(),
        json.dumps(ROWS, indent=2).encode(),
        b"\n" + LINES + b"\n\n",
    ],
    ids=["lines", "bom", "crlf", "no-last-newline", "gzip", "array", "indented-array", "blank-lines"],
)
def test_the_same_rows_in_every_form_of_json(tmp_path, data):
    assert values(written(tmp_path, data)) == ROWS


def test_an_indented_object_is_one_record(tmp_path):
    assert values(written(tmp_path, json.dumps(ROWS[0], indent=2).encode())) == [ROWS[0]]


def test_a_bad_line_is_a_fault_with_its_number_and_the_others_are_read(tmp_path):
    lines = [
        b'{"id": 1}',
        b'{"id": ',
        b"",
        b'{"a": 1, "a": 2}',
        b'{"id": "\xe9"}',
        b'{"n": NaN}',
        b"[" * 300,
        b'{"id": 2}',
    ]
    found = list(read_source(written(tmp_path, b"\n".join(lines))))
    assert [record.value for record in found if record.fault is None] == [{"id": 1}, {"id": 2}]
    assert [(record.number, record.fault) for record in found if record.fault] == [
        (2, "the record is not valid JSON"),
        (4, "the record repeats a key"),
        (5, "the record is not UTF-8"),
        (6, "the record is not valid JSON"),
        (7, "the record goes past a limit of JSON here"),
    ]


def test_csv_cells_are_text_and_a_short_row_is_a_fault(tmp_path):
    data = b'id,raw_text\r\n1,"a ""b"", c\r\nd"\r\n2\r\n3,x\r\n'
    found = list(read_source(written(tmp_path, data, "file.csv")))
    assert found[0].value == {"id": "1", "raw_text": 'a "b", c\r\nd'}
    assert found[1] == SourceRecord(4, None, "the row has 1 cells, the header 2")
    assert found[2] == SourceRecord(5, {"id": "3", "raw_text": "x"})


def test_tsv_and_text_that_is_not_utf8(tmp_path):
    found = list(read_source(written(tmp_path, b"id\tx\n1\t\xe9\n2\ty\n", "file.tsv")))
    assert [record.fault for record in found] == ["the record is not UTF-8", None]


def test_an_archive_gives_its_samples_in_order(tmp_path):
    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header.json", "{}")
        archive.writestr("samples/b.json", '{"id": "b"}')
        archive.writestr("samples/a.json", '{"id": "a"}')
    assert values(path) == [{"id": "a"}, {"id": "b"}]


def test_parquet_rows_and_structs_with_invented_nulls(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    rows = [
        {"id": "1", "gold": {"name": "f", "arguments": {"city": "Oslo", "unit": None}}},
        {"id": "2", "gold": {"name": "f", "arguments": {"city": "Oslo", "unit": "C"}}},
    ]
    parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / "x.parquet")
    first, second = read_source(tmp_path / "x.parquet")
    assert "struct" in first.fault
    assert second.value == rows[1]


def test_zstd(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    with pyarrow.CompressedOutputStream(str(tmp_path / "x.jsonl.zst"), "zstd") as file:
        file.write(LINES)
    assert values(tmp_path / "x.jsonl.zst") == ROWS


def test_a_remote_address_is_opened_by_fsspec(tmp_path):
    pytest.importorskip("fsspec")
    assert values(f"file://{written(tmp_path, LINES)}") == ROWS


@pytest.mark.parametrize("data", [b"", b"  \n", gzip.compress(LINES, mtime=0)[:-9], b"PK\x03\x04broken"])
def test_files_that_hold_nothing_or_are_torn(tmp_path, data):
    with pytest.raises(FileUnreadable, match=r"file\.jsonl"):
        list(read_source(written(tmp_path, data)))


def test_patterns_are_expanded_in_order_and_must_match(tmp_path):
    for name in ("b.jsonl", "a.jsonl"):
        written(tmp_path, LINES, name)
    found = expand_paths([str(tmp_path / "*.jsonl"), str(tmp_path / "a.jsonl")])
    assert [path[-7:] for path in found] == ["a.jsonl", "b.jsonl"]
    with pytest.raises(FileUnreadable, match="no file matches"):
        expand_paths([str(tmp_path / "*.csv")])
