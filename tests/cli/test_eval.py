"""`faircall eval` from the outside: what it prints, writes and refuses."""

import errno
import json
import os

import pytest

from faircall.cli import main
from faircall.generating import extras, journal
from faircall.store.atomic import write_json_lines
from faircall.store.manifest import write_stage_manifest
from pipeline import run_builder


@pytest.fixture
def work(tmp_path):
    run, _ = run_builder.build(tmp_path / "work")
    return run, str(tmp_path / "work" / "config.yaml")


def test_run_prints_the_metrics_and_last_the_path_of_the_report(work, capsys):
    run, config = work
    assert main(["eval", "run", "-c", config, "--arm", "adapter"]) == 0
    out, err = capsys.readouterr()
    assert "9/10" in out
    assert out.splitlines()[-1] == f"wrote {run.evaluation_report_file('adapter')}"
    assert err == ""  # no progress bar where nobody watches


def test_json_is_the_report_on_disk(work, capsys):
    run, config = work
    assert main(["eval", "run", "-c", config, "--model", "base", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed == json.loads(run.evaluation_report_file("base").read_text())


def test_report_rebuilds_every_arm(work, capsys):
    run, config = work
    for arm in ("base", "adapter"):
        assert main(["eval", "run", "-c", config, "--arm", arm]) == 0
    capsys.readouterr()
    assert main(["eval", "report", str(run.path)]) == 0
    assert capsys.readouterr().out.count("wrote ") == 2


def test_a_failed_stage_leaves_earlier_artifacts_and_no_manifest(work, capsys):
    run, config = work
    assert main(["eval", "run", "-c", config, "--arm", "base"]) == 0
    before = {path: path.read_bytes() for path in run.path.rglob("*") if path.is_file()}
    write_json_lines(run.path.parents[2] / "adapter.jsonl", [{"id": "en-0", "raw_text": ""}])
    capsys.readouterr()
    assert main(["eval", "run", "-c", config, "--arm", "adapter"]) == 2
    assert capsys.readouterr().err.startswith("faircall: ID_MISMATCH: 9 prompts have no stored generation")
    assert {path: path.read_bytes() for path in run.path.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (["--arm", "nobody"], 2, "no arm 'nobody'"),
        (["--arm", "base", "--reader", "hermes.v1"], 2, "--reader goes with --requests"),
        (["--arm", "base", "--max-new-tokens", "9"], 2, "--max-new-tokens goes with --requests"),
        (["--arm", "base", "--concurrency", "9"], 2, "--concurrency goes with --requests"),
        (["--arm", "base", "-o", "there"], 2, "--out goes with --requests"),
        ([], 2, "which arm?"),
        (["--arm", "adapter", "--model", "base"], 2, "of kind adapter, not base"),
        (["--arm", "base", "--run-id", "run-9"], 2, "not a run folder"),
        (["--arm", "base", "--resume"], 2, "was never started"),
        (["--arm", "base", "--backend", "replya"], 2, "did you mean 'replay'?"),
    ],
)
def test_what_cannot_be_run_says_why(work, capsys, arguments, status, words):
    assert main(["eval", "run", "-c", work[1], *arguments]) == status
    err = capsys.readouterr().err
    assert words in err
    assert "Traceback" not in err


def test_a_changed_config_has_no_run_yet(work, capsys):
    run, config = work
    text = run_builder.CONFIG.replace("max_new_tokens: 64", "max_new_tokens: 65")
    (run.path.parents[2] / "config.yaml").write_text(text)
    assert main(["eval", "run", "-c", config, "--arm", "base"]) == 2
    assert "no run under" in capsys.readouterr().err
    assert main(["eval", "run", "-c", config, "--arm", "base", "--run-id", "run-1"]) == 2
    assert "another config" in capsys.readouterr().err


# --- The machine's faults


def test_a_missing_extra_prints_the_install_command(work, capsys, monkeypatch):
    real = extras.importlib.import_module

    def without_torch(name, package=None):
        if name.partition(".")[0] == "torch":
            raise ModuleNotFoundError("No module named 'torch'")
        return real(name, package)

    monkeypatch.setattr(extras.importlib, "import_module", without_torch)
    assert main(["eval", "run", "-c", work[1], "--arm", "base", "--backend", "transformers"]) == 3
    assert capsys.readouterr().err == (
        "faircall: DEPENDENCY: the transformers backend needs torch, which is not installed\n"
        "hint: pip install 'faircall[hf]'\n"
    )


@pytest.mark.parametrize(
    ("number", "status", "code"),
    [(errno.ENOSPC, 4, "RESOURCE"), (errno.EDQUOT, 4, "RESOURCE"), (errno.EROFS, 2, "FILE")],
)
def test_a_disk_that_takes_no_more_stops_the_arm_which_can_go_on(
    work, capsys, monkeypatch, number, status, code
):
    run, config = work
    real, written = os.write, []

    def write(descriptor, data):
        written.append(data)
        if len(written) > 4:
            raise OSError(number, os.strerror(number))
        return real(descriptor, data)

    monkeypatch.setattr(journal.os, "write", write)
    assert main(["eval", "run", "-c", config, "--arm", "base"]) == status
    err = capsys.readouterr().err
    assert err.startswith(f"faircall: {code}: ")
    assert os.strerror(number) in err
    monkeypatch.undo()
    assert main(["eval", "run", "-c", config, "--arm", "base"]) == 0
    report = json.loads(run.evaluation_report_file("base").read_text())
    assert report["inference_efficiency"]["resumed"] is True


@pytest.fixture
def even(work):
    """The run of `work`, answered by a backend that always answers alike."""
    from faircall.generating.backend import BACKENDS
    from generating import moody_backend

    BACKENDS.register("even", moody_backend.Even)
    yield work
    BACKENDS.restore()


def test_a_finished_arm_is_checked_in_the_ways_that_are_named(even, capsys):
    run, config = even
    command = ["eval", "run", "-c", config, "--arm", "base", "--backend", "even"]
    assert main(command) == 0
    assert "Repeat check" not in capsys.readouterr().out
    check = [*command, "--resume", "--repeat-check", "4", "--repeat-in", "permuted, same"]
    assert main(check) == 0
    out = capsys.readouterr().out
    assert out.count("4/4 identical (flip rate below 53%)") == 2
    assert "fresh process" not in out
    assert main(["verify", str(run.path)]) == 0
    assert main(["rescore", str(run.path)]) == 0


def test_a_check_after_the_report_says_that_the_report_is_older(even, capsys):
    run, config = even
    assert main(["eval", "run", "-c", config, "--arm", "base", "--backend", "even"]) == 0
    write_stage_manifest(run, "report", outputs=[])
    check = ["eval", "run", "-c", config, "--arm", "base", "--backend", "even", "--repeat-check", "2"]
    assert main([*check, "--repeat-in", "same"]) == 0
    assert "was made before this check" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--repeat-in", "same"], "--repeat-in goes with --repeat-check"),
        (["--repeat-check", "3", "--repeat-in", "same,twice"], "there is no way 'twice' to repeat"),
        (["--repeat-check", "3", "--shard", "1/2"], "a shard is a part of one"),
        (["--repeat-check", "3", "--backend", "replay"], "replays stored answers"),
    ],
)
def test_repeats_that_make_no_sense_are_refused(even, capsys, options, told):
    _, config = even
    assert main(["eval", "run", "-c", config, "--arm", "base", "--backend", "even", *options]) == 2
    assert told in capsys.readouterr().err


def test_a_log_takes_no_repeat_check(tmp_path, capsys):
    for option in (["--repeat-check", "3"], ["--repeat-in", "same"]):
        assert main(["eval", "run", "--requests", str(tmp_path / "log.jsonl"), *option]) == 2
        assert "--requests needs no" in capsys.readouterr().err
