"""`faircall score` and `faircall diff` on small files and on the real outputs."""

import json
from pathlib import Path

import pytest

from faircall.cli import console, main

DATA = Path(__file__).parents[2] / "examples" / "data"
BASE, ADAPTER = str(DATA / "smollm2_base.jsonl"), str(DATA / "smollm2_adapter.jsonl")


def run(capsys, *arguments):
    status = main(list(arguments))
    out, err = capsys.readouterr()
    assert status == 0, err
    return out


def test_score_shows_metrics_causes_and_arguments(capsys):
    out = run(capsys, "score", ADAPTER)
    assert out.splitlines()[0] == "smollm2_adapter: 60 examples"
    assert "  full_call_exact_match     38/60   63.3%   [50.7%, 74.4%]" in out
    for title in ("Causes of the misses", "Confused tools", "Worst arguments"):
        assert title in out


def test_a_stored_score_reads_back_and_is_named_last(capsys, tmp_path):
    stored = tmp_path / "scored.json"
    out = run(capsys, "score", ADAPTER, "-o", str(stored))
    assert out.splitlines()[-1] == f"wrote {stored}"
    assert stored.read_bytes().isascii()
    assert run(capsys, "score", str(stored), "--json") == run(capsys, "score", ADAPTER, "--json")


def test_a_score_is_not_written_over_a_folder(capsys, tmp_path):
    assert main(["score", ADAPTER, "-o", str(tmp_path)]) == 2
    assert "is a folder" in capsys.readouterr().err


def test_a_person_at_a_terminal_gets_ruled_tables_and_colours_unless_refused(capsys, monkeypatch):
    monkeypatch.setattr(console, "on_terminal", lambda: True)
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    coloured = run(capsys, "score", ADAPTER)
    assert "\x1b[1m" in coloured
    assert "─" in coloured
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in run(capsys, "score", ADAPTER)


def test_diff_counts_what_the_comparison_counts(capsys):
    found = json.loads(run(capsys, "diff", BASE, ADAPTER, "--json", "--limit", "0"))
    table = json.loads(run(capsys, "compare", BASE, ADAPTER, "--json"))["overall"]["metrics"][
        "full_call_exact_match"
    ]["table"]
    assert (found["gained"], found["lost"]) == (table["candidate_only"], table["baseline_only"]) == (38, 0)
    assert len(found["flips"]) == 38


def test_diff_shows_gold_and_both_answers(capsys):
    flip = json.loads(run(capsys, "diff", BASE, ADAPTER, "--json", "--limit", "1"))["flips"][0]
    rows = {row["id"]: row for row in map(json.loads, Path(ADAPTER).read_text(encoding="utf-8").splitlines())}
    row = rows[flip["id"]]
    assert (flip["direction"], flip["gold"], flip["candidate"]) == ("gained", row["gold"], row["raw_text"])
    assert flip["baseline"] != flip["candidate"]


@pytest.mark.parametrize(("only", "shown"), [("gained", 0), ("lost", 38)])
def test_diff_of_swapped_arms_shows_one_direction_only(capsys, only, shown):
    found = json.loads(run(capsys, "diff", ADAPTER, BASE, "--json", "--limit", "0", "--only", only))
    assert len(found["flips"]) == shown
    assert {flip["direction"] for flip in found["flips"]} <= {only}


def test_diff_goes_through_the_gate(capsys, tmp_path):
    other = tmp_path / "short.jsonl"
    other.write_text(Path(BASE).read_text(encoding="utf-8").splitlines()[0] + "\n")
    assert main(["diff", BASE, str(other)]) == 4
    assert "data.example_ids" in capsys.readouterr().err


def test_diff_refuses_a_metric_that_is_not_binary(capsys):
    assert main(["diff", BASE, ADAPTER, "--metric", "argument_f1"]) == 2
    assert "no binary metric" in capsys.readouterr().err


def test_plan_takes_the_discordance_of_two_files(capsys):
    """The real outputs differ on 38 of 60 full matches."""
    found = json.loads(run(capsys, "plan", BASE, ADAPTER, "--difference", "0.1", "--json"))
    assert found["discordance"] == pytest.approx(38 / 60)
    assert found["examples"] == 60
    assert found["examples_for_difference"] > 0


@pytest.mark.parametrize("arguments", [(BASE,), (BASE, ADAPTER, BASE), (BASE, ADAPTER, "--psi", "0.1")])
def test_plan_takes_two_files_or_a_discordance(capsys, arguments):
    assert main(["plan", *arguments, "--difference", "0.1"]) == 2
    assert capsys.readouterr().err.startswith("faircall: USAGE: ")


def without_ids(path, source):
    rows = [json.loads(line) for line in Path(source).read_text(encoding="utf-8").splitlines()]
    kept = ({key: value for key, value in row.items() if key != "id"} for row in rows)
    path.write_text("".join(json.dumps(row) + "\n" for row in kept), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("verb", ["score", "compare", "diff"])
def test_rows_that_are_joined_by_line_number_are_told_once_with_their_files(capsys, tmp_path, verb):
    files = [without_ids(tmp_path / "a.jsonl", BASE), without_ids(tmp_path / "b.jsonl", ADAPTER)]
    files = files[:1] if verb == "score" else files
    for more in ([], ["--json"]):
        assert main([verb, *files, *more]) == 0
        notices = [line for line in capsys.readouterr().err.splitlines() if "notice" in line]
        told = f"{', '.join(files)}: no column of ids: joined by line number"
        assert notices == [f"faircall: notice: {told}"]


@pytest.mark.parametrize("arguments", [["score", BASE], ["compare", BASE, ADAPTER], ["diff", BASE, ADAPTER]])
def test_rows_with_ids_need_no_notice(capsys, arguments):
    assert main(arguments) == 0
    assert capsys.readouterr().err == ""
