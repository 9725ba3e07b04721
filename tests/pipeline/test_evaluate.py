"""One arm of a run: what is written, what is refused before generating, and what is never reused."""

import json
import shutil

import pytest

from faircall.errors import DataError, EvaluationError, FileUnreadable, InvariantViolation, UsageError
from faircall.generating.backend import BACKENDS
from faircall.generating.replay import open_replay
from faircall.pipeline.arm_request import plan_arm
from faircall.pipeline.evaluate import evaluate_arm
from faircall.pipeline.finish_arm import rebuild_evaluation_report
from faircall.pipeline.generations import read_generations, require_consistent
from faircall.pipeline.prompts import read_prompts, select_slices
from faircall.records import Generation
from faircall.store.atomic import write_json_lines
from faircall.store.manifest import stage_is_done, write_stage_manifest
from faircall.store.verification import verify
from pipeline import run_builder


@pytest.fixture
def built(tmp_path):
    return run_builder.build(tmp_path / "work")


def evaluate(run, config, arm="base", **options):
    listener = options.pop("listener", lambda answered: None)
    return evaluate_arm(run, config, plan_arm(config, arm, **options), listener=listener)


@pytest.fixture
def flaky():
    """A replay backend that fails on the ids in the returned set, and counts what it is asked."""
    failing, asked = set(), []

    class Flaky:
        def __init__(self, inner):
            self.inner = inner

        def __getattr__(self, name):
            return getattr(self.inner, name)

        def generate(self, prompt):
            asked.append(prompt.example_id)
            if prompt.example_id in failing:
                return Generation(
                    prompt.example_id,
                    "",
                    language=prompt.language,
                    prompt_sha256=prompt.prompt_sha256,
                    decoding=self.inner.generate(prompt).decoding,
                    failure="RuntimeError: out of memory",
                )
            return self.inner.generate(prompt)

    BACKENDS.register("replay", lambda request: Flaky(open_replay(request)))
    yield failing, asked
    BACKENDS.restore()


def test_an_arm_leaves_generations_telemetry_report_and_manifest_and_no_journal(built):
    run, config = built
    outcome = evaluate(run, config)
    names = sorted(path.name for path in run.eval_folder("base").iterdir())
    assert names == [
        "evaluation_report.json", "generations.en.jsonl", "generations.fr.jsonl", "inference_telemetry.json",
    ]  # fmt: skip
    assert outcome.generated == 10
    assert verify(run).mismatches == ()
    rows = [json.loads(line) for line in run.generations_file("base", "en").read_text().splitlines()]
    assert [row["example_id"] for row in rows] == [f"en-{i}" for i in range(6)]
    assert rows[0]["call"] == {"name": "wx", "arguments": {"city": "Graz"}}
    assert (rows[5]["call"], rows[5]["status"], rows[5]["reason"]) == (None, "no_json", "no_bracket")
    assert all("duration" not in key for row in rows for key in row)


def test_the_report_counts_by_slice_and_in_all(built):
    report = evaluate(*built, "adapter").report
    assert report["schema_version"] == "faircall.evaluation_report.v3"
    assert (report["arm"], report["model_kind"], report["run_id"]) == ("adapter", "adapter", "run-1")
    full = report["metrics"]["full_call_exact_match"]
    assert (full["numerator"], full["denominator"]) == (9, 10)
    parts = [report["slices"][name]["metrics"]["full_call_exact_match"] for name in ("en", "fr")]
    assert [(part["numerator"], part["denominator"]) for part in parts] == [(5, 6), (4, 4)]
    assert report["adapter_source"] == {
        "kind": "declared", "name": "owner/lora", "revision": "r2", "immutable": False,
    }  # fmt: skip


def test_the_telemetry_has_the_peak_of_memory(built):
    run, config = built
    evaluate(run, config)
    memory = json.loads(run.telemetry_file("base").read_text())["memory"]
    assert memory["process_peak_bytes"] > 1_000_000


def test_a_finished_arm_is_left_as_it_is(built, flaky):
    run, config = built
    evaluate(run, config)
    before = {path: path.read_bytes() for path in run.path.rglob("*") if path.is_file()}
    asked = len(flaky[1])
    assert evaluate(run, config).generated == 0
    assert len(flaky[1]) == asked
    assert {path: path.read_bytes() for path in run.path.rglob("*") if path.is_file()} == before


def test_generations_of_another_model_are_never_reused(built, tmp_path):
    """Case R01: the second arm of the same name under other answers is refused by the differing field."""
    run, config = built
    evaluate(run, config)
    write_json_lines(config.path_of("base.jsonl"), run_builder.answers(run_builder.rows(), right=()))
    with pytest.raises(EvaluationError, match=r"source\.generations_sha256"):
        evaluate(run, config)
    with pytest.raises(EvaluationError, match=r"prompts\.limit"):
        evaluate(run, config, limit=2)


def test_a_stopped_arm_goes_on_and_ends_with_the_same_bytes(built, tmp_path):
    run, config = built
    undisturbed, other = run_builder.build(tmp_path / "other")
    evaluate(undisturbed, other)

    def stop(answered):
        if answered.entry.generation.example_id == "en-4":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        evaluate(run, config, listener=stop)
    assert not stage_is_done(run, "eval-base")
    assert not run.generations_file("base", "en").exists()
    outcome = evaluate(run, config)
    assert outcome.generated == 5
    assert outcome.report["inference_efficiency"]["cross_comparable"] is False
    for name in ("en", "fr"):
        expected = undisturbed.generations_file("base", name).read_bytes()
        assert run.generations_file("base", name).read_bytes() == expected


def test_a_backend_failure_is_a_row_that_counts_as_wrong_and_is_asked_again(built, flaky):
    """Case R09: denominators stay, the failure is listed; the next run asks for that item only."""
    failing, asked = flaky
    run, config = built
    failing.add("en-1")
    report = evaluate(run, config).report
    assert report["metrics"]["valid_json_rate"] | {"interval": None} == {
        "value": 0.3, "numerator": 3, "denominator": 10, "interval": None,
    }  # fmt: skip
    assert report["diagnosis"]["backend_failed"] == 1
    assert any("backend failed: 1;" in warning for warning in report["warnings"])
    row = json.loads(run.generations_file("base", "en").read_text().splitlines()[1])
    assert (row["status"], row["reason"], row["failure"]) == (
        "no_json", "backend_failed", "RuntimeError: out of memory",
    )  # fmt: skip

    failing.clear()
    asked.clear()
    second = evaluate(run, config)
    assert asked == ["en-0", "en-1"]  # the warm-up, and the one that had failed
    assert second.generated == 1
    assert second.report["metrics"]["valid_json_rate"]["numerator"] == 4
    assert second.report["diagnosis"]["backend_failed"] == 0
    assert second.report["warnings"] == []
    assert verify(run).mismatches == ()


def test_no_full_match_makes_the_price_of_one_undefined(tmp_path):
    run, config = run_builder.build(tmp_path / "work", base=())
    efficiency = evaluate(run, config).report["inference_efficiency"]
    assert efficiency["seconds_per_full_match"] is None
    assert efficiency["seconds_per_full_match_reason"] == "no example was a full match"
    assert efficiency["configured_gpu_seconds_per_full_match"] is None


def test_a_limit_counts_roots_and_keeps_their_translations(built):
    run, config = built
    outcome = evaluate(run, config, limit=2)
    assert [outcome.report["slices"][name]["examples"] for name in ("en", "fr")] == [2, 2]
    assert outcome.report["identity"]["data"]["roots"] == 2


def test_a_report_can_be_built_again_with_the_same_bytes(built):
    run, config = built
    outcome = evaluate(run, config)
    before = outcome.report_file.read_bytes()
    outcome.report_file.unlink()
    shutil.copy(run.generations_file("base", "en"), run.path.parent / "keep")
    with pytest.raises(InvariantViolation):
        rebuild_evaluation_report(run, config, "base")
    outcome.report_file.write_bytes(before)
    assert rebuild_evaluation_report(run, config, "base").report_file.read_bytes() == before


# --- Refused before anything is generated


def test_a_prompt_that_is_not_what_its_digest_says_is_a_broken_invariant(tmp_path, flaky):
    prompts = run_builder.rows()
    prompts[3]["prompt_text"] += " please"
    run, config = run_builder.build(tmp_path / "work", prompts=prompts)
    with pytest.raises(InvariantViolation, match=r"test\.jsonl:4: the prompt of en-3"):
        evaluate(run, config)
    assert flaky[1] == []


def test_a_formatted_file_that_was_edited_is_a_broken_invariant(built):
    run, config = built
    path = run.formatted_file("test")
    path.write_bytes(path.read_bytes().replace(b"weather in Graz", b"weather in Linz"))
    with pytest.raises(InvariantViolation, match="formatted/test"):
        evaluate(run, config)


def test_a_slice_without_rows_is_an_error(tmp_path):
    run, config = run_builder.build(tmp_path / "work", prompts=run_builder.rows(french=0))
    with pytest.raises(DataError, match="slice 'fr' has no rows"):
        evaluate(run, config)


def test_one_example_on_two_rows_is_an_error(tmp_path):
    path = tmp_path / "test.jsonl"
    write_json_lines(path, [run_builder.prompt_row(1, "en"), run_builder.prompt_row(1, "en")])
    with pytest.raises(InvariantViolation, match="'en-1' stands twice"):
        read_prompts(path)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"arm": "nobody"}, "no arm 'nobody'"),
        ({"arm": "adapter", "adapter": "owner/else"}, "declared with the adapter owner/lora"),
        ({"arm": "base", "limit": 0}, "--limit"),
    ],
)
def test_flags_that_contradict_the_config_are_refused(built, options, message):
    with pytest.raises(UsageError, match=message):
        evaluate(*built, **options)


# --- The seed's checks before scoring


def _damage(rows, change):
    if change == "missing":
        return rows[:-1]
    if change == "order":
        return [rows[1], rows[0], *rows[2:]]
    fields = {
        "language": {"language": "fr"},
        "prompt": {"prompt_sha256": "0" * 64},
        "decoding": {"decoding": {"temperature": 0.0, "max_new_tokens": 63}},
        "unknown": {"example_id": "en-99"},
    }[change]
    return [*rows[:2], {**rows[2], **fields}, *rows[3:]]


@pytest.mark.parametrize("change", ["missing", "order", "language", "prompt", "decoding", "unknown"])
def test_generations_that_do_not_belong_to_the_prompts_are_a_broken_invariant(built, change):
    run, config = built
    evaluate(run, config)
    path = run.generations_file("base", "en")
    write_json_lines(path, _damage([json.loads(line) for line in path.read_text().splitlines()], change))
    prompts = select_slices(read_prompts(run.formatted_file("test")), ["en"]).slices["en"]
    with pytest.raises(InvariantViolation, match="slice en"):
        require_consistent(read_generations(path), prompts, slice_name="en")
    with pytest.raises(InvariantViolation, match=r"was changed|has .* bytes"):
        rebuild_evaluation_report(run, config, "base")


def test_the_manifest_cannot_be_talked_around(built):
    """Even with a manifest that was written again, mixed decoding does not get past the checks."""
    run, config = built
    evaluate(run, config)
    path = run.generations_file("base", "en")
    write_json_lines(path, _damage([json.loads(line) for line in path.read_text().splitlines()], "decoding"))
    manifest = json.loads(run.stage_manifest_file("eval-base").read_text())
    outputs = [run.path / entry["path"] for entry in manifest["outputs"]]
    write_stage_manifest(run, "eval-base", outputs=outputs, facts=manifest["facts"])
    with pytest.raises(InvariantViolation, match="was decoded otherwise"):
        rebuild_evaluation_report(run, config, "base")


# --- A finished arm and its absent backend


def test_a_finished_arm_does_not_miss_its_stored_answers(built):
    run, config = built
    evaluate(run, config, "adapter")
    config.path_of("adapter.jsonl").unlink()
    assert evaluate(run, config, "adapter").generated == 0
    with pytest.raises(FileUnreadable, match=r"adapter\.jsonl does not exist"):  # as another adapter
        evaluate(run, config, "adapter", adapter="owner/lora", revision="r3")


def test_a_finished_arm_of_an_adapter_whose_bytes_changed_is_refused(tmp_path):
    text = run_builder.CONFIG.replace("owner/lora, revision: r2", "lora")
    (tmp_path / "work" / "lora").mkdir(parents=True)
    weights = tmp_path / "work" / "lora" / "adapter_model.safetensors"
    weights.write_bytes(b"one")
    run, config = run_builder.build(tmp_path / "work", config=text)
    evaluate(run, config, "adapter")
    weights.write_bytes(b"two")
    with pytest.raises(EvaluationError, match=r"adapter\.source"):
        evaluate(run, config, "adapter")
    shutil.rmtree(weights.parent)
    assert evaluate(run, config, "adapter").generated == 0
