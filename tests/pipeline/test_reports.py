"""Comparison and experiment of stored arms, and re-scoring: same files, same bytes."""

import json

import pytest

from faircall.comparing.costs import efficiency_differences
from faircall.comparing.identity import IDENTITY_FIELDS
from faircall.demo.replay import reference_run
from faircall.digest import sha256_json
from faircall.errors import Incomparable, InvariantViolation, UsageError
from faircall.generating.backend import BACKENDS
from faircall.generating.replay import open_replay
from faircall.pipeline.arm_request import plan_arm
from faircall.pipeline.comparison import compare_folders, compare_in_run, default_out
from faircall.pipeline.evaluate import evaluate_arm
from faircall.pipeline.experiment import build_experiment_report, write_experiment
from faircall.pipeline.families import hold_families
from faircall.pipeline.rescore import rescore
from faircall.store.atomic import write_json_lines
from faircall.store.manifest import read_stage_manifest, write_stage_manifest
from faircall.store.verification import verify
from pipeline import run_builder

CLAIMS = """\
claims:
  - {id: better, kind: superiority, family: all}
  - {id: kept, slice: en, kind: non_inferiority, margin: 0.1, baseline: base, candidate: adapter}
"""
THREE_ARMS = run_builder.CONFIG.replace(
    "datasets:", "  second: {replay: adapter.jsonl, adapter: owner/other, revision: r3}\ndatasets:"
)


def finished(folder, *, config=run_builder.CONFIG, arms=("base", "adapter"), **answers):
    run, loaded = run_builder.build(folder, config=config, **answers)
    for arm in arms:
        evaluate_arm(run, loaded, plan_arm(loaded, arm))
    return run


@pytest.fixture
def run(tmp_path):
    return finished(tmp_path / "work", config=run_builder.CONFIG + CLAIMS)


@pytest.fixture
def three(tmp_path):
    return finished(tmp_path / "three", config=THREE_ARMS + CLAIMS, arms=("base", "adapter", "second"))


def snapshot(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


# --- Comparison


def test_a_comparison_inside_a_run_is_a_stage_of_it(run):
    report, path = compare_folders(run.path, run.path, out=run.path / "report")
    assert path == run.comparison_report_file()
    assert json.loads(path.read_text()) == json.loads(json.dumps(report))
    full = report["overall"]["metrics"]["full_call_exact_match"]
    assert full["table"] == {"both": 4, "baseline_only": 0, "candidate_only": 5, "neither": 1}
    assert report["treatment"]["sections"] == ["adapter"]
    assert report["not_attested"] == []
    assert {claim["id"] for claim in report["claims"]} == {"better", "kept"}
    assert run.comparison_report_file("md").read_text().startswith("# Comparison")
    assert verify(run).mismatches == ()


def test_every_report_carries_the_digests_of_the_sections(run):
    report, _ = compare_folders(run.path, run.path, out=run.path / "report")
    for side in ("baseline", "candidate"):
        own = json.loads(run.evaluation_report_file(report[side]["arm"]).read_text())
        assert own["identity_sha256"] == report[side]["identity_sha256"]
        assert own["identity_sha256"] == {
            name: sha256_json(fields) for name, fields in own["identity"].items()
        }
        assert set(own["identity"]) == set(IDENTITY_FIELDS)
        assert {"example_ids", "gold", "pair_sets", "test_split_sha256"} <= own["identity"]["data"].keys()
    first, second = (report[side]["identity_sha256"] for side in ("baseline", "candidate"))
    assert {name for name in first if first[name] != second[name]} == {"adapter"}


def rewrite_report(run, arm, change):
    """The report of an arm as `change` leaves it, entered in the manifests as if the stage had written it."""
    file, stage = run.evaluation_report_file(arm), f"eval-{arm}"
    report = json.loads(file.read_text())
    change(report)
    file.write_text(json.dumps(report))
    manifest = read_stage_manifest(run, stage)
    outputs = [run.path / entry["path"] for entry in manifest["outputs"]]
    inputs = [run.path / entry["path"] for entry in manifest["inputs"]]
    write_stage_manifest(run, stage, outputs=outputs, inputs=inputs, facts=manifest["facts"])


def test_a_report_without_digests_is_older_and_compared(run):
    expected, _ = compare_folders(run.path, run.path, out=run.path / "report")
    rewrite_report(run, "base", lambda report: report.pop("identity_sha256"))
    assert compare_folders(run.path, run.path, out=run.path / "report")[0] == expected


def test_a_report_whose_section_was_altered_is_refused_even_under_new_manifests(run):
    rewrite_report(run, "base", lambda report: report["identity"]["model"].update(dtype="bfloat16"))
    assert verify(run).mismatches == ()
    with pytest.raises(InvariantViolation, match=r"report\.json: the identity was altered: model "):
        compare_folders(run.path, run.path, out=run.path / "report")


def test_the_costs_of_two_measured_arms_are_their_ratio():
    reference = reference_run()
    (pair,) = build_experiment_report(reference, ["en", "en_fr"])["pairs"]
    first, second = (pair["inference_efficiency"][side] for side in ("baseline", "candidate"))
    for measure, ratio in pair["inference_efficiency"]["ratios"].items():
        assert ratio["value"] == pytest.approx(second[measure] / first[measure])
        assert ratio["evidence"] == "ok"
    assert (first["prompt_tokens"], first["memory"]) == (57181, None)  # recorded before memory was


def test_costs_of_replayed_arms_are_not_compared(run):
    report, _ = compare_folders(run.path, run.path, out=run.path / "report")
    efficiency = report["inference_efficiency"]
    assert efficiency["ratios"] is None
    assert [reason.partition(":")[0] for reason in efficiency["reasons"]] == ["base", "adapter"]
    assert efficiency["baseline"]["memory"]["process_peak_bytes"] > 0


def test_folders_of_arms_can_be_named(run):
    report, _ = compare_folders(
        run.eval_folder("adapter"), run.eval_folder("base"), out=default_out(run.path, run.path)
    )
    assert report["overall"]["metrics"]["full_call_exact_match"]["delta"] == -0.5


def test_arms_of_two_runs_are_compared_into_a_folder_of_ones_own(run, tmp_path):
    other = finished(tmp_path / "other", config=run_builder.CONFIG + CLAIMS)
    with pytest.raises(UsageError, match="two runs"):
        default_out(run.path, other.path)
    with pytest.raises(UsageError, match="lies inside the run"):
        compare_folders(run.path, other.path, out=run.path / "elsewhere")
    out = tmp_path / "out"
    compare_folders(run.path, other.path, out=out)
    assert {path.name for path in out.iterdir()} == {
        f"comparison_report.{form}" for form in ("json", "md", "html")
    }


def _other_prompts():
    prompts = run_builder.rows()
    row = prompts[0]
    row["prompt_text"] += " now"
    row["prompt_sha256"] = run_builder.sha256_text(row["prompt_text"])
    return prompts


def _other_tools():
    prompts = run_builder.rows()
    prompts[0]["tools_sha256"] = "0" * 64
    return prompts


def _other_gold():
    prompts = run_builder.rows()
    prompts[0]["target_text"] = prompts[1]["target_text"]
    return prompts


CHANGES = {
    "model.base_model_id": {"config": run_builder.CONFIG.replace("owner/tiny", "owner/other")},
    "model.base_model_revision": {"config": run_builder.CONFIG.replace("revision: r1", "revision: r9")},
    "model.dtype": {"config": run_builder.CONFIG.replace("r1}", "r1, dtype: bfloat16}")},
    "model.quantization": {"config": run_builder.CONFIG.replace("r1}", "r1, quantization: 4bit}")},
    "model.tokenizer_revision": {"config": run_builder.CONFIG.replace("r1}", "r1, tokenizer_revision: t}")},
    "model.trust_remote_code": {"config": run_builder.CONFIG.replace("r1}", "r1, trust_remote_code: true}")},
    "decoding.max_new_tokens": {"config": run_builder.CONFIG.replace("tokens: 64", "tokens: 65")},
    # Of a slice that one arm lacks, the missing rows are told, and that eval.slices differ.
    "data.example_ids": {"config": run_builder.CONFIG.replace("slices: [en, fr]", "slices: [en]")},
    "prompt.prompt_sets": {"prompts": _other_prompts()},
    "tasks.tasks_sha256": {"prompts": _other_tools()},
    "data.gold": {"prompts": _other_gold()},
    "config.config_sha256": {"config": run_builder.CONFIG.replace("name: tiny", "name: other")},
}


@pytest.mark.parametrize("field", CHANGES)
def test_each_field_of_a_run_changed_alone_is_refused_by_name_and_nothing_is_written(tmp_path, field):
    base = finished(tmp_path / "one", arms=["base"])
    adapter = finished(tmp_path / "two", arms=["adapter"], **CHANGES[field])
    out = tmp_path / "out"
    with pytest.raises(Incomparable, match=field.replace(".", r"\.")):
        compare_folders(base.path, adapter.path, out=out)
    assert not out.exists()


@pytest.mark.parametrize(
    ("section", "field"),
    [("backend", name) for name in ("engine", "version", "device", "batch_plan", "threads", "attention")]
    + [("model", "trust_remote_code"), ("decoding", "strategy")],
)
def test_each_condition_that_a_backend_states_is_part_of_the_gate(tmp_path, section, field):
    base = finished(tmp_path / "one", arms=["base"])

    class Other:
        def __init__(self, inner):
            self.inner = inner

        def __getattr__(self, name):
            return getattr(self.inner, name)

        def describe(self):
            stated = self.inner.describe()
            return {**stated, section: {**stated[section], field: "something else"}}

    BACKENDS.register("replay", lambda request: Other(open_replay(request)))
    try:
        adapter = finished(tmp_path / "two", arms=["adapter"])
    finally:
        BACKENDS.restore()
    with pytest.raises(Incomparable, match=rf"{section}\.{field}"):
        compare_folders(base.path, adapter.path, out=tmp_path / "out")


def test_a_limited_arm_is_comparable_with_equally_limited_ones_only(tmp_path):
    def limited(name, arm, limit):
        run, config = run_builder.build(tmp_path / name)
        evaluate_arm(run, config, plan_arm(config, arm, limit=limit))
        return run.path

    base, adapter = limited("one", "base", 3), limited("two", "adapter", 3)
    report, _ = compare_folders(base, adapter, out=tmp_path / "equal")
    assert report["overall"]["roots"] == 3
    with pytest.raises(Incomparable, match=r"data\.roots"):
        compare_folders(base, limited("three", "adapter", 4), out=tmp_path / "out")


def test_a_run_with_several_adapters_asks_for_one(three):
    with pytest.raises(UsageError, match=r"2 adapter arms \(adapter, second\)"):
        compare_folders(three.path, three.path, out=three.path / "report")


# --- Experiment


def test_all_pairs_are_compared_and_their_deltas_add_up(three):
    report = build_experiment_report(three)
    pairs = [(pair["baseline"]["arm"], pair["candidate"]["arm"]) for pair in report["pairs"]]
    assert pairs == [("base", "adapter"), ("base", "second"), ("adapter", "second")]
    deltas = [pair["overall"]["metrics"]["argument_f1"]["delta"] for pair in report["pairs"]]
    assert deltas[0] + deltas[2] == pytest.approx(deltas[1], abs=1e-12)
    assert {pair["overall"]["metrics"]["argument_f1"]["bootstrap"]["rng"] for pair in report["pairs"]} == {
        report["pairs"][0]["overall"]["metrics"]["argument_f1"]["bootstrap"]["rng"]
    }
    claims = [(claim["id"], claim["baseline"], claim["candidate"]) for claim in report["claims"]]
    assert claims == [
        ("better", "base", "adapter"),
        ("kept", "base", "adapter"),
        ("better", "base", "second"),
    ]


def test_declared_pairs_replace_all_pairs(three):
    report = build_experiment_report(three, pairs=[("adapter", "second")])
    assert len(report["pairs"]) == 1
    with pytest.raises(UsageError, match="no arm 'third'"):
        build_experiment_report(three, pairs=[("base", "third")])


def test_an_experiment_needs_two_arms(tmp_path):
    with pytest.raises(UsageError, match=r"too few finished arms \(base\)"):
        build_experiment_report(finished(tmp_path / "one", arms=["base"]))


def test_costs_stand_side_by_side_only_under_equal_conditions(three):
    efficiency = build_experiment_report(three)["inference_efficiency"]
    assert efficiency["cross_comparable"] is False
    assert efficiency["reasons"][0].startswith("base: stored answers were replayed")
    measured = {"cross_comparable": True, "cross_comparable_reason": None}
    rows = {name: {**row, **measured} for name, row in efficiency["arms"].items()}
    assert efficiency_differences(rows) == []
    assert rows["base"]["configured_gpu_seconds_per_full_match_reason"] == "no GPU was configured"
    changes = {
        "allocation": {"allocation": {"device": "cuda:0", "threads": 1, "configured_gpus": 1}},
        "decoding": {"decoding": {"max_new_tokens": 9}},
        "contract": {"contract": "another"},
    }
    for name, change in changes.items():
        reasons = efficiency_differences({**rows, "second": {**rows["second"], **change}})
        assert reasons == [f"the arms differ in {name}"]
    resumed = {"cross_comparable": False, "cross_comparable_reason": "the run was resumed"}
    assert efficiency_differences({**rows, "second": {**rows["second"], **resumed}}) == [
        "second: the run was resumed"
    ]


def test_a_family_is_adjusted_over_all_comparisons():
    claim = {"id": "a", "kind": "superiority", "family": "f", "alpha": 0.05, "verdict": "established"}
    alone = hold_families([{**claim, "p": 0.03}])
    assert (alone[0]["p_holm"], alone[0]["verdict"]) == (0.03, "established")
    both = hold_families([{**claim, "p": 0.03}, {**claim, "p": 0.04}, {**claim, "p": None, "family": None}])
    assert [one.get("p_holm") for one in both] == [0.06, 0.06, None]
    assert [one["verdict"] for one in both] == ["not_established", "not_established", "established"]
    one_sided = {**claim, "kind": "non_inferiority", "alpha": 0.025, "p": 0.02}
    assert hold_families([one_sided])[0]["p_holm"] == 0.04
    assert hold_families([one_sided])[0]["verdict"] == "established"


# --- Re-scoring


def test_rescoring_gives_the_same_bytes_and_writes_nothing(three):
    compare_in_run(three, "base", "adapter")
    write_experiment(three, build_experiment_report(three))
    before = snapshot(three.path)
    outcome = rescore(three)
    assert [file.differences for file in outcome] == [()] * len(outcome)
    assert {file.path for file in outcome} >= {
        "eval/second/generations.fr.jsonl", "eval/base/evaluation_report.json",
        "report/comparison_report.json", "report/experiment_report.json",
    }  # fmt: skip
    assert snapshot(three.path) == before
    assert verify(three).mismatches == ()


def test_rescoring_finds_a_parse_that_the_text_does_not_give(run):
    path = run.generations_file("base", "en")
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    rows[5]["call"], rows[5]["status"], rows[5]["reason"] = {"name": "wx", "arguments": {}}, "ok", None
    write_json_lines(path, rows)
    changed = {file.path: file.differences for file in rescore(run) if file.differences}
    assert changed.keys() == {"eval/base/generations.en.jsonl", "eval/base/evaluation_report.json"}
    assert changed["eval/base/generations.en.jsonl"][0].startswith("line 6: ")
    assert all("sha256" in line or "bytes" in line for line in changed["eval/base/evaluation_report.json"])


def test_rescoring_finds_numbers_that_the_text_does_not_give(run):
    path = run.generations_file("base", "en")
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    rows[5]["raw_text"] = rows[0]["raw_text"]
    write_json_lines(path, rows)
    changed = {file.path for file in rescore(run) if file.differences}
    assert changed == {"eval/base/generations.en.jsonl", "eval/base/evaluation_report.json"}


def test_every_flipped_bit_of_a_finished_run_is_found(run):
    """One bit in every file, at a place that moves from file to file."""
    compare_in_run(run, "base", "adapter")
    files = sorted(path for path in run.path.rglob("*") if path.is_file())
    assert len(files) > 15
    for number, path in enumerate(files):
        good = path.read_bytes()
        for place in (0, len(good) // 2 + number, len(good) - 1):
            at = min(place, len(good) - 1)
            path.write_bytes(good[:at] + bytes([good[at] ^ (1 << number % 8)]) + good[at + 1 :])
            assert verify(run).mismatches, (path, at)
        path.write_bytes(good)
    assert verify(run).mismatches == ()


def test_reports_of_both_kinds_stay_in_one_stage(three):
    compare_in_run(three, "base", "adapter")
    write_experiment(three, build_experiment_report(three))
    compare_in_run(three, "base", "second")
    assert verify(three).mismatches == ()
    write_stage_manifest(three, "report", outputs=[three.comparison_report_file()])
    assert {one.problem for one in verify(three).mismatches} == {"belongs to no finished stage"}
