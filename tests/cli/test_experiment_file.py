"""A config that declares an experiment: what is missing is run, then its arms and pairs are reported."""

import json

import pytest

from cli.test_run import CONFIG, only_run, work, write_answers  # noqa: F401  (work is a fixture)
from faircall.cli import main
from faircall.pipeline import evaluate as evaluate_stage
from faircall.stats.holm import holm_adjust
from faircall.store.verification import verify

ADAPTER = "  adapter: {replay: adapter.jsonl, adapter: adapters/live}\n"
ARMS = """\
  adapter: {replay: adapter.jsonl, adapter: adapters/live}
  second: {replay: second.jsonl, adapter: owner/lora, revision: r1}
  unused: {replay: nowhere.jsonl, adapter: owner/other, revision: r1}
"""
EXPERIMENT = """\
experiment:
  arms: [base, adapter, second]
  pairs: [[base, second], [base, adapter]]
"""
CLAIMS = """\
claims:
  - {id: adapter_helps, family: helps, candidate: adapter}
  - {id: second_helps, family: helps, candidate: second}
  - {id: french, slice: fr, candidate: second}
"""


@pytest.fixture
def experiment(work):  # noqa: F811
    """The files of an experiment: three arms with stored answers, and one that it does not name."""
    write_answers(work / "adapter.jsonl", right=5)
    write_answers(work / "second.jsonl", right=5)
    text = CONFIG.replace(ADAPTER, ARMS)
    (work / "config.yaml").write_text(text.replace("claims:\n  - {id: better}\n", CLAIMS + EXPERIMENT))
    return work


def run(work, *options):  # noqa: F811
    return main(["run", "-c", str(work / "config.yaml"), *options])


def stop_in(monkeypatch, arm_of_call, example_id):
    """Ctrl-C at one example of the arm that is generated `arm_of_call`-th."""
    real, calls = evaluate_stage._watch, []

    def watch(*arguments, **options):
        listen = real(*arguments, **options)
        calls.append(1)
        number = len(calls)

        def stop(entry):
            listen(entry)
            if (number, entry.generation.example_id) == (arm_of_call, example_id):
                raise KeyboardInterrupt

        return stop

    monkeypatch.setattr(evaluate_stage, "_watch", watch)


def snapshot(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_one_arm_is_finished_one_half_done_one_absent_and_only_the_rest_is_run(
    experiment, capsys, monkeypatch
):
    stop_in(monkeypatch, 2, "en3")
    assert run(experiment) == 130
    monkeypatch.undo()
    capsys.readouterr()
    assert run(experiment) == 1  # five right of twelve establish no claim of the family
    captured = capsys.readouterr()
    assert captured.out.splitlines()[:3] == [
        "base: 24 of 24 answers were there, 0 replayed",
        "adapter: 4 of 24 answers were there, 20 replayed",
        "second: 0 of 24 answers were there, 24 replayed",
    ]
    assert "adapter_helps not established" in captured.err
    found = only_run(experiment)
    assert not found.eval_folder("unused").exists()
    assert verify(found).mismatches == ()


def test_the_same_command_again_runs_nothing_and_writes_the_same_bytes(experiment, capsys):
    first = run(experiment)
    before = snapshot(only_run(experiment).path)
    capsys.readouterr()
    assert run(experiment) == first
    told = capsys.readouterr().out.splitlines()
    assert [line.rpartition(", ")[2] for line in told[:3]] == ["0 replayed"] * 3
    wrote = [line.rpartition("/")[2] for line in told if line.startswith("wrote ")]
    assert wrote == ["experiment_report.json", "experiment_report.html"]
    assert snapshot(only_run(experiment).path) == before


def test_the_report_is_of_the_declared_arms_and_pairs(experiment, capsys):
    run(experiment, "--json")
    captured = capsys.readouterr()
    report = json.loads(captured.out)
    assert "base: 0 of 24 answers were there, 24 replayed" in captured.err
    assert report["arm_order"] == ["base", "adapter", "second"]
    assert [(pair["baseline"]["arm"], pair["candidate"]["arm"]) for pair in report["pairs"]] == [
        ("base", "second"),
        ("base", "adapter"),
    ]
    assert main(["report", "experiment", str(only_run(experiment).path), "--json"]) == 1
    assert json.loads(capsys.readouterr().out) == report
    assert main(["rescore", str(only_run(experiment).path)]) == 0


def test_a_family_is_adjusted_over_its_claims_in_all_pairs(experiment, capsys):
    """Four of twelve roots gained: each claim would be established alone (p .046), in the family none is."""
    run(experiment, "--json")
    report = json.loads(capsys.readouterr().out)
    claims = {claim["id"]: claim for claim in report["claims"]}
    assert report["claims"] == [claim for pair in report["pairs"] for claim in pair["claims"]]
    helps = [claims["adapter_helps"], claims["second_helps"]]
    assert [claim["p_holm"] for claim in helps] == holm_adjust([claim["p"] for claim in helps])
    assert [round(claim["p"], 3) for claim in helps] == [0.046, 0.046]
    assert [claim["verdict"] for claim in helps] == ["not_established", "not_established"]
    assert claims["french"]["verdict"] == "established"
    assert "p_holm" not in claims["french"]


def test_two_declared_arms_make_an_experiment_too(experiment):
    path = experiment / "config.yaml"
    text = path.read_text().replace(EXPERIMENT, "experiment: {arms: [base, second]}\n")
    path.write_text(text.replace("  - {id: adapter_helps, family: helps, candidate: adapter}\n", ""))
    run(experiment)
    found = only_run(experiment)
    assert found.experiment_report_file().is_file()
    assert not found.comparison_report_file().exists()


def test_a_claim_against_the_order_of_two_arms_is_decided(work, capsys):  # noqa: F811
    config = work / "config.yaml"
    claim = "  - {id: better, baseline: adapter, candidate: base}\n"
    config.write_text(config.read_text().replace("  - {id: better}\n", claim))
    assert main(["run", "-c", str(config)]) == 1
    report = json.loads(only_run(work).experiment_report_file().read_text())
    assert [(one["id"], one["baseline"]) for one in report["claims"]] == [("better", "adapter")]
    assert "better refuted" in capsys.readouterr().err


def test_one_arm_says_that_it_decides_no_claim(work, capsys):  # noqa: F811
    config = work / "config.yaml"
    config.write_text(config.read_text().replace(ADAPTER, ""))
    assert main(["run", "-c", str(config)]) == 0
    assert "claims are declared, and one arm alone decides none of them" in capsys.readouterr().err


@pytest.mark.parametrize("missing", ["models/base", "second.jsonl"])
def test_what_is_missing_is_found_before_a_run_is_started(experiment, capsys, missing):
    (experiment / missing).rename(experiment / "elsewhere")
    assert run(experiment) in (2, 3)
    assert not (experiment / "artifacts").exists()
    (experiment / "elsewhere").rename(experiment / missing)
    assert run(experiment) in (0, 1)


def test_the_untouched_example_config_starts_no_run(tmp_path, capsys):
    assert main(["init", str(tmp_path / "x")]) == 0
    assert main(["run", "-c", str(tmp_path / "x/faircall.yaml")]) == 3
    assert "models/base" in capsys.readouterr().err
    assert not (tmp_path / "x/artifacts").exists()
