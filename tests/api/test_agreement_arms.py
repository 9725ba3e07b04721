"""Arms of runs compared without gold: their own reader, and what was asked from the prepared rows."""

import json
from importlib.resources import files

import pytest

from faircall.api.agreement import build_agreement_report, label_rows
from faircall.api.agreement_arms import load_pair
from faircall.cli import main
from faircall.errors import ArtifactInvalid, UsageError

ARMS = next(p for p in (files("faircall.demo") / "reference" / "runs").iterdir() if p.is_dir()) / "eval"


def test_two_arms_of_a_run_agree_where_their_calls_are_equal(capsys):
    assert main(["compare", str(ARMS / "en"), str(ARMS / "en_fr"), "--no-gold", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["baseline"]["arm"], report["candidate"]["arm"]) == ("en", "en_fr")
    assert report["examples"] == 240
    assert report["agreement"]["numerator"] == report["classes"]["same_call"] + report["classes"].get(
        "both_without_call", 0
    )
    assert report["baseline"]["statuses"]["ok"] == 231


def test_a_label_row_of_a_run_shows_what_was_asked():
    rows = label_rows(*load_pair(ARMS / "base", ARMS / "en"), count=7)
    assert all(row["query"] and row["tools"] for row in rows)
    assert {row["sampling"]["weight"] for row in rows} == {240 / 7}


def test_the_report_file_names_its_arm():
    arms = load_pair(ARMS / "en" / "evaluation_report.json", ARMS / "en")
    assert build_agreement_report(*arms)["agreement"]["value"] == 1.0


def test_an_arm_of_a_run_takes_no_reader():
    with pytest.raises(UsageError, match="is an arm of a run"):
        load_pair(ARMS / "en", ARMS / "base", reader="hermes.xml.v1")


def test_a_run_is_no_arm():
    with pytest.raises(ArtifactInvalid, match="is not an arm of a run"):
        load_pair(ARMS.parent, ARMS / "base")
