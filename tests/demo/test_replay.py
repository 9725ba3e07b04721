"""The shipped reference run: whole, derived again from its raw text, and shown without torch."""

import json
import shutil
import subprocess
import sys

import pytest

from faircall.cli import main
from faircall.config import load_config
from faircall.demo import replay as replay_module
from faircall.demo.project import REFERENCE, create_project
from faircall.demo.replay import reference_run, replay
from faircall.errors import InvariantViolation, VerifyMismatch
from faircall.store.files import read_json, read_json_lines


@pytest.fixture(scope="module")
def replayed(tmp_path_factory):
    news = []
    return replay(tmp_path_factory.mktemp("demo"), tell=news.append), news


def test_raw_text_gives_every_number_again(replayed):
    shown, news = replayed
    assert shown.report == read_json(reference_run().experiment_report_file())
    assert "files as written" in news[0]
    assert "the same bytes" in news[1]


def test_reference_is_the_full_demo_of_the_shipped_requests_and_adapters(replayed, tmp_path):
    from faircall.generating.sources import tree_digest

    shown, _ = replayed
    config = load_config(create_project(tmp_path) / "full.yaml")
    assert shown.report["config_sha256"] == config.sha256
    for arm, languages in shown.report["arms"].items():
        assert {name: part["examples"] for name, part in languages["slices"].items()} == {
            "en": 120,
            "fr": 120,
        }
        source = languages["adapter_source"]
        if arm != "base":
            assert source["tree_sha256"] == tree_digest(tmp_path / "adapters" / arm)
    assert set(shown.report["arms"]) == {"base", "en", "en_fr"}
    assert {claim["id"] for claim in shown.report["claims"]} == {claim.id for claim in config.claims}


def test_reference_names_no_path_of_the_machine_that_made_it():
    texts = [path.read_text("utf-8") for path in REFERENCE.rglob("*") if path.is_file()]
    assert texts
    for text in texts:
        assert not [place for place in ("/root/", "/home/", "/tmp/", "/.cache") if place in text]


def test_a_changed_copy_is_noticed(tmp_path, replayed):
    shutil.copytree(replayed[0].run.path.parents[2], tmp_path / "demo")
    run = tmp_path / "demo" / "artifacts" / "runs" / replayed[0].run.run_id
    path = run / "eval" / "en" / "generations.fr.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"', b"'", 1))
    with pytest.raises(VerifyMismatch, match=r"generations\.fr\.jsonl"):
        replay(tmp_path / "demo", tell=lambda line: None)


def test_a_copy_of_another_version_is_not_shown(tmp_path, replayed):
    shutil.copytree(replayed[0].run.path.parents[2], tmp_path / "demo")
    manifest = tmp_path / "demo" / "artifacts" / "runs" / replayed[0].run.run_id / "manifest.json"
    manifest.write_bytes(manifest.read_bytes() + b"\n")
    with pytest.raises(VerifyMismatch, match="not the reference run of this version"):
        replay(tmp_path / "demo", tell=lambda line: None)


def test_a_copy_whose_reports_were_built_again_is_named_by_its_file(tmp_path, replayed):
    shutil.copytree(replayed[0].run.path.parents[2], tmp_path / "demo")
    run = tmp_path / "demo" / "artifacts" / "runs" / replayed[0].run.run_id
    for name in ("report/experiment_report.json", "manifest.json", "eval/base/evaluation_report.json"):
        path = run / name
        path.write_bytes(path.read_bytes() + b"\n")
    (run / "report" / "more.md").write_text("more")
    expected = r"of this version: eval/base/evaluation_report\.json and 3 more differ"
    with pytest.raises(VerifyMismatch, match=expected) as refusal:
        replay(tmp_path / "demo", tell=lambda line: None)
    assert "built again" in refusal.value.hint


def test_a_package_without_its_reference_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(replay_module, "REFERENCE", tmp_path)
    with pytest.raises(InvariantViolation, match="0 reference runs"):
        reference_run()


def test_command_shows_arms_claims_and_the_path(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["demo", "--replay"]) == 0
    printed = capsys.readouterr().out
    for word in ("base", "en_fr", "full_call_exact_match", "fr_needs_fr", "Language gaps"):
        assert word in printed
    assert printed.rstrip().splitlines()[-1].startswith("wrote faircall-demo/artifacts/runs/")


def test_command_gives_the_report_as_json(tmp_path, capsys):
    assert main(["demo", "--replay", "--json", "--out", str(tmp_path / "demo")]) == 0
    assert json.loads(capsys.readouterr().out)["arm_order"] == ["base", "en", "en_fr"]


def test_replay_and_all_exclude_each_other(capsys):
    assert main(["demo", "--replay", "--all"]) == 2
    assert "--replay shows everything already" in capsys.readouterr().err


def test_replay_loads_no_torch(tmp_path):
    script = (
        "import sys; from faircall.cli import main; "
        f"status = main(['demo', '--replay', '--out', {str(tmp_path / 'demo')!r}]); "
        "sys.exit(status or any(name in sys.modules for name in ('torch', 'transformers', 'peft')))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_every_generation_is_kept_with_its_special_tokens():
    files = sorted(reference_run().path.glob("eval/*/generations.*.jsonl"))
    rows = [line.value for path in files for line in read_json_lines(path)]
    assert len(rows) == 720
    assert {row["finish_reason"] for row in rows} <= {"stop", "length"}
    assert {row["stop_token"] for row in rows if row["finish_reason"] == "stop"} == {"<|im_end|>"}


def test_the_page_of_the_reference_run_does_not_replace_that_of_a_live_run(tmp_path, capsys):
    live = tmp_path / "report.html"
    live.write_text("live")
    assert main(["demo", "--replay", "--out", str(tmp_path)]) == 0
    assert f"wrote {tmp_path / 'reference.html'}" in capsys.readouterr().out
    assert live.read_text() == "live"
    assert (tmp_path / "reference.html").stat().st_size > 10_000
