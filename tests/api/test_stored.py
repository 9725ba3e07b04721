"""Arms of a run beside files of rows: what a path is, is told by what lies there."""

import json

import pytest

from faircall.api.declaration import Declaration
from faircall.api.stored import load_stored
from faircall.cli import main
from faircall.errors import ArtifactInvalid, InputError, UsageError
from faircall.pipeline.arm_request import plan_arm
from faircall.pipeline.evaluate import evaluate_arm
from pipeline.run_builder import build


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A run with two replayed arms: six English rows and four French ones."""
    folder, config = build(tmp_path_factory.mktemp("run"))
    for arm in ("base", "adapter"):
        evaluate_arm(folder, config, plan_arm(config, arm))
    return folder


def compare(capsys, *arguments):
    status = main(["compare", *map(str, arguments)])
    return status, *capsys.readouterr()


def test_the_folder_and_the_report_of_an_arm_are_the_same_result(run):
    folder = run.eval_folder("adapter")
    first, second = load_stored(folder), load_stored(folder / "evaluation_report.json")
    assert first.arm.name == second.arm.name == "adapter"
    assert first.arm.scores.ids == second.arm.scores.ids
    assert len(first.gold) == len(first.raw_texts) == len(first.arm.scores.ids) == 10


def test_arms_of_one_run_differ_in_the_adapter_only(run, capsys):
    status, out, _ = compare(capsys, run.eval_folder("base"), run.eval_folder("adapter"), "--json")
    report = json.loads(out)
    assert status == 0
    assert report["treatment"]["sections"] == ["adapter"]
    assert report["candidate"]["adapter_source"] is not None
    assert report["overall"]["examples"] == 10
    assert set(report["paired_language_gaps"]) == {"fr"}


def test_an_arm_against_itself_is_an_a_a_comparison(run, capsys):
    _, out, _ = compare(capsys, run.eval_folder("base"), run.eval_folder("base"))
    assert out.startswith("Treatment: none (A/A")


def test_an_arm_of_a_run_and_bare_rows_are_not_comparable(run, capsys, tmp_path):
    stored = load_stored(run.eval_folder("base"))
    rows = [
        {"id": key, "raw_text": text, "gold": gold.to_dict(), "language": label, "source_example_id": root}
        for key, root, label, text, gold in zip(
            stored.arm.scores.ids,
            stored.arm.scores.roots,
            stored.arm.scores.labels,
            stored.raw_texts,
            stored.gold,
            strict=True,
        )
    ]
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    status, out, err = compare(capsys, run.eval_folder("base"), path)
    assert (status, out) == (4, "")
    for path_of_field in (
        "tasks.tasks_sha256",
        "model.base_model_id",
        "decoding.max_new_tokens",
        "config.config_sha256",
    ):
        assert path_of_field in err
    assert "| unknown)" in err
    assert "data.gold" not in err


def test_diff_reads_the_answers_of_a_run(run, capsys):
    folders = (str(run.eval_folder("base")), str(run.eval_folder("adapter")))
    assert main(["diff", *folders, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["gained"] > 0
    assert {flip["baseline"] for flip in found["flips"]} == {"I cannot say."}


def test_maps_and_gold_are_for_rows_only(run):
    with pytest.raises(UsageError, match="is an arm of a run"):
        load_stored(run.eval_folder("base"), declared=Declaration(columns={"raw_text": "x"}))


@pytest.mark.parametrize("name", [".", "*.jsonl"])
def test_a_table_in_several_files_is_told_to_score_first(tmp_path, name):
    (tmp_path / "part-0.jsonl").write_text("{}")
    with pytest.raises(ArtifactInvalid) as told:
        load_stored(tmp_path / name, declared=Declaration(columns={"raw_text": "x"}))
    assert "`faircall score PATH -o one.json`" in (told.value.hint or "")


@pytest.mark.parametrize("where", ["run", "eval", "missing"])
def test_another_folder_is_refused(run, tmp_path, where):
    path = {"run": run.path, "eval": run.path / "eval", "missing": run.path / "eval" / "nobody"}[where]
    with pytest.raises(InputError):
        load_stored(path)
