"""Names and places of run files."""

import pytest

from faircall.errors import ArtifactInvalid, UsageError
from faircall.store.layout import RunFolder, list_runs, new_run_id, open_run, resolve_inside, run_folder


def test_files_lie_where_the_contract_says(tmp_path):
    run = run_folder(tmp_path, "r1")
    places = {
        run.config_file: "config.resolved.yaml",
        run.manifest_file: "manifest.json",
        run.stage_manifest_file("eval-base"): "eval-base_manifest.json",
        run.data_file("test"): "data/test.jsonl",
        run.drop_summary_file: "data/drop_summary.json",
        run.formatted_file("train"): "formatted/train.jsonl",
        run.generations_file("adapter", "fr"): "eval/adapter/generations.fr.jsonl",
        run.telemetry_file("base"): "eval/base/inference_telemetry.json",
        run.evaluation_report_file("base"): "eval/base/evaluation_report.json",
        run.comparison_report_file("html"): "report/comparison_report.html",
        run.experiment_report_file(): "report/experiment_report.json",
    }
    for path, relative in places.items():
        assert path == tmp_path / "runs" / "r1" / relative
        assert run.relative(path) == relative


def test_run_ids_differ_and_sort_by_time():
    assert len({new_run_id() for _ in range(20)}) == 20
    assert new_run_id() < "3"


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "/a", "a\\b", ".hidden", "a" * 65, "a\n", "é"])
def test_names_that_could_leave_their_folder_are_refused(tmp_path, name):
    run = run_folder(tmp_path, "r1")
    for place in (run.eval_folder, run.data_file, lambda it: run.generations_file("base", it)):
        with pytest.raises(UsageError):
            place(name)
    with pytest.raises(UsageError):
        run_folder(tmp_path, name)
    with pytest.raises(UsageError):
        run.stage_manifest_file(f"eval-{name}")


@pytest.mark.parametrize("path", ["", "/etc/passwd", "../x", "a/../../x", "a//b", "./a", "a/", "a\0b"])
def test_paths_that_escape_are_refused(tmp_path, path):
    with pytest.raises(ArtifactInvalid, match="not a path inside"):
        resolve_inside(tmp_path, path)


def test_symlinks_are_refused(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "f").write_text("x")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert resolve_inside(tmp_path, "real/f").read_text() == "x"
    with pytest.raises(ArtifactInvalid, match="symlink"):
        resolve_inside(tmp_path, "link/f")


def test_only_folders_with_a_manifest_are_runs(tmp_path):
    assert list_runs(tmp_path) == []
    for name in ("b", "a", "empty"):
        (tmp_path / "runs" / name).mkdir(parents=True)
    for name in ("b", "a"):
        (tmp_path / "runs" / name / "manifest.json").write_text("{}")
    assert [run.run_id for run in list_runs(tmp_path)] == ["a", "b"]
    assert open_run(tmp_path / "runs" / "a") == RunFolder(tmp_path / "runs" / "a")
    with pytest.raises(ArtifactInvalid, match="not a run folder"):
        open_run(tmp_path / "runs" / "empty")
