"""Arms of a run beside files of rows: what a path is, is told by what lies there."""

import gzip
import json
from pathlib import Path

import pytest

from faircall.api.checking import check_file
from faircall.api.declaration import Declaration
from faircall.api.stored import load_stored
from faircall.cli import main
from faircall.errors import ArtifactInvalid, FileUnreadable, InputError, UsageError
from faircall.pipeline.arm_request import plan_arm
from faircall.pipeline.evaluate import evaluate_arm
from pipeline.run_builder import build

DATA = Path(__file__).parents[2] / "examples" / "data"
ADAPTER = DATA / "smollm2_adapter.jsonl"


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


def cut(folder, file):
    """The rows of a file in two files, in a folder of the file's name."""
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    parts = folder / file.name.partition(".")[0]
    parts.mkdir()
    for number, rows in enumerate((lines[:7], lines[7:])):
        (parts / f"part-{number}.jsonl").write_text("".join(rows), encoding="utf-8")
    return parts


@pytest.mark.parametrize("name", ["", "*.jsonl"])
@pytest.mark.parametrize("verb", [["compare"], ["diff"], ["compare", "--no-gold"]])
def test_verbs_of_two_arms_say_the_same_of_one_file_and_of_several(capsys, tmp_path, verb, name):
    files = [DATA / "smollm2_base.jsonl", ADAPTER]
    tables = [cut(tmp_path, file) / name for file in files]
    shown = []
    for arms in (files, tables):
        assert main([*verb, *map(str, arms)]) == 0
        shown.append(capsys.readouterr())
    assert shown[0] == shown[1]


def test_a_check_says_the_same_of_one_file_and_of_several(tmp_path):
    one, several = check_file(ADAPTER), check_file(cut(tmp_path, ADAPTER))
    assert {**one, "file": ""} == {**several, "file": ""}


def test_a_check_takes_no_arm_of_a_run(run):
    with pytest.raises(UsageError, match="is an arm of a run"):
        check_file(run.eval_folder("base"))


@pytest.mark.parametrize("name", ["", "*.jsonl"])
def test_rows_in_several_files_are_one_arm(tmp_path, name):
    found, one = load_stored(cut(tmp_path, ADAPTER) / name), load_stored(ADAPTER)
    assert found.arm.name == "smollm2_adapter"
    assert found.raw_texts == one.raw_texts
    assert found.arm.scores.ids == one.arm.scores.ids


def test_packed_lines_and_parquet_are_rows_too(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    lines = ADAPTER.read_text(encoding="utf-8").splitlines(keepends=True)
    with gzip.open(tmp_path / "a.jsonl.gz", "wt", encoding="utf-8") as file:
        file.writelines(lines[:30])
    rows = [json.loads(line) for line in lines[30:]]
    texts = [{**row, "gold": json.dumps(row["gold"]), "tools": json.dumps(row["tools"])} for row in rows]
    parquet.write_table(pyarrow.Table.from_pylist(texts), tmp_path / "b.parquet")
    assert load_stored(tmp_path).arm.scores.ids == load_stored(ADAPTER).arm.scores.ids
    assert len(load_stored(tmp_path / "b.parquet").raw_texts) == 30


def test_a_fault_in_several_files_names_its_file_and_line(tmp_path):
    (tmp_path / "a.jsonl").write_text(ADAPTER.read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "b.jsonl").write_text("\n{}\n")
    with pytest.raises(InputError, match=r"b\.jsonl:2"):
        load_stored(tmp_path)


@pytest.mark.parametrize("where", ["run", "eval", "data", "runs", "artifacts"])
def test_another_folder_of_a_run_is_no_table_of_rows(run, where):
    above = {"runs": run.path.parent, "artifacts": run.path.parent.parent, "run": run.path}
    with pytest.raises(ArtifactInvalid, match="is not an arm of a run"):
        load_stored(above.get(where, run.path / where))


@pytest.mark.parametrize("name", ["nobody", "*.jsonl", "empty"])
def test_what_names_no_file_is_refused(tmp_path, name):
    (tmp_path / "empty").mkdir()
    with pytest.raises(FileUnreadable):
        load_stored(tmp_path / name)
