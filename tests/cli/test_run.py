"""`faircall run`, `report` and `rescore` as a user types them, from rows to reports."""

import json
import shutil

import pytest

from faircall.canonical import canonical_json
from faircall.cli import main
from faircall.pipeline import evaluate as evaluate_stage
from faircall.store.atomic import write_json_lines
from faircall.store.layout import list_runs
from faircall.store.verification import verify

TEMPLATE = "{{ bos_token }}{% for m in messages %}[{{ m.role }}]{{ m.content }}{% endfor %}[answer]"
TOOL = {"name": "wx", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}
CITIES = [f"City{number}" for number in range(12)]
CONFIG = """\
schema_version: faircall.config.v1
project: {name: whole, artifact_root: artifacts}
model: {base_model_id: models/base}
arms:
  base: {replay: base.jsonl}
  adapter: {replay: adapter.jsonl, adapter: adapters/live}
datasets:
  - {language: en, path: rows.jsonl}
  - {language: fr, path: rows.fr.jsonl, paired: true}
data: {n_test: 12}
formatting: {system_prompt: "Tools: {tools}"}
eval: {backend: replay, max_new_tokens: 16}
claims:
  - {id: better}
"""


def write_rows(folder):
    english = [
        {"id": f"en{n}", "query": f"What is the weather in {city}?", "tools": [TOOL], "answers": [call(city)]}
        for n, city in enumerate(CITIES)
    ]
    french = [
        {
            **row,
            "id": f"fr{n}",
            "query": f"Quel temps fait-il à {CITIES[n]} ?",
            "source_example_id": row["id"],
        }
        for n, row in enumerate(english)
    ]
    write_json_lines(folder / "rows.jsonl", english)
    write_json_lines(folder / "rows.fr.jsonl", french)


def call(city):
    return {"name": "wx", "arguments": {"city": city}}


def write_answers(path, *, right):
    rows = [
        {"id": f"{language}{n}", "raw_text": canonical_json(call(city)) if n < right else "It is sunny."}
        for n, city in enumerate(CITIES)
        for language in ("en", "fr")
    ]
    write_json_lines(path, rows)


@pytest.fixture
def work(tmp_path):
    (tmp_path / "models/base").mkdir(parents=True)
    (tmp_path / "adapters/live").mkdir(parents=True)
    (tmp_path / "adapters/live/weights").write_bytes(b"1")
    tokenizer = {"chat_template": TEMPLATE, "bos_token": "<s>"}
    (tmp_path / "models/base/tokenizer_config.json").write_text(json.dumps(tokenizer))
    write_rows(tmp_path)
    write_answers(tmp_path / "base.jsonl", right=1)
    write_answers(tmp_path / "adapter.jsonl", right=11)
    (tmp_path / "config.yaml").write_text(CONFIG)
    return tmp_path


def only_run(work):
    (run,) = list_runs(work / "artifacts")
    return run


def test_one_command_goes_from_rows_to_the_comparison(work, capsys):
    assert main(["run", "-c", str(work / "config.yaml")]) == 0
    out = capsys.readouterr().out
    run = only_run(work)
    report_file = run.comparison_report_file()
    assert out.splitlines()[-2:] == [f"wrote {report_file}", f"wrote {report_file.with_suffix('.html')}"]
    assert "Treatment: adapter" in out
    assert "established" in out
    assert verify(run).mismatches == ()
    report = json.loads(run.comparison_report_file().read_text())
    assert report["overall"]["roots"] == 12
    assert report["paired_language_gaps"]["fr"]["baseline"]["pairs"] == 12
    assert report["not_attested"] == ["model.base_model_revision", "model.tokenizer_revision"]


def test_a_finished_run_is_left_as_it_is_and_new_starts_another(work, capsys, monkeypatch):
    assert main(["run", "-c", str(work / "config.yaml")]) == 0
    run = only_run(work)
    before = {path: path.read_bytes() for path in run.path.rglob("*.jsonl")}
    assert main(["run", "-c", str(work / "config.yaml")]) == 0
    assert {path: path.read_bytes() for path in only_run(work).path.rglob("*.jsonl")} == before
    assert main(["run", "-c", str(work / "config.yaml"), "--new", "--json"]) == 0
    assert len(list_runs(work / "artifacts")) == 2


def test_ctrl_c_exits_130_and_the_same_command_goes_on(work, capsys, monkeypatch):
    real = evaluate_stage._watch

    def interrupt(*arguments, **options):
        listen = real(*arguments, **options)

        def stop(entry):
            listen(entry)
            if entry.generation.example_id == "en7":
                raise KeyboardInterrupt

        return stop

    monkeypatch.setattr(evaluate_stage, "_watch", interrupt)
    assert main(["run", "-c", str(work / "config.yaml")]) == 130
    assert "run the same command again" in capsys.readouterr().err
    monkeypatch.undo()
    assert main(["run", "-c", str(work / "config.yaml")]) == 0
    report = json.loads(only_run(work).evaluation_report_file("base").read_text())
    assert report["inference_efficiency"]["resumed"] is True


def test_a_claim_that_is_not_established_exits_1_after_the_report(work, capsys):
    write_answers(work / "adapter.jsonl", right=1)
    assert main(["run", "-c", str(work / "config.yaml")]) == 1
    assert "CONDITION_FAILED: declared claims: better not established" in capsys.readouterr().err
    assert only_run(work).comparison_report_file().is_file()


def test_three_arms_make_an_experiment(work, capsys):
    arms = "  third: {replay: adapter.jsonl, adapter: owner/lora, revision: main}\ndatasets:"
    (work / "config.yaml").write_text(CONFIG.replace("datasets:", arms, 1))
    assert main(["run", "-c", str(work / "config.yaml")]) == 0
    out = capsys.readouterr().out
    run = only_run(work)
    report_file = run.experiment_report_file()
    assert out.splitlines()[-2:] == [f"wrote {report_file}", f"wrote {report_file.with_suffix('.html')}"]
    assert "3 arms on the same 24 examples of 12 roots" in out
    assert "adapter -> third" in out
    for argv in (
        ["report", "experiment", str(run.path), "--pair", "base:third"],
        ["report", "compare", "--base", str(run.path), "--adapter", str(run.eval_folder("third"))],
        ["rescore", str(run.path)],
        ["verify", str(run.path)],
    ):
        assert main(argv) == 0, argv
    assert main(["report", "experiment", str(run.path), "--pair", "base"]) == 2


def test_one_arm_alone_ends_with_its_evaluation(work, capsys):
    text = CONFIG.replace("  adapter: {replay: adapter.jsonl, adapter: adapters/live}\n", "")
    (work / "config.yaml").write_text(text.partition("claims:")[0])
    assert main(["run", "-c", str(work / "config.yaml"), "--run-id", "mine"]) == 0
    assert capsys.readouterr().out.splitlines()[-1].endswith("mine/eval/base/evaluation_report.json")
    assert main(["run", "-c", str(work / "config.yaml"), "--run-id", "mine"]) == 0


def test_rescore_exits_1_when_the_text_gives_something_else(work, capsys):
    assert main(["run", "-c", str(work / "config.yaml")]) == 0
    run = only_run(work)
    path = run.generations_file("base", "en")
    path.write_bytes(path.read_bytes().replace(b"It is sunny.", b"It is sunny!", 1))
    capsys.readouterr()
    assert main(["rescore", str(run.path), "--json"]) == 1
    out, err = capsys.readouterr()
    assert any(file["differences"] for file in json.loads(out)["files"])
    assert err.startswith("faircall: VERIFY_MISMATCH: ")


def test_incomparable_arms_exit_4_and_write_nothing(work, capsys):
    assert main(["run", "-c", str(work / "config.yaml"), "--run-id", "one"]) == 0
    (work / "config.yaml").write_text(CONFIG.replace("max_new_tokens: 16", "max_new_tokens: 17"))
    assert main(["run", "-c", str(work / "config.yaml"), "--run-id", "two"]) == 0
    runs = work / "artifacts/runs"
    capsys.readouterr()
    argv = [
        "report",
        "compare",
        "--base",
        str(runs / "one"),
        "--adapter",
        str(runs / "two"),
        "--out",
        str(work / "out"),
    ]
    assert main(argv) == 4
    assert "decoding.max_new_tokens (16 | 17)" in capsys.readouterr().err
    assert not (work / "out").exists()
    assert main([*argv, "--vary", "decoding"]) == 0


def test_a_run_folder_that_cannot_be_written_is_named(work, capsys):
    shutil.rmtree(work / "artifacts", ignore_errors=True)
    (work / "artifacts").write_text("a file where the folder should be")
    assert main(["run", "-c", str(work / "config.yaml")]) == 2
    err = capsys.readouterr().err
    assert "artifacts" in err
    assert "Traceback" not in err


@pytest.mark.hf
def test_the_whole_job_on_a_tiny_model_with_an_adapter_that_changes_nothing(work, capsys):
    from generating import tiny_model

    base = tiny_model.save_model(work / "models/base", context=1024)
    (base / "chat_template.jinja").write_text(TEMPLATE)
    tiny_model.save_adapter(work / "adapters/live", model=base, scale=4.0)
    tiny_model.save_adapter(work / "adapters/idle", model=base, scale=0.0)
    arms = "  base: {}\n  live: {adapter: adapters/live}\n  idle: {adapter: adapters/idle}\n"
    text = CONFIG.partition("  base:")[0] + arms + "datasets:" + CONFIG.partition("datasets:")[2]
    text = text.replace("backend: replay", "backend: transformers").partition("claims:")[0]
    (work / "config.yaml").write_text(text)

    capsys.readouterr()
    assert main(["run", "-c", str(work / "config.yaml"), "--limit", "2"]) == 0
    out, err = capsys.readouterr()
    assert "idle: the adapter changes nothing" in out
    assert err == "faircall: warning: idle: the adapter changes nothing: every lora_B is zero\n"
    run = only_run(work)
    report = json.loads(run.experiment_report_file().read_text())
    assert report["pairs"][0]["not_attested"] == []
    assert report["arms"]["idle"]["warnings"] == ["the adapter changes nothing: every lora_B is zero"]
    assert report["arms"]["live"]["warnings"] == []
    texts = {arm: run.generations_file(arm, "en").read_bytes() for arm in ("base", "live", "idle")}
    assert texts["base"] == texts["idle"] != texts["live"]
    assert main(["rescore", str(run.path)]) == 0
    assert verify(run).mismatches == ()
