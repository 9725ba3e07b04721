"""A repeat check of an arm: each way finds its own kind of change, and nothing of the run is lost by it."""

import json
import os

import pytest

from faircall.errors import ArtifactInvalid, UsageError
from faircall.generating.backend import BACKENDS
from faircall.generating.workers.engine import EngineRequest
from faircall.pipeline.arm_request import plan_arm
from faircall.pipeline.arms import read_arm
from faircall.pipeline.comparison import compare_stored
from faircall.pipeline.evaluate import evaluate_arm
from faircall.pipeline.experiment import build_experiment_report
from faircall.pipeline.finish_arm import rebuild_evaluation_report
from faircall.pipeline.repeat_summary import describe_repeats
from faircall.pipeline.rescore import rescore
from faircall.pipeline.shards import generate_shard, merge_shards, parse_shard
from faircall.reporting.comparison_view import view_comparison
from faircall.reporting.evaluation_view import view_evaluation
from faircall.reporting.experiment_view import view_experiment
from faircall.reporting.to_html import comparison_page, evaluation_page, experiment_page
from faircall.reporting.to_markdown import to_markdown
from faircall.store.atomic import write_json
from faircall.store.manifest import read_stage_manifest, write_stage_manifest
from faircall.store.verification import verify
from generating import moody_backend
from pipeline import run_builder

CONFIG = run_builder.CONFIG.replace("base: {replay: base.jsonl}", "base: {}\n  other: {}").replace(
    "backend: replay", "backend: moody"
)


@pytest.fixture
def arm(tmp_path, monkeypatch):
    """Start an arm on a backend of some kind: `arm(kind)` gives `(check, run, config)`."""
    monkeypatch.setenv(moody_backend.HOME, str(os.getpid()))

    def start(kind, *, config=CONFIG):
        BACKENDS.register("moody", kind)
        run, loaded = run_builder.build(tmp_path / "work", config=config)

        def check(count=0, name="base", **options):
            return evaluate_arm(run, loaded, plan_arm(loaded, name, repeats=count, **options))

        return check, run, loaded

    yield start
    BACKENDS.restore()


def ways_of(outcome):
    return outcome.report["inference_efficiency"]["repeat_check"]["ways"]


def identical(outcome):
    return {way: done.get("identical", done["status"]) for way, done in ways_of(outcome).items()}


# --- Each way sees what the others do not


def test_an_even_backend_repeats_itself(arm):
    check, run, _ = arm(moody_backend.Even)
    outcome = check(5)
    assert identical(outcome) == {"same": 5, "fresh": 5, "permuted": 5, "batched": "not_possible"}
    same = ways_of(outcome)["same"]
    assert same["words"] == "5/5 identical (flip rate below 46%)"
    assert (same["full_match_flips"], same["changed"], same["failures"]) == (0, [], [])
    assert same["full_match_flip_rate_below"] == same["flip_rate_below"]
    assert same["metrics"]["argument_f1"] == {"changed": 0, "up": 0, "down": 0}
    assert verify(run).mismatches == ()


def test_ways_are_announced_as_they_begin(arm):
    _, run, config = arm(moody_backend.Even)
    heard = []
    evaluate_arm(run, config, plan_arm(config, "base", repeats=3), news=heard.append)
    assert heard == [
        "repeat check of 3 prompts: the same process, one by one",
        "repeat check of 3 prompts: the same process, one by one, in the reverse order",
        "repeat check of 3 prompts: a new process, one by one",
    ]


def test_state_between_prompts_shows_in_the_reverse_order_only(arm):
    check, run, _ = arm(moody_backend.Spelling)
    outcome = check(5)
    assert identical(outcome) == {"same": 5, "fresh": 5, "permuted": 1, "batched": "not_possible"}
    permuted = ways_of(outcome)["permuted"]
    assert permuted["words"] == "1/5 identical (flip rate below 99%)"
    assert (permuted["text_changed"], permuted["finish_changed"]) == (4, 0)
    assert permuted["full_match_flips"] == 4
    assert permuted["metrics"]["full_call_exact_match"] == {"changed": 4, "up": 0, "down": 4}
    assert permuted["metrics"]["function_name_accuracy"]["changed"] == 0
    assert permuted["metrics"]["argument_f1"] == {"changed": 4, "up": 0, "down": 4}
    row = permuted["changed"][0]
    assert row["metrics"]["full_call_exact_match"] == ["1/1", "0/1"]
    stored = json.loads(run.repeat_check_file("base").read_text())["ways"]["permuted"]["repeats"]
    again = next(r for r in stored if r["generation"]["example_id"] == row["example_id"])
    assert again["generation"]["raw_text"] == moody_backend.WRONG
    assert again["divergence"]["unit"] == "token"
    texts = [again["divergence"][side]["text"] for side in ("first", "again")]
    assert row["divergence"]["ids"] == [ord(text) for text in texts]
    assert texts[0] != texts[1] == moody_backend.WRONG[row["divergence"]["index"]]


def test_what_hangs_on_the_process_shows_in_a_new_one_only(arm):
    check, _, _ = arm(moody_backend.Homely)
    outcome = check(4)
    assert identical(outcome) == {"same": 4, "fresh": 0, "permuted": 4, "batched": "not_possible"}
    assert ways_of(outcome)["fresh"]["words"] == "0/4 identical"
    assert ways_of(outcome)["fresh"]["changed"][0]["divergence"]["unit"] == "character"


def test_what_hangs_on_company_shows_in_batches_only(arm):
    check, _, _ = arm(moody_backend.Batched)
    assert identical(check(10)) == {"same": 10, "fresh": 10, "permuted": 10, "batched": 2}


def test_a_batched_arm_repeats_its_batches_and_is_held_against_single_answers(arm):
    check, _, _ = arm(moody_backend.Batched, config=CONFIG.replace("eval: {", "eval: {batch_size: 4, "))
    outcome = check(10)
    assert outcome.report["metrics"]["full_call_exact_match"]["numerator"] == 3
    assert identical(outcome) == {"same": 10, "fresh": 10, "permuted": 10, "batched": 3}
    moved = ways_of(outcome)["batched"]["metrics"]["full_call_exact_match"]
    assert moved == {"changed": 7, "up": 7, "down": 0}


def test_another_end_of_the_same_text_is_a_flip_that_moves_no_metric(arm):
    check, _, _ = arm(moody_backend.Ending)
    same = ways_of(check(10, repeat_ways=("same",)))["same"]
    assert (same["identical"], same["text_changed"], same["finish_changed"]) == (1, 0, 9)
    assert same["full_match_flips"] == 0
    assert same["changed"][0]["divergence"] is None


# --- Failures


def test_a_failed_repeat_is_neither_equal_nor_a_flip(arm):
    check, _, _ = arm(moody_backend.Failing)
    same = ways_of(check(10, repeat_ways=("same",)))["same"]
    assert (same["repeated"], same["identical"], same["failed"]) == (9, 9, 1)
    assert same["failures"] == [{"example_id": "en-1", "failure": "RuntimeError: out of memory"}]
    assert same["words"] == describe_repeats(0, 9, failed=1)


@pytest.mark.parametrize(
    ("kind", "way", "reason"),
    [
        (moody_backend.Dying, "fresh", "the new process ended with status 3: out of luck"),
        (moody_backend.Changing, "fresh", "no longer those of the run: backend.version"),
        (moody_backend.Refusing, "same", "the engine is gone"),
    ],
)
def test_a_way_that_fails_costs_neither_the_run_nor_the_check(arm, kind, way, reason):
    check, run, _ = arm(kind)
    outcome = check(3)
    assert outcome.generated == 10
    assert outcome.report["metrics"]["full_call_exact_match"]["numerator"] == 10
    assert ways_of(outcome)[way]["status"] == "failed"
    assert reason in ways_of(outcome)[way]["reason"]
    assert any(f"repeat check, {way}:" in warning for warning in outcome.report["warnings"])
    assert verify(run).mismatches == ()


def test_a_machine_that_starts_no_process_is_said_to_be_so(arm, monkeypatch):
    check, _, _ = arm(moody_backend.Even)
    monkeypatch.setattr("sys.executable", "/no/such/python")
    fresh = ways_of(check(2))["fresh"]
    assert fresh["status"] == "failed"
    assert fresh["reason"].startswith("no new process can be started")


def test_a_backend_that_cannot_travel_is_said_to_be_so(arm):
    check, _, _ = arm(lambda request: moody_backend.Even(request))
    fresh = ways_of(check(2))["fresh"]
    assert fresh["status"] == "failed"
    assert "cannot be opened in a new process" in fresh["reason"]


def test_a_stopped_check_leaves_a_finished_arm(arm, monkeypatch):
    check, run, _ = arm(moody_backend.Even)

    def stop(*args, **options):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr("faircall.pipeline.repeat_check.repeat_here", stop)
        check(3)
    assert verify(run).mismatches == ()
    assert check().report["inference_efficiency"]["repeat_check"] is None


# --- Later, shards, replay


def test_a_finished_arm_is_checked_without_answering_it_again(arm):
    opened = []

    def watch(request):
        opened.append(moody_backend.Even(request))
        return opened[-1]

    check, run, _ = arm(watch)
    before = check().report
    telemetry = run.telemetry_file("base").read_bytes()
    outcome = check(4, repeat_ways=("same", "permuted"))
    assert outcome.generated == 0
    assert len(opened[-1].asked) == 8
    assert opened[-1].closed == 1
    assert run.telemetry_file("base").read_bytes() == telemetry
    assert outcome.report["metrics"] == before["metrics"]
    assert list(ways_of(outcome)) == ["permuted", "same"]
    assert check().report == outcome.report  # without the flag the check stays
    assert identical(check(2, repeat_ways=("same",))) == {"same": 2}  # and another one takes its place
    assert verify(run).mismatches == ()


def test_a_shard_is_not_checked_and_the_merged_arm_is(arm):
    check, run, config = arm(moody_backend.Even)
    with pytest.raises(UsageError, match="whole arm"):
        generate_shard(run, config, plan_arm(config, "base", repeats=3), parse_shard("1/2"))
    for text in ("1/2", "2/2"):
        generate_shard(run, config, plan_arm(config, "base"), parse_shard(text))
    merge_shards(run, "base")
    outcome = check(3, repeat_ways=("same",))
    assert (outcome.generated, identical(outcome)) == (0, {"same": 3})


def test_an_engine_finishes_an_arm_before_it_is_checked_without_it(arm):
    _, _, config = arm(moody_backend.Even)
    with pytest.raises(UsageError, match="not over an engine"):
        plan_arm(config, "base", repeats=3, engine=EngineRequest("ray"))


def test_stored_answers_are_not_repeated(tmp_path):
    run, config = run_builder.build(tmp_path / "work")
    with pytest.raises(UsageError, match="replays stored answers"):
        evaluate_arm(run, config, plan_arm(config, "base", repeats=3))


def test_sampled_answers_are_repeated_under_their_seeds(arm):
    config = CONFIG.replace("slices: [en, fr]", "slices: [en]")
    config = config.replace("eval: {", "eval: {sampling: {temperature: 0.7, samples: 2}, ")
    check, run, _ = arm(moody_backend.Batched, config=config)
    outcome = check(4)
    block = outcome.report["inference_efficiency"]["repeat_check"]
    assert block["compared"] == "answers drawn under the same seeds (sampled.v1)"
    assert block["ways"]["batched"]["status"] == "not_possible"
    stored = json.loads(run.repeat_check_file("base").read_text())["ways"]["same"]["repeats"]
    assert all("#" in row["generation"]["example_id"] for row in stored)


# --- Derived from what is stored


def test_metric_flips_follow_from_the_stored_texts(arm):
    check, run, config = arm(moody_backend.Ordered)
    outcome = check(5)
    assert [file.path for file in rescore(run) if file.differences] == []
    stored = json.loads(run.repeat_check_file("base").read_text())
    record = json.loads(run.repeat_check_file("base").read_text())
    for row in record["ways"]["permuted"]["repeats"]:
        row["generation"]["raw_text"] = "no call"
    write_json(run.repeat_check_file("base"), record)
    assert any("repeat_check.json" in mismatch.path for mismatch in verify(run).mismatches)
    assert [file.path for file in rescore(run) if file.differences] == ["eval/base/evaluation_report.json"]
    write_json(run.repeat_check_file("base"), {**record, "conditions_sha256": "0" * 64})
    with pytest.raises(ArtifactInvalid, match="other conditions"):
        rescore(run)
    write_json(run.repeat_check_file("base"), stored)
    assert rebuild_evaluation_report(run, config, "base").report == outcome.report


def test_a_check_of_another_version_is_refused_until_it_is_made_again(arm):
    check, run, config = arm(moody_backend.Even)
    check(2, repeat_ways=("same",))
    record = json.loads(run.repeat_check_file("base").read_text())
    write_json(run.repeat_check_file("base"), {**record, "schema_version": "faircall.repeat_check.v0"})
    manifest = read_stage_manifest(run, "eval-base")
    outputs = [run.path / entry["path"] for entry in manifest["outputs"]]
    write_stage_manifest(run, "eval-base", outputs=outputs, facts=manifest["facts"])
    with pytest.raises(ArtifactInvalid, match=r"repeat check of version faircall\.repeat_check\.v1"):
        rebuild_evaluation_report(run, config, "base")
    assert identical(check(2, repeat_ways=("same",))) == {"same": 2}
    assert verify(run).mismatches == ()


def test_a_run_without_a_check_has_no_trace_of_one(arm):
    check, run, _ = arm(moody_backend.Even)
    report = check().report
    assert report["inference_efficiency"]["repeat_check"] is None
    assert not run.repeat_check_file("base").exists()
    assert "Repeat check" not in to_markdown(view_evaluation({**report, "name": "base"}), title="x")
    assert "Repeat check of" not in evaluation_page(report)


# --- Reports


def test_every_report_tells_of_the_check_in_words_that_promise_nothing(arm):
    check, run, _ = arm(moody_backend.Ordered)
    check(0, "other")
    report = check(5).report
    comparison = compare_stored(read_arm(run, "other"), read_arm(run, "base"))
    experiment = build_experiment_report(run)
    texts = [
        to_markdown(view_evaluation({**report, "name": "base"}), title="x"),
        to_markdown(view_comparison(comparison), title="x"),
        to_markdown(view_experiment(experiment), title="x"),
        evaluation_page(report),
        comparison_page(comparison),
        experiment_page(experiment),
    ]
    for text in texts:
        assert "5/5 identical (flip rate below 46%)" in text
        assert "1/5 identical" in text
        assert "fresh process" in text
        assert "the backend answers one prompt at a time" in text
        assert "deterministic" not in text.lower()
    assert "Answers that changed" in texts[0]
    assert "Nowhere" not in "".join(texts[3:])


def test_an_earlier_form_of_a_check_is_still_told(arm):
    check, run, _ = arm(moody_backend.Even)
    check()
    telemetry = json.loads(run.telemetry_file("base").read_text())
    write_json(run.telemetry_file("base"), {**telemetry, "repeat_check": {"words": "4/4 identical"}})
    from faircall.pipeline.arms import reread_arm
    from faircall.pipeline.evaluation_report import build_evaluation_report

    report = build_evaluation_report(reread_arm(run, "base"))
    assert "4/4 identical" in evaluation_page(report)
    assert to_markdown(view_evaluation({**report, "name": "base"}), title="x")
