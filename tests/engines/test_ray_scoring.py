"""Tables scored by Ray Data: the bytes of a local `faircall score`, a killed worker included."""

import json
import os
import signal

import pytest

from api.test_partitioned import ROWS, run, write, write_one, write_parquet
from faircall import cli
from faircall.api.partitioned import score_part, summarise_partitions
from faircall.api.ray_scoring import spread_with_ray
from faircall.generating.workers.engine import EngineRequest
from faircall.store.partitions import find_partitions

pytestmark = [pytest.mark.ray, pytest.mark.usefixtures("cluster")]


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("form", [write, write_parquet])
def test_the_engine_prints_and_writes_what_one_process_does(tmp_path, capsys, form, workers):
    one, table = write_one(tmp_path / "one.jsonl"), form(tmp_path / "rows")
    run(one, "--label", "arm")
    here = capsys.readouterr()
    run(table, "--label", "arm", "--engine", "ray", "--workers", str(workers))
    there = capsys.readouterr()
    assert there.out == here.out
    assert there.err == ""
    if workers == 3:
        run(one, "--label", "arm", "-o", str(tmp_path / "here.json"))
        run(table, "--label", "arm", "--engine", "ray", "-o", str(tmp_path / "there.json"))
        assert (tmp_path / "there.json").read_bytes() == (tmp_path / "here.json").read_bytes()


def test_small_parts_come_back_in_order_and_a_killed_worker_changes_nothing(tmp_path):
    found = find_partitions([write(tmp_path / "rows")])
    spread = spread_with_ray(EngineRequest("ray", 2))
    folder = str(tmp_path)

    def deadly(score, parts):
        def scored(part):
            if part.start > 0 and part.path.endswith("part-002.jsonl"):
                try:
                    open(os.path.join(folder, "died"), "x").close()
                except FileExistsError:
                    pass
                else:
                    os.kill(os.getpid(), signal.SIGKILL)
            return score(part)

        return spread(scored, parts)

    assert summarise_partitions(found, spread=deadly, part_bytes=4000) == summarise_partitions(found)
    assert (tmp_path / "died").exists()
    assert score_part.__module__ == "faircall.api.partitioned"


def test_a_fault_is_told_as_without_an_engine(tmp_path, capsys):
    values = [*ROWS[:130], ROWS[3], *ROWS[131:]]
    assert cli.main(["score", write(tmp_path / "rows", values), "--engine", "ray"]) == 2
    assert "id 'r3' is on line part-000.jsonl:4" in capsys.readouterr().err


def test_shared_storage_is_read_by_the_workers(tmp_path, capsys):
    pytest.importorskip("fsspec")
    path = write(tmp_path / "rows")
    run(path, "--json", "--label", "a")
    here = json.loads(capsys.readouterr().out)
    run(f"file://{path}/*.jsonl", "--json", "--label", "a", "--engine", "ray")
    assert json.loads(capsys.readouterr().out) == here
