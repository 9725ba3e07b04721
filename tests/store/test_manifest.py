"""Stage manifests, the index, and what `verify` finds."""

import os
import random
from concurrent.futures import ThreadPoolExecutor

import pytest

from faircall.errors import ArtifactInvalid, InvariantViolation, UsageError
from faircall.store.atomic import write_json_lines
from faircall.store.files import read_json
from faircall.store.layout import run_folder
from faircall.store.manifest import (
    manifest_digest,
    read_index,
    require_stage,
    stage_is_done,
    start_run,
    write_stage_manifest,
)  # fmt: skip
from faircall.store.verification import verify

SHA = "0" * 64


@pytest.fixture
def run(tmp_path):
    """A small finished run of three stages."""
    run = run_folder(tmp_path, "r1")
    start_run(run, config_yaml="schema_version: x\n", config_sha256=SHA)
    write_json_lines(run.data_file("test"), [{"a": 1}, {"a": "é"}])
    source = {"path": "rows.jsonl", "sha256": SHA, "bytes": 3}
    write_stage_manifest(run, "data", outputs=[run.data_file("test")], external_inputs=[source])
    write_json_lines(run.formatted_file("test"), [{"prompt_text": "x"}])
    write_stage_manifest(
        run, "format", inputs=[run.data_file("test")], outputs=[run.formatted_file("test")], facts={"rows": 1}
    )
    write_json_lines(run.generations_file("base", "en"), [{"raw_text": "y"}])
    write_stage_manifest(run, "eval-base", outputs=[run.generations_file("base", "en")])
    return run


def problems(run):
    return [(one.path, one.problem) for one in verify(run).mismatches]


def test_an_untouched_run_verifies(run):
    outcome = verify(run)
    assert outcome.mismatches == ()
    assert outcome.files == sum(path.is_file() for path in run.path.rglob("*")) == 8
    assert outcome.manifest_sha256 == manifest_digest(run)
    manifest = require_stage(run, "format")
    assert manifest["facts"] == {"rows": 1}
    assert [entry["path"] for entry in manifest["inputs"]] == ["data/test.jsonl"]


def test_every_flipped_bit_is_found(run):
    draw = random.Random(5)
    for path in sorted(path for path in run.path.rglob("*") if path.is_file()):
        clean = path.read_bytes()
        bits = draw.sample(range(8 * len(clean)), min(60, 8 * len(clean)))
        for bit in bits:
            damaged = bytearray(clean)
            damaged[bit // 8] ^= 1 << bit % 8
            path.write_bytes(damaged)
            assert run.relative(path) in [name for name, _ in problems(run)], (path, bit)
        path.write_bytes(clean)
    assert problems(run) == []


def test_missing_unexpected_and_linked_files_are_found(run, tmp_path):
    run.data_file("test").unlink()
    (run.path / "report").mkdir()
    (run.path / "report" / "notes.txt").write_text("x")
    formatted = run.formatted_file("test")
    (tmp_path / "elsewhere").write_bytes(formatted.read_bytes())
    formatted.unlink()
    formatted.symlink_to(tmp_path / "elsewhere")
    found = dict(problems(run))
    assert found["data/test.jsonl"] == "is missing"
    assert found["report/notes.txt"] == "belongs to no finished stage"
    assert "symlink" in found["formatted/test.jsonl"]
    assert len(found) == 3


def test_what_is_neither_file_nor_folder_is_unexpected(run):
    os.mkfifo(run.path / "pipe")
    assert problems(run) == [("pipe", "belongs to no finished stage")]


def test_files_of_a_stage_without_manifest_are_unexpected(run):
    write_json_lines(run.generations_file("adapter", "en"), [])
    assert problems(run) == [("eval/adapter/generations.en.jsonl", "belongs to no finished stage")]


def test_a_removed_manifest_is_found(run):
    run.stage_manifest_file("data").unlink()
    assert ("data_manifest.json", "is missing") in problems(run)
    run.manifest_file.unlink()
    assert [name for name, _ in problems(run)] == ["manifest.json"]


def test_the_next_stage_refuses_an_altered_one(run):
    path = run.data_file("test")
    path.write_bytes(path.read_bytes().replace(b"1", b"2"))
    with pytest.raises(InvariantViolation, match=r"data/test.jsonl: was changed"):
        require_stage(run, "data")
    require_stage(run, "format")


def test_an_altered_index_is_not_extended(run):
    run.manifest_file.write_bytes(run.manifest_file.read_bytes().replace(b'"r1"', b'"r2"'))
    with pytest.raises(ArtifactInvalid, match="own digest"):
        write_stage_manifest(run, "report", outputs=[])
    assert not run.stage_manifest_file("report").exists()


def test_a_stage_that_did_not_finish_is_named(run):
    assert stage_is_done(run, "data")
    assert not stage_is_done(run, "report")
    with pytest.raises(UsageError, match="no finished stage 'report'") as caught:
        require_stage(run, "report", hint="run it")
    assert caught.value.hint == "run it"


def test_a_manifest_is_written_only_when_its_files_exist(run):
    with pytest.raises(FileNotFoundError):
        write_stage_manifest(run, "eval-adapter", outputs=[run.generations_file("adapter", "en")])
    assert not run.stage_manifest_file("eval-adapter").exists()
    assert "eval-adapter" not in read_index(run)["stages"]


def test_a_finished_run_is_not_started_again(run):
    with pytest.raises(UsageError, match="exists already"):
        start_run(run, config_yaml="schema_version: x\n", config_sha256=SHA)


def test_a_run_that_finished_no_stage_may_start_again(tmp_path):
    run = run_folder(tmp_path, "r2")
    for _ in range(2):
        start_run(run, config_yaml="a: 1\n", config_sha256=SHA)
    with pytest.raises(UsageError):
        start_run(run, config_yaml="a: 2\n", config_sha256="1" * 64)


def test_manifests_hold_no_absolute_path_and_no_clock(run, tmp_path):
    before = run.manifest_file.read_bytes()
    write_stage_manifest(run, "eval-base", outputs=[run.generations_file("base", "en")])
    assert run.manifest_file.read_bytes() == before
    for path in run.path.glob("*manifest.json"):
        assert str(tmp_path) not in path.read_text()


def test_arms_may_finish_at_the_same_moment(run):
    arms = [f"arm{number}" for number in range(8)]
    for arm in arms:
        write_json_lines(run.generations_file(arm, "en"), [{"arm": arm}])

    def finish(arm):
        write_stage_manifest(run, f"eval-{arm}", outputs=[run.generations_file(arm, "en")])

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(finish, arms))
    assert {f"eval-{arm}" for arm in arms} <= set(read_json(run.manifest_file)["stages"])
    assert problems(run) == []
