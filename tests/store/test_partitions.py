"""Tables in several files: which files, in which order, and that parts together are the whole."""

import gzip
import json
import math
from datetime import datetime
from decimal import Decimal

import pytest

from faircall.errors import DependencyMissing, FileUnreadable, RowInvalid, UsageError
from faircall.store.files import decode_lines
from faircall.store.partitions import (
    Part,
    find_partitions,
    is_one_plain_file,
    plan_parts,
    read_lines,
    read_part,
)


def rows(count, start=0):
    return [{"id": f"r{n}", "text": "é\u2028" * (n % 7), "n": n} for n in range(start, start + count)]


def write(path, values, *, end="\n", head=b""):
    path.parent.mkdir(parents=True, exist_ok=True)
    data = head + "".join(json.dumps(v, ensure_ascii=False) + end for v in values).encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return str(path)


def write_parquet(path, values, group=4):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    path.parent.mkdir(parents=True, exist_ok=True)
    parquet.write_table(pyarrow.Table.from_pylist(values), path, row_group_size=group)
    return str(path)


def write_table(path, columns):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    parquet.write_table(pyarrow.table(columns), path)
    return str(path)


def values_of(parts, size=64):
    return [
        line.value
        for part in parts
        for block in read_part(part, size=size)
        for line in decode_lines(block.lines, label=part.path, number=block.number)
    ]


def test_a_folder_is_its_files_by_path_without_what_is_hidden(tmp_path):
    for name in ("b/2.jsonl", "a/1.jsonl", "c.jsonl.gz", "_SUCCESS", ".x.jsonl", "_old/1.jsonl", "notes.txt"):
        write(tmp_path / name, rows(1))
    write_parquet(tmp_path / "d.parquet", rows(1))
    found = find_partitions([str(tmp_path)])
    assert [path.removeprefix(f"{tmp_path}/") for path in found] == [
        "a/1.jsonl", "b/2.jsonl", "c.jsonl.gz", "d.parquet",
    ]  # fmt: skip
    assert find_partitions([found[2], f"{tmp_path}/[ab]/*.jsonl", found[2]]) == [found[2], *found[:2]]


def test_what_names_nothing_is_refused(tmp_path):
    (tmp_path / "empty").mkdir()
    for name in ("empty", "*.jsonl"):
        with pytest.raises(FileUnreadable, match="names no file of rows"):
            find_partitions([str(tmp_path / name)])
    with pytest.raises(UsageError, match="standard input is one file"):
        find_partitions(["-", "a.jsonl"])
    with pytest.raises(FileUnreadable, match=r"absent\.jsonl does not exist"):
        plan_parts([str(tmp_path / "absent.jsonl")], size=10)


@pytest.mark.parametrize(
    ("named", "plain"),
    [(["-"], True), (["a.jsonl"], True), (["a.parquet"], False), (["a", "b"], False), (["*.jsonl"], False),
     (["s3://bucket/a.jsonl"], False), (["."], False)],
)  # fmt: skip
def test_one_file_of_lines_here_is_no_table(named, plain):
    assert is_one_plain_file(named) is plain


@pytest.mark.parametrize("size", [1, 7, 40, 41, 100, 1000, 10**6])
@pytest.mark.parametrize(
    ("end", "head"), [("\n", b""), ("\r\n", b""), ("\n", b"\xef\xbb\xbf"), ("\n\n", b"")]
)
def test_parts_of_any_size_hold_every_line_once(tmp_path, size, end, head):
    path = write(tmp_path / "rows.jsonl", rows(40), end=end, head=head)
    parts = plan_parts([path], size=size)
    assert values_of(parts) == rows(40)
    assert values_of(parts, size=3) == rows(40)


def test_a_last_line_without_an_end_belongs_to_the_last_part(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_bytes(json.dumps({"id": "a"}).encode() + b"\n" + json.dumps({"id": "b"}).encode())
    for size in range(1, 30):
        assert values_of(plan_parts([str(path)], size=size)) == [{"id": "a"}, {"id": "b"}]


def test_gzip_is_one_part_and_parquet_one_for_each_row_group(tmp_path):
    packed = write(tmp_path / "a.jsonl.gz", rows(40))
    hidden = write(tmp_path / "b.jsonl", rows(1))
    (tmp_path / "b.jsonl").write_bytes(gzip.compress(json.dumps({"id": "x" * 400}).encode()))
    table = write_parquet(tmp_path / "c.parquet", rows(10))
    assert plan_parts([packed], size=9) == [Part(packed)]
    assert plan_parts([hidden], size=9) == [Part(hidden)]
    parts = plan_parts([table], size=9)
    assert [(part.start, part.first) for part in parts] == [(0, 1), (1, 5), (2, 9)]
    assert values_of(parts) == rows(10)
    assert values_of(reversed(parts)) == rows(2, 8) + rows(4, 4) + rows(4)


def test_lines_are_numbered_through_and_read_as_file_and_line(tmp_path):
    first = write(tmp_path / "t/1.jsonl", rows(2), end="\n\n")
    second = write_parquet(tmp_path / "t/2.parquet", rows(2, 2))
    lines = list(read_lines([first, second]))
    assert [line.value for line in lines] == rows(4)
    assert [int(line.number) for line in lines] == [1, 3, 4, 5]
    assert [str(line.number) for line in lines] == ["1.jsonl:1", "1.jsonl:3", "2.parquet:1", "2.parquet:2"]
    assert [str(line.number) for line in read_lines([first])] == ["1", "3"]
    empty = write(tmp_path / "t/0.jsonl", [])
    with pytest.raises(FileUnreadable, match="t holds no rows"):
        list(read_lines([empty, empty]))
    with pytest.raises(FileUnreadable, match=r"0\.jsonl holds no rows"):
        list(read_lines([empty]))
    with pytest.raises(FileUnreadable, match=r"3\.parquet holds no rows"):
        list(read_lines([write_table(tmp_path / "t/3.parquet", {"id": []})]))


def test_parquet_that_is_none_and_structs_that_cannot_be_told(tmp_path):
    bad = tmp_path / "bad.parquet"
    bad.write_bytes(b"PAR1 no")
    with pytest.raises(FileUnreadable, match=r"bad\.parquet cannot be read as Parquet"):
        plan_parts([str(bad)], size=9)
    calls = [{"gold": {"name": "f", "arguments": {"x": 1}}}, {"gold": {"name": "f", "arguments": {"y": 1}}}]
    path = write_parquet(tmp_path / "calls.parquet", calls)
    with pytest.raises(RowInvalid, match=r"calls\.parquet:1: arguments is a Parquet struct with nulls"):
        list(read_lines([path]))


def test_bytes_are_text_nan_is_missing_and_a_map_is_an_object(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    pairs = pyarrow.array([[("a", "1")], []], pyarrow.map_(pyarrow.string(), pyarrow.string()))
    columns = {
        "raw_text": ["it's é\n".encode(), b"\xff"],
        "seconds": [float("nan"), float("inf")],
        "m": pairs,
    }
    first, second = (line.value for line in read_lines([write_table(tmp_path / "c.parquet", columns)]))
    assert first == {"raw_text": "it's é\n", "seconds": None, "m": {"a": "1"}}
    assert second == {"raw_text": {"base64": "/w=="}, "seconds": "inf", "m": []}


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (Decimal("1.5"), "Decimal"),
        (datetime(2026, 1, 1), "datetime"),
        (b"\xff", "bytes"),
        (math.nan, "float"),
    ],
)
def test_arguments_of_other_kinds_than_those_of_json_are_refused(tmp_path, value, kind):
    path = write_table(tmp_path / "c.parquet", {"gold": [{"name": "f", "arguments": {"x": [value]}}]})
    with pytest.raises(RowInvalid, match=rf"c\.parquet:1: arguments hold a value of type {kind}"):
        list(read_lines([path]))


def test_urls_are_read_through_fsspec(tmp_path):
    fsspec = pytest.importorskip("fsspec")
    store = fsspec.filesystem("memory")
    table = write_parquet(tmp_path / "c.parquet", rows(3, 40))
    store.pipe("/bucket/t/b.jsonl", "".join(json.dumps(row) + "\n" for row in rows(20, 20)).encode())
    store.pipe("/bucket/t/a.jsonl", "".join(json.dumps(row) + "\n" for row in rows(20)).encode())
    store.pipe("/bucket/t/c.parquet", (tmp_path / "c.parquet").read_bytes())
    try:
        for named, folder in (("memory://bucket/t", "//bucket/t"), ("memory://bucket/t/*", "///bucket/t")):
            found = find_partitions([named])
            assert found == [f"memory:{folder}/{name}" for name in ("a.jsonl", "b.jsonl", "c.parquet")]
            assert values_of(plan_parts(found, size=100)) == rows(43)
            assert [line.value for line in read_lines(found)] == rows(43)
        with pytest.raises(FileUnreadable, match="does not exist"):
            plan_parts(["memory://bucket/absent.jsonl"], size=9)
    finally:
        store.rm("/bucket", recursive=True)
    assert table


def test_a_url_that_nothing_reads_is_refused():
    pytest.importorskip("fsspec")
    with pytest.raises(FileUnreadable, match=r"nowhere://x/a\.jsonl: Protocol not known"):
        plan_parts(["nowhere://x/a.jsonl"], size=9)
    with pytest.raises((DependencyMissing, FileUnreadable)):
        plan_parts(["dropbox://x/a.jsonl"], size=9)
