"""`eval.reader`: another reader decides a run, the default stands beside it."""

import pytest

from faircall.comparing.comparability import check
from faircall.errors import ConfigError, Incomparable
from faircall.pipeline.arm_request import plan_arm
from faircall.pipeline.arms import read_arm
from faircall.pipeline.evaluate import evaluate_arm
from faircall.pipeline.evaluation_report import build_evaluation_report, to_arm
from faircall.pipeline.experiment import build_experiment_report
from faircall.reporting.experiment_view import view_experiment
from faircall.reporting.to_terminal import to_plain_text
from pipeline import run_builder


def built(folder, reader):
    config = run_builder.CONFIG.replace("eval: {", f"eval: {{reader: {reader}, ")
    return run_builder.build(folder, config=config)


def evaluate(run, config, arm="base"):
    evaluate_arm(run, config, plan_arm(config, arm), listener=lambda answered: None)
    return read_arm(run, arm)


def test_another_reader_decides_and_the_default_stands_beside(tmp_path):
    report = build_evaluation_report(evaluate(*built(tmp_path / "a", "hermes.v1")))
    assert report["identity"]["reader"]["name"] == "hermes.v1"
    assert report["metrics"]["valid_json_rate"]["numerator"] == 0
    beside = report["diagnosis"]["reading"]["beside"]["metrics"]
    default = build_evaluation_report(evaluate(*run_builder.build(tmp_path / "b")))
    assert beside == default["metrics"]
    assert beside["valid_json_rate"]["numerator"] > 0
    assert "reading" not in default["diagnosis"]


def test_an_experiment_prints_the_default_beside_for_every_arm(tmp_path):
    run, config = built(tmp_path / "a", "hermes.v1")
    for arm in ("base", "adapter"):
        evaluate(run, config, arm)
    text = to_plain_text(view_experiment(build_experiment_report(run)))
    assert text.count("The same answers under sommelier.parser.v1") == 2
    assert "adapter is read by hermes.v1" in text


def test_a_front_alone_is_recorded_with_the_default_behind_it(tmp_path):
    stored = evaluate(*built(tmp_path / "a", "think.v1"))
    assert stored.identity["reader"]["name"] == "think.v1+sommelier.parser.v1"


def test_arms_of_runs_with_two_readers_are_refused(tmp_path):
    hermes = to_arm(evaluate(*built(tmp_path / "a", "hermes.v1")))
    default = to_arm(evaluate(*run_builder.build(tmp_path / "b"), arm="adapter"))
    with pytest.raises(Incomparable, match="reader"):
        check(hermes, default)


def test_an_unknown_reader_is_refused_before_anything_is_generated(tmp_path):
    run, config = built(tmp_path / "a", "hermes.v9")
    with pytest.raises(ConfigError, match=r"hermes\.v1"):
        evaluate(run, config)
    assert not run.generations_file("base", "en").exists()
