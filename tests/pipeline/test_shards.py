"""Shards: together they are the whole, byte for byte, and nothing else passes for it."""

import json

import pytest

from faircall import cli
from faircall.errors import EvaluationError, IdMismatch, UsageError
from faircall.pipeline.arm_request import plan_arm
from faircall.pipeline.evaluate import evaluate_arm
from faircall.pipeline.shards import Shard, generate_shard, merge_shards, parse_shard
from faircall.store.atomic import write_json_lines
from faircall.store.verification import verify
from pipeline import run_builder


@pytest.fixture
def built(tmp_path):
    return run_builder.build(tmp_path / "work")


def shard(run, config, number, of):
    return generate_shard(run, config, plan_arm(config, "base"), Shard(number, of))


@pytest.mark.parametrize("count", [1, 2, 3, 7, 20])
def test_any_number_of_shards_gives_the_bytes_of_one_process(tmp_path, built, count):
    run, config = built
    whole, same = run_builder.build(tmp_path / "whole")
    evaluate_arm(whole, same, plan_arm(same, "base"))
    for number in reversed(range(1, count + 1)):
        shard(run, config, number, count)
    outcome = merge_shards(run, "base")
    for name in ("en", "fr"):
        expected = whole.generations_file("base", name).read_bytes()
        assert run.generations_file("base", name).read_bytes() == expected
    assert run.shard_files("base") == []
    assert verify(run).mismatches == ()
    efficiency = outcome.report["inference_efficiency"]
    assert efficiency["cross_comparable"] is False
    assert f"merged from {count} shards" in efficiency["cross_comparable_reason"]


def test_every_prompt_is_in_one_shard(built):
    run, config = built
    counts = [len(shard(run, config, number, 4).read_text().splitlines()) - 1 for number in (1, 2, 3, 4)]
    assert counts == [3, 3, 2, 2]


def test_a_missing_shard_is_named_by_what_it_lacks(built):
    run, config = built
    shard(run, config, 1, 2)
    with pytest.raises(IdMismatch, match="5 of 10 prompts are in no shard, first 'en-1'"):
        merge_shards(run, "base")
    assert run.shard_files("base")


def test_shards_of_other_conditions_do_not_mix(built):
    run, config = built
    shard(run, config, 1, 2)
    write_json_lines(config.path_of("base.jsonl"), run_builder.answers(run_builder.rows(), right=()))
    shard(run, config, 2, 2)
    with pytest.raises(EvaluationError, match="generations_sha256"):
        merge_shards(run, "base")


def test_shards_from_elsewhere_are_given_by_name(tmp_path, built):
    run, config = built
    files = []
    for number in (1, 2):
        path = shard(run, config, number, 2)
        files.append(path.rename(tmp_path / path.name))
    assert merge_shards(run, "base", files).report["examples"] == 10
    assert all(path.is_file() for path in files)


def test_two_answers_to_one_prompt_are_refused(tmp_path, built):
    run, config = built
    path = shard(run, config, 1, 1)
    lines = path.read_text().splitlines()
    row = json.loads(lines[1])
    row["generation"]["raw_text"] = "another"
    other = tmp_path / "other.jsonl"
    other.write_text(lines[0] + "\n" + json.dumps(row) + "\n")
    with pytest.raises(EvaluationError, match="'en-0' has another answer"):
        merge_shards(run, "base", [path, other])


def test_a_finished_arm_takes_no_shard(built):
    run, config = built
    evaluate_arm(run, config, plan_arm(config, "base"))
    with pytest.raises(UsageError, match="is finished"):
        shard(run, config, 1, 2)
    with pytest.raises(UsageError, match="is finished"):
        merge_shards(run, "base")


def test_batches_are_not_sharded(tmp_path):
    text = run_builder.CONFIG.replace("max_new_tokens: 64", "max_new_tokens: 64, batch_size: 4")
    run, config = run_builder.build(tmp_path / "work", config=text)
    with pytest.raises(UsageError, match="share a batch"):
        shard(run, config, 1, 2)


@pytest.mark.parametrize("text", ["0/2", "3/2", "1", "1/0", "a/b", "1/2/3", ""])
def test_what_is_no_shard_is_refused(text):
    with pytest.raises(UsageError, match="is no shard"):
        parse_shard(text)


def test_from_the_command_line(built, capsys):
    run, config = built
    file = str(config.path_of("config.yaml"))
    for number in (1, 2):
        assert cli.main(["eval", "run", "-c", file, "--arm", "base", "--shard", f"{number}/2"]) == 0
    assert f"wrote {run.shard_file('base', 2, of=2)}" in capsys.readouterr().out
    assert cli.main(["merge", str(run.path), "--arm", "base", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["examples"] == 10
