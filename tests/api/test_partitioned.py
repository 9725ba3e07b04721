"""A table in several files is scored as one file of the same rows is, and its faults are told as exactly."""

import json
from itertools import islice, pairwise

import pytest

from faircall import cli
from faircall.api import partitioned
from faircall.api.partitioned import evaluate_spread, here, summarise_partitions
from faircall.errors import DataError, DuplicateId, GoldMissing, InvariantViolation
from faircall.store.partitions import find_partitions

TOOLS = [{"name": "wx", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}]


def row(n):
    gold = {"name": "wx", "arguments": {"city": f"c{n % 5}"}}
    texts = (json.dumps(gold), json.dumps({"name": "wx", "arguments": {"city": "x"}}), "no", '{"name": "wx"')
    language = "en" if n % 3 else "fr"
    return {
        "id": f"r{n}", "raw_text": texts[n % 4], "gold": gold, "tools": TOOLS, "language": language,
        "source_example_id": f"r{n - 1}" if n % 3 == 0 and n else None,
    }  # fmt: skip


ROWS = [row(n) for n in range(200)]


def write(folder, values=ROWS, cuts=(0, 7, 8, 120, 200)):
    folder.mkdir()
    for number, (start, stop) in enumerate(pairwise(cuts)):
        lines = "".join(json.dumps(value) + "\n" for value in values[start:stop])
        (folder / f"part-{number:03}.jsonl").write_text(lines)
    return str(folder)


def write_parquet(folder, values=ROWS):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    folder.mkdir()
    texts = [{**v, "gold": json.dumps(v["gold"]), "tools": json.dumps(v["tools"])} for v in values]
    for number in range(2):
        table = pyarrow.Table.from_pylist(texts[number * 100 : number * 100 + 100])
        parquet.write_table(table, folder / f"part-{number}.parquet", row_group_size=30)
    return str(folder)


def write_one(path, values=ROWS):
    path.write_text("".join(json.dumps(value) + "\n" for value in values))
    return str(path)


def run(*arguments):
    assert cli.main(["score", *arguments]) == 0


def test_tables_are_printed_and_written_as_one_file_is(tmp_path, capsys):
    one, lines, table = (
        write_one(tmp_path / "one.jsonl"),
        write(tmp_path / "l"),
        write_parquet(tmp_path / "p"),
    )
    printed = []
    for number, named in enumerate((one, lines, table)):
        run(named, "--label", "arm")
        run(named, "--label", "arm", "-o", str(tmp_path / f"{number}.json"), "--json")
        printed.append(capsys.readouterr())
    assert printed[0].out == printed[1].out == printed[2].out
    written = [(tmp_path / f"{number}.json").read_bytes() for number in range(3)]
    assert written[0] == written[1] == written[2]


@pytest.mark.parametrize("part_bytes", [100, 3000, 10**7])
@pytest.mark.parametrize("jobs", [1, 2])
def test_the_size_of_parts_and_who_scores_them_change_nothing(tmp_path, part_bytes, jobs, monkeypatch):
    monkeypatch.setattr(partitioned, "score_lines", None)  # the whole table is never needed
    found = find_partitions([write(tmp_path / "rows")])
    whole = summarise_partitions(found)
    assert summarise_partitions(found, spread=here(jobs), part_bytes=part_bytes) == whole
    assert whole["name"] == "rows"
    assert whole["examples"] == 200


def test_records_that_parts_made_are_those_of_the_whole(tmp_path):
    found = find_partitions([write(tmp_path / "rows")])
    spread = evaluate_spread(found, spread=here(), part_bytes=2000).to_dict()
    assert spread == partitioned.evaluate_partitions(found).to_dict()


@pytest.mark.parametrize(
    ("change", "error", "told"),
    [
        (lambda rows: [*rows[:130], rows[3], *rows[131:]], DuplicateId,
         r"rows: id 'r3' is on line part-000\.jsonl:4 and on line part-003\.jsonl:11"),
        (lambda rows: [*rows[:9], {**rows[9], "gold": None}, *rows[10:]], GoldMissing,
         r"rows:part-002\.jsonl:2: the row has no gold"),
        (lambda rows: [{**r, "decoding": {"n": n // 150}} for n, r in enumerate(rows)], InvariantViolation,
         r"part-003\.jsonl:31: the decoding"),
        (lambda rows: [{**r, "model": "a" if n < 7 else "b"} for n, r in enumerate(rows)], DataError,
         r"part-001\.jsonl:1: the model"),
    ],
)  # fmt: skip
def test_a_fault_names_its_file_and_line(tmp_path, change, error, told):
    found = find_partitions([write(tmp_path / "rows", change(ROWS))])
    with pytest.raises(error, match=told):
        summarise_partitions(found, part_bytes=1000)
    with pytest.raises(error, match=told):
        evaluate_spread(found, spread=here(), part_bytes=1000)


def test_rows_without_ids_are_numbered_through_all_files(tmp_path, capsys):
    values = [{k: v for k, v in r.items() if "id" not in k} for r in islice(ROWS, 50)]
    run(write_one(tmp_path / "one.jsonl", values), "--label", "a", "--json")
    one = capsys.readouterr().out
    run(write(tmp_path / "rows", values, cuts=(0, 20, 50)), "--label", "a", "--json")
    assert capsys.readouterr().out == one


def test_gold_reader_and_protocol_are_taken_for_tables_too(tmp_path, capsys):
    gold = write_one(tmp_path / "gold.jsonl", [{"id": r["id"], "gold": r["gold"]} for r in ROWS])
    bare = [{k: v for k, v in r.items() if k != "gold"} for r in ROWS]
    run(write_one(tmp_path / "one.jsonl", bare), "--gold", gold, "--reader", "hermes.v1", "--label", "a")
    one = capsys.readouterr().out
    run(write(tmp_path / "rows", bare), "--gold", gold, "--reader", "hermes.v1", "--label", "a")
    assert capsys.readouterr().out == one


def test_an_engine_scores_with_the_default_reader_only(tmp_path, capsys):
    file = write_one(tmp_path / "one.jsonl")
    assert cli.main(["score", file, "--engine", "ray", "--reader", "hermes.v1"]) == 2
    assert "--engine scores rows that hold their gold" in capsys.readouterr().err
    assert cli.main(["score", file, "--workers", "2"]) == 2
    assert "--workers goes with --engine" in capsys.readouterr().err
    assert cli.main(["score", file, "--engine", "rey"]) == 2
    assert "'rey' is no engine that scores" in capsys.readouterr().err
