"""The forms that verbs write, and the gate for scripts, through the command line."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from faircall.cli import main

DATA = Path(__file__).parents[2] / "examples" / "data"
BASE, ADAPTER = str(DATA / "smollm2_base.jsonl"), str(DATA / "smollm2_adapter.jsonl")
COMPARE = ["compare", BASE, ADAPTER, "--resamples", "399"]


@pytest.fixture
def call(capsys):
    def run(*arguments):
        status = main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return status, out, err

    return run


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_compare_writes_the_forms_that_are_asked_for(call, tmp_path):
    status, out, _ = call(*COMPARE, "-o", tmp_path, "--format", "json,junit,csv,hf,svg,card")
    assert status == 0
    assert out.splitlines()[-1] == f"wrote {tmp_path / 'comparison_report.json'}"
    assert names(tmp_path) == [
        "comparison_report.card.md",
        "comparison_report.examples.csv",
        "comparison_report.json",
        "comparison_report.junit.xml",
        "comparison_report.model-index.yaml",
        "comparison_report.svg",
    ]
    rows = (tmp_path / "comparison_report.examples.csv").read_bytes().count(b"\r\nsmollm2_")
    assert rows == 120


def test_compare_writes_json_markdown_and_html_by_default(call, tmp_path):
    call(*COMPARE, "-o", tmp_path)
    assert names(tmp_path) == [f"comparison_report.{ending}" for ending in ("html", "json", "md")]


def test_score_writes_forms_beside_its_json(call, tmp_path):
    status, out, _ = call("score", ADAPTER, "-o", tmp_path / "a.json", "--format", "csv,junit")
    assert (status, out.splitlines()[-1]) == (0, f"wrote {tmp_path / 'a.json'}")
    assert names(tmp_path) == ["a.examples.csv", "a.json", "a.junit.xml"]
    suite = ElementTree.parse(tmp_path / "a.junit.xml").find("testsuite")
    assert (suite.get("tests"), suite.get("failures")) == ("60", "22")


def test_a_stored_report_renders_to_the_same_bytes(call, tmp_path):
    call(*COMPARE, "-o", tmp_path / "first", "--format", "json,md,junit,hf")
    source = tmp_path / "first" / "comparison_report.json"
    status, out, _ = call("report", "render", source, "--format", "md,junit,hf", "-o", tmp_path / "again")
    assert status == 0
    assert out.count("wrote ") == 3
    for path in (tmp_path / "again").iterdir():
        assert path.read_bytes() == (tmp_path / "first" / path.name).read_bytes()


def test_one_form_goes_to_standard_output(call, tmp_path):
    call("score", ADAPTER, "-o", tmp_path / "a.json")
    status, out, err = call("report", "render", tmp_path / "a.json", "--format", "card", "-o", "-")
    assert (status, err) == (0, "")
    assert out.startswith("## Tool calls: smollm2\\_adapter")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([*COMPARE, "--format", "junit"], "nothing says where"),
        (["score", ADAPTER, "--format", "csv"], "nothing says where"),
        ([*COMPARE, "-o", "OUT", "--format", "pdf"], "unknown format 'pdf'"),
        ([*COMPARE, "-o", "OUT", "--format", "eval_results"], "dataset of the Hub"),
        ([*COMPARE, "-o", "OUT", "--format", "hf", "--dataset", "x"], "names no dataset"),
        (["score", ADAPTER, "-o", "OUT", "--format", "eval_results"], "dataset of the Hub"),
        (["score", ADAPTER, "-o", "OUT", "--format", "hf", "--dataset", "x"], "names no dataset"),
        (["report", "render", ADAPTER, "--format", "md"], "is not valid JSON"),
    ],
)
def test_what_cannot_be_written_is_refused_before_anything_is(call, tmp_path, arguments, told):
    out = tmp_path / "out"
    status, printed, err = call(*[out if argument == "OUT" else argument for argument in arguments])
    assert (status, printed) == (2, "")
    assert told in err
    assert not out.exists()


def test_a_report_is_never_written_over_itself(call, tmp_path):
    call("score", ADAPTER, "-o", tmp_path / "a.json")
    status, _, err = call("report", "render", tmp_path / "a.json", "--format", "json")
    assert status == 2
    assert "over itself" in err


# --- The gate


def test_a_claim_that_is_established_exits_0_and_stands_in_the_report(call, tmp_path):
    claim = "kept: non_inferiority full_call_exact_match margin=0.02"
    status, _, _ = call(*COMPARE, "--claim", claim, "-o", tmp_path)
    assert status == 0
    (found,) = json.loads((tmp_path / "comparison_report.json").read_text())["claims"]
    assert (found["id"], found["verdict"], found["margin"]) == ("kept", "established", 0.02)


def test_claims_and_conditions_that_fail_exit_1_and_are_all_named(call, tmp_path):
    file = tmp_path / "claims.yaml"
    file.write_text("claims: [{id: alike, kind: equivalence, margin: 0.05}, {id: other, baseline: nobody}]\n")
    status, out, err = call(
        *COMPARE, "--claims", file, "--claim", "better: superiority", "-o", tmp_path / "out",
        "--fail-if", "argument_f1.delta > 0.1", "--fail-if", "argument_f1.delta < 0",
        "--format", "json,junit",
    )  # fmt: skip
    assert status == 1
    assert "declared claims: alike refuted; --fail-if: argument_f1.delta > 0.1 holds: it is 0.716" in err
    assert "better" not in err
    assert "Conditions to fail on" in out
    report = json.loads((tmp_path / "out" / "comparison_report.json").read_text())
    assert [claim["id"] for claim in report["claims"]] == ["alike", "better"]
    assert [one["holds"] for one in report["conditions"]] == [True, False]
    suite = ElementTree.parse(tmp_path / "out" / "comparison_report.junit.xml").find("testsuite")
    assert (suite.get("tests"), suite.get("failures")) == ("5", "2")


def test_arms_that_cannot_be_compared_exit_4_and_write_nothing(call, tmp_path):
    other = tmp_path / "other.jsonl"
    other.write_text(Path(ADAPTER).read_text(encoding="utf-8").replace("test-0", "x-"), encoding="utf-8")
    status, _, err = call("compare", BASE, other, "--claim", "better: superiority", "-o", tmp_path / "out")
    assert status == 4
    assert "INCOMPARABLE" in err
    assert not (tmp_path / "out").exists()
