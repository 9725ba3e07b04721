"""`faircall metrics`: files in, numbers out, and every fault named with its place."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from faircall.cli import main

GOLDEN = [{"id": 1, "tool": "click"}, {"id": 2, "tool": "type"}, {"id": 3, "tool": "click"}]
PREDICTED = [{"id": 1, "tool": "click"}, {"id": 2, "tool": "scroll"}, {"id": 3, "tool": "type"}]


def write(path: Path, rows: list[Any]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    golden, predicted = write(tmp_path / "g.jsonl", GOLDEN), write(tmp_path / "p.jsonl", PREDICTED)
    return ["--golden", golden, "--predicted", predicted]


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, Any, str]:
    status = main(["metrics", "run", *arguments, "--json"])
    printed = capsys.readouterr()
    return status, json.loads(printed.out) if printed.out else None, printed.err


def values(report: Any, position: int = 0) -> Any:
    return report["metrics"][0]["aggregates"][position]["values"]


def test_the_command_of_the_issue(capsys: pytest.CaptureFixture[str], files: list[str]) -> None:
    arguments = [
        "--unit",
        "exact_match",
        "--key",
        "tool",
        "--aggregate",
        "precision",
        "--positive-class",
        "click",
    ]
    status, report, errors = run(capsys, *files, *arguments)
    assert (status, errors) == (0, "")
    assert report["schema_version"] == "faircall.metrics.v1"
    assert report["metrics"][0]["unit"] == {"name": "exact_match", "options": {"key": "tool"}}
    assert (report["metrics"][0]["results"], report["metrics"][0]["correct"]) == (3, 1)
    assert values(report) == {"precision": 1.0}


def test_the_two_sides_may_have_keys_of_their_own(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    golden = write(tmp_path / "g.jsonl", [{"event": "click"}, {"event": "type"}])
    predicted = write(tmp_path / "p.jsonl", [{"tool": "click"}, {"tool": "click"}])
    keys = ["--golden-key", "event", "--predicted-key", "tool"]
    arguments = [*keys, "--aggregate", "f1_score", "--positive-class", "click"]
    report = run(capsys, "--golden", golden, "--predicted", predicted, *arguments)[1]
    assert values(report) == {"f1_score": 2 / 3}


def test_text_output_names_value_and_interval(capsys: pytest.CaptureFixture[str], files: list[str]) -> None:
    assert main(["metrics", "run", *files, "--key", "tool", "--level", "0.95"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        'exact_match (key="tool"): 1 of 3 correct',
        "  accuracy (level=0.95)",
        "    accuracy  33.3%  95% [6.1%, 79.2%]",
    ]


@pytest.mark.parametrize(("text", "expected"), [("1", 1.0), ('"1"', 0.0), ("true", 0.0), ("1.0", 0.0)])
def test_a_positive_class_is_read_as_json(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, text: str, expected: float
) -> None:
    file = write(tmp_path / "rows.jsonl", [{"y": 1}, {"y": 0}])
    arguments = ["--key", "y", "--aggregate", "recall", "--positive-class", text]
    status, report, errors = run(capsys, "--golden", file, "--predicted", file, *arguments)
    assert (status, values(report)) == (0, {"recall": expected})
    assert bool(errors) == (expected == 0.0)


def test_a_class_that_never_occurs_is_warned_about(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "rows.csv").write_text("y\n1\n0\n", encoding="utf-8")
    file = str(tmp_path / "rows.csv")
    arguments = ["--key", "y", "--aggregate", "f1_score", "--positive-class", "1"]
    status, report, errors = run(capsys, "--golden", file, "--predicted", file, *arguments)
    warnings = report["metrics"][0]["warnings"]
    assert (status, len(warnings)) == (0, 2)
    assert warnings[0] == (
        "f1_score: the positive class 1 (int) never occurs under golden 'y'; there is one of type str"
    )
    assert f"warning: {warnings[1]}" in errors


def test_rows_are_joined_by_id(capsys: pytest.CaptureFixture[str], tmp_path: Path, files: list[str]) -> None:
    shuffled = write(tmp_path / "s.jsonl", [*PREDICTED[1:], PREDICTED[0]])
    in_order = run(capsys, *files, "--key", "tool")[1]
    assert run(capsys, *files[:2], "--predicted", shuffled, "--key", "tool")[1] == in_order
    by_position = run(capsys, *files[:2], "--predicted", shuffled, "--key", "tool", "--by-position")[1]
    assert by_position != in_order


@pytest.mark.parametrize(
    ("predicted", "code", "message"),
    [
        (PREDICTED[:2], "ID_MISMATCH", "predicted has no row with id 3 (1 such rows)"),
        ([*PREDICTED, {"id": 4}], "ID_MISMATCH", "golden has no row with id 4 (1 such rows)"),
        ([*PREDICTED[:2], PREDICTED[0]], "DUPLICATE_ID", "predicted has id 1 twice"),
        ([{"tool": "click"}] * 2, "DATA", "golden has 3 rows and predicted has 2"),
    ],
)
def test_rows_that_do_not_pair(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    files: list[str],
    predicted: Any,
    code: str,
    message: str,
) -> None:
    file = write(tmp_path / "other.jsonl", predicted)
    status, _, errors = run(capsys, *files[:2], "--predicted", file, "--key", "tool")
    assert status == 2
    assert f"faircall: {code}: {message}" in errors
    assert "hint: " in errors


def test_csv_parquet_and_gzip_give_the_same(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    import pyarrow as arrow
    from pyarrow import parquet

    names = [row["tool"] for row in GOLDEN]
    (tmp_path / "g.csv").write_bytes("\ufefftool\r\nclick\r\ntype\r\nclick\r\n".encode())
    parquet.write_table(arrow.table({"tool": names}), tmp_path / "g.parquet")
    (tmp_path / "g.jsonl.gz").write_bytes(
        gzip.compress(b"\n".join(b'{"tool":"%s"}' % n.encode() for n in names))
    )
    other = write(tmp_path / "p.jsonl", PREDICTED)
    reports = [
        run(capsys, "--golden", str(tmp_path / name), "--predicted", other, "--key", "tool")[1]
        for name in ("g.csv", "g.parquet", "g.jsonl.gz")
    ]
    assert reports[0] == reports[1] == reports[2]
    assert reports[0]["metrics"][0]["correct"] == 1


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("g.csv", b"a,b\n1,2\n3\n", "g.csv:3: 1 cells under 2 names"),
        ("g.csv", b"a,a\n1,2\n", "g.csv:1: a column name is repeated"),
        ("g.csv", b'a\n"x\n', "not CSV"),
        ("g.csv", b"a\n\xe9\n", "is not UTF-8 (byte 2)"),
        ("g.csv", b"a\n", "holds no rows"),
        ("g.parquet", b"no parquet", "cannot be read as Parquet"),
        ("g.jsonl", b'{"a":1}\n{"a":NaN}\n', "g.jsonl:2:"),
    ],
)
def test_broken_files_are_named(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    (tmp_path / name).write_bytes(content)
    status, _, errors = run(capsys, "--golden", str(tmp_path / name), "--predicted", str(tmp_path / name))
    assert status == 2
    assert message in errors


def test_parquet_without_pyarrow_says_what_to_install(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    status, _, errors = run(capsys, "--golden", "x.parquet", "--predicted", "x.parquet")
    assert status == 3
    assert "hint: pip install 'faircall[parquet]'" in errors


def test_unusable_golden_values_name_file_and_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "g.jsonl").write_text('{"v": 1}\n\n{"v": "x"}\n', encoding="utf-8")
    file = str(tmp_path / "g.jsonl")
    arguments = ["--unit", "numeric_tolerance", "--key", "v"]
    status, _, errors = run(capsys, "--golden", file, "--predicted", file, *arguments)
    assert status == 2
    assert f"faircall: ROW: {file}:3: not a number: 'x'" in errors


def test_a_yaml_list_of_metrics(capsys: pytest.CaptureFixture[str], tmp_path: Path, files: list[str]) -> None:
    (tmp_path / "m.yaml").write_text(
        "- exact_match: {key: tool}\n- accuracy\n- precision: {predicted_key: tool, positive_class: click}\n"
        "- typed_value_match: {key: tool}\n- classification_report: {golden_key: tool}\n",
        encoding="utf-8",
    )
    status, report, _ = run(capsys, *files, "--metrics", str(tmp_path / "m.yaml"))
    assert status == 0
    assert [group["unit"]["name"] for group in report["metrics"]] == ["exact_match", "typed_value_match"]
    assert values(report, 1) == {"precision": 1.0}
    assert report["metrics"][1]["aggregates"][0]["values"]["per_class"]["click"]["tp"] == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("accuracy", "metrics are a list"),
        ("[accuracy]", "the first metric must be a unit metric, got 'accuracy'"),
        ("[exact_match, {a: 1, b: 2}]", "not a metric"),
        ("[exact_match, presicion]", "did you mean 'precision'"),
        (
            "[exact_match, precision]",
            "precision: predicted_key: Field required; positive_class: Field required",
        ),
        ("[{exact_match: {kye: tool}}]", "exact_match: kye: Extra inputs are not permitted"),
        ("[", "cannot be read"),
    ],
)
def test_broken_lists_of_metrics(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, files: list[str], text: str, message: str
) -> None:
    (tmp_path / "m.yaml").write_text(text, encoding="utf-8")
    status, _, errors = run(capsys, *files, "--metrics", str(tmp_path / "m.yaml"))
    assert status == 2
    assert errors.startswith("faircall: CONFIG: ")
    assert message in errors


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--unit", "exact"], "unknown unit metric 'exact'; did you mean 'exact_match'?"),
        (["--positive-class", "click"], "no chosen metric takes positive_class"),
        (["--set", "k"], "--set takes NAME=VALUE"),
        (["--set", "colour=red"], "no chosen metric takes colour"),
        (["--level", "95"], "level: Input should be less than 1"),
        (["--metrics", "m.yaml", "--key", "tool"], "--metrics and key do not fit together"),
        (["--id-key", "uid"], "golden row 1 has no 'uid'"),
        (["--cluster-key", "session"], "no 'session' in its metadata"),
    ],
)
def test_flags_that_do_not_fit(
    capsys: pytest.CaptureFixture[str], files: list[str], arguments: list[str], message: str
) -> None:
    status, _, errors = run(capsys, *files, *arguments)
    assert status == 2
    assert message in errors


def test_items_and_clusters_come_from_the_rows(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    rows = [{"id": "a", "y": 1}, {"id": "a", "y": 1}, {"id": "b", "y": 1}, {"id": "b", "y": 1}]
    golden = write(tmp_path / "g.jsonl", rows)
    predicted = write(
        tmp_path / "p.jsonl", [{**row, "y": y} for row, y in zip(rows, [1, 0, 0, 0], strict=True)]
    )
    arguments = ["--key", "y", "--aggregate", "pass_at_k", "--set", "k=2", "--set", "item_key=id"]
    status, report, _ = run(capsys, "--golden", golden, "--predicted", predicted, *arguments)
    assert status == 0
    assert (values(report)["pass@2"], values(report)["items"]) == (0.5, 2)
    arguments = ["--key", "y", "--cluster-key", "id"]
    report = run(capsys, "--golden", golden, "--predicted", predicted, *arguments)[1]
    assert values(report)["interval"]["method"] == "wilson_design_effect"


def test_verdicts_are_written_row_by_row(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, files: list[str]
) -> None:
    status, _, errors = run(capsys, *files, "--key", "tool", "--results", str(tmp_path / "out" / "v.jsonl"))
    assert status == 0
    assert errors.splitlines()[-1] == f"wrote {tmp_path / 'out' / 'v.jsonl'}"
    lines = [json.loads(line) for line in (tmp_path / "out" / "v.jsonl").read_text().splitlines()]
    assert [line["correct"] for line in lines] == [True, False, False]
    assert lines[1]["golden"] == GOLDEN[1]
    assert lines[1]["metadata"]["predicted_text"] == "scroll"


def test_list_shows_every_metric_with_its_options(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["metrics", "list"]) == 0
    text = capsys.readouterr().out
    assert main(["metrics", "list", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert {"accuracy", "f1_score", "precision", "recall"} <= listed["aggregator_metrics"].keys()
    for name in [*listed["unit_metrics"], *listed["aggregator_metrics"]]:
        assert f"  {name} " in text
    assert "options: predicted_key, positive_class, level, cluster_key" in text
