"""The pages of one arm and of an experiment: every number is the one at its place in the JSON."""

import json

import pytest

from faircall.api.example_rows import example_rows
from faircall.api.stored import as_result
from faircall.cli import main
from faircall.demo.replay import reference_run
from faircall.pipeline.arm_request import plan_arm
from faircall.pipeline.evaluate import evaluate_arm
from faircall.pipeline.experiment import build_experiment_report, write_experiment
from faircall.reporting.figures import FORMS, find
from faircall.reporting.to_html import comparison_page, evaluation_page, experiment_page
from pipeline.run_builder import build
from reporting.page_reader import Page
from reporting.pages import arm


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder, config = build(tmp_path_factory.mktemp("run"))
    for name in ("base", "adapter"):
        evaluate_arm(folder, config, plan_arm(config, name))
    return folder


def assert_true_to(report, text):
    figures = Page(text).figures
    for place, form, shown in figures:
        assert shown == FORMS[form](find(report, place)), place
    return {place for place, _, _ in figures}


def test_the_page_of_an_evaluation_shows_its_json():
    evaluation = arm("adapter", skill=0.5)
    report = json.loads(json.dumps(evaluation.summary()))
    places = assert_true_to(report, evaluation_page(report, example_rows(as_result(evaluation))))
    assert {f"/metrics/{name}" for name in report["metrics"]} <= places
    assert {f"/slices/fr/metrics/{name}" for name in report["metrics"]} <= places
    assert {f"/diagnosis/causes/{cause}" for cause in report["diagnosis"]["causes"]} <= places


def test_the_page_of_a_run_s_arm_shows_its_cost_and_digests(run):
    report = json.loads(run.evaluation_report_file("adapter").read_text())
    assert "/inference_efficiency/seconds_per_example" not in assert_true_to(report, evaluation_page(report))
    report["inference_efficiency"]["allocation"]["device"] = "cpu"  # as if a model had answered
    places = assert_true_to(report, evaluation_page(report))
    assert "/inference_efficiency/seconds_per_example" in places
    assert {f"/identity_sha256/{section}" for section in report["identity_sha256"]} <= places


def test_the_page_of_an_experiment_shows_every_pair_and_arm(run):
    report = json.loads(json.dumps(build_experiment_report(run)))
    places = assert_true_to(report, experiment_page(report))
    assert "/pairs/0/overall/metrics/full_call_exact_match/delta" in places
    assert {f"/arms/{name}/metrics/valid_json_rate" for name in report["arm_order"]} <= places
    assert write_experiment(run, report).with_suffix(".html").read_text() == experiment_page(report)


def test_the_page_of_an_experiment_shows_what_its_arms_cost_and_the_ratios():
    report = json.loads(reference_run().experiment_report_file().read_text())
    places = assert_true_to(report, experiment_page(report))
    for pair in ("/pairs/0", "/pairs/2"):
        for measure in ("seconds_per_example", "seconds_per_full_match"):
            assert f"{pair}/inference_efficiency/ratios/{measure}/value" in places
    assert "/pairs/0/inference_efficiency/ratios/seconds_per_full_match/reason" in places
    assert "/pairs/2/inference_efficiency/ratios/seconds_per_full_match/interval" in places
    assert "/inference_efficiency/arms/en/new_tokens" in places
    sections = report["arms"]["en"]["identity_sha256"]
    assert {f"/arms/en/identity_sha256/{section}" for section in sections} <= places


def test_the_page_of_a_comparison_says_why_times_are_not_compared(run):
    report = json.loads(json.dumps(build_experiment_report(run)["pairs"][0]))
    places = assert_true_to(report, comparison_page(report))
    assert report["inference_efficiency"]["ratios"] is None
    assert "/inference_efficiency/reasons/0" in places
    assert "/candidate/identity_sha256/adapter" in places


def test_score_writes_a_page_and_keeps_texts_out_when_asked(tmp_path, capsys):
    row = {"id": "a", "raw_text": "the secret answer", "gold": {"name": "wx", "arguments": {"city": "Graz"}}}
    rows = tmp_path / "rows.jsonl"
    rows.write_text(json.dumps(row) + "\n")
    full, redacted = tmp_path / "full.html", tmp_path / "redacted.html"
    wanted = ["score", str(rows), "--format", "html", "-o"]
    assert main([*wanted, str(full.with_suffix(".json"))]) == 0
    assert main([*wanted, str(redacted.with_suffix(".json")), "--redact", "texts"]) == 0
    assert capsys.readouterr().out.count("wrote ") == 2
    for secret in ("the secret answer", "Graz"):
        assert secret in full.read_text()
        assert secret not in redacted.read_text()
