"""`faircall compare` and its refusals, on files that a test writes; `main` runs in this process."""

import json
from pathlib import Path

import pytest

from faircall.cli import main

DATA = Path(__file__).parents[2] / "examples" / "data"
GOLD = {"name": "wx", "arguments": {"city": "Graz"}}
RIGHT = json.dumps(GOLD)


def rows(answers, **extra):
    return [{"id": str(n), "raw_text": text, "gold": GOLD, **extra} for n, text in enumerate(answers)]


def write(path, content):
    path.write_text("".join(json.dumps(row) + "\n" for row in content), encoding="utf-8")
    return str(path)


@pytest.fixture
def pair(tmp_path):
    """Twenty rows: the baseline is right on five, the candidate on fifteen."""
    first = write(tmp_path / "before.jsonl", rows([RIGHT] * 5 + ["no"] * 15))
    return first, write(tmp_path / "after.jsonl", rows([RIGHT] * 15 + ["no"] * 5))


def run(capsys, *arguments):
    status = main(["compare", *arguments])
    out, err = capsys.readouterr()
    return status, out, err


def run_json(capsys, *arguments):
    status, out, _ = run(capsys, *arguments, "--json")
    assert status == 0
    return json.loads(out)


def test_the_real_outputs_give_their_known_scores(capsys):
    """Source: the note beside the sample data; base 0/60, adapter 38/60 full matches and 164/229 pairs."""
    found = run_json(capsys, str(DATA / "smollm2_base.jsonl"), str(DATA / "smollm2_adapter.jsonl"))
    metrics = found["overall"]["metrics"]
    counts = {
        name: (m["candidate"]["numerator"], m["candidate"]["denominator"]) for name, m in metrics.items()
    }
    assert counts == {
        "valid_json_rate": (60, 60),
        "function_name_accuracy": (49, 60),
        "argument_exact_match": (39, 60),
        "argument_f1": (164, 229),
        "full_call_exact_match": (38, 60),
    }
    assert all(m["baseline"]["numerator"] == 0 for m in metrics.values())
    assert metrics["full_call_exact_match"]["decomposition"]["gained_by_parsing"] == 38


def test_the_text_starts_with_treatment_arms_and_verdict(capsys, pair):
    _, out, err = run(capsys, *pair)
    lines = out.splitlines()
    assert lines[0].startswith("Treatment: not attested")
    assert lines[1] == "before -> after: 20 examples"
    assert lines[2].startswith("full_call_exact_match: better: +50.0 points, 95% CI [+")
    assert lines[-1].startswith("Signature: full_call_exact_match|d:after-before|treat:not_attested|n:20|")
    assert err == ""


def test_a_pipe_gets_no_control_characters(capsys, pair):
    assert "\x1b" not in run(capsys, *pair)[1]


def test_the_order_of_rows_changes_nothing(capsys, tmp_path):
    """Source: case S06, misordered pairs."""
    first = write(tmp_path / "a.jsonl", rows([RIGHT, "no", RIGHT]))
    second = rows(["no", "no", RIGHT])
    straight = run_json(capsys, first, write(tmp_path / "b.jsonl", second))
    turned = run_json(capsys, first, write(tmp_path / "b.jsonl", [second[1], second[0], second[2]]))
    assert turned == straight


@pytest.mark.parametrize("kept", [[0, 1], [0, 1, 2, 3]], ids=["missing", "surplus"])
def test_unequal_sets_of_ids_are_refused_and_named(capsys, tmp_path, kept):
    """Source: case S06: unequal sets are always an error."""
    first = write(tmp_path / "a.jsonl", rows([RIGHT] * 3))
    second = write(tmp_path / "b.jsonl", [rows([RIGHT] * 4)[n] for n in kept])
    status, out, err = run(capsys, first, second, "-o", str(tmp_path / "out"))
    assert (status, out) == (4, "")
    assert "data.example_ids" in err
    assert "1 only in the" in err
    assert f"first '{2 if len(kept) == 2 else 3}'" in err
    assert not (tmp_path / "out").exists()


def test_a_changed_gold_call_is_refused(capsys, tmp_path):
    other = rows([RIGHT])
    other[0] = {**other[0], "gold": {"name": "wx", "arguments": {"city": "Wien"}}}
    first = write(tmp_path / "a.jsonl", rows([RIGHT]))
    status, _, err = run(capsys, first, write(tmp_path / "b.jsonl", other))
    assert status == 4
    assert "data.gold" in err
    assert "1 changed, first '0'" in err


def test_a_file_against_itself_is_an_a_a_comparison(capsys, pair):
    _, out, _ = run(capsys, pair[0], pair[0])
    assert "A/A" in out.splitlines()[0]
    assert "no discordant pairs" in out.splitlines()[2]
    assert "before (baseline) -> before (candidate)" in out


def decoded(limit):
    return {"decoding": {"temperature": 0.0, "do_sample": False, "max_new_tokens": limit}}


def test_conditions_that_differ_are_refused_until_declared(capsys, tmp_path):
    first = write(tmp_path / "a.jsonl", rows([RIGHT], **decoded(64)))
    second = write(tmp_path / "b.jsonl", rows(["no"], **decoded(32)))
    status, out, err = run(capsys, first, second)
    assert (status, out) == (4, "")
    assert "decoding.max_new_tokens (64 | 32)" in err
    assert "--vary decoding" in err
    assert run_json(capsys, first, second, "--vary", "decoding")["treatment"]["sections"] == ["decoding"]


def test_a_declaration_must_be_true(capsys, pair):
    status, _, err = run(capsys, *pair, "--vary", "model")
    assert status == 2
    assert "nothing differs in model" in err


def test_labels_name_the_arms(capsys, pair):
    found = run_json(capsys, *pair, "--label", "old", "--label", "new")
    assert (found["baseline"]["arm"], found["candidate"]["arm"]) == ("old", "new")


@pytest.mark.parametrize("labels", [["one"], ["same", "same"], ["a", "b", "c"]])
def test_labels_come_in_pairs(capsys, pair, labels):
    status, _, err = run(capsys, *pair, *(word for label in labels for word in ("--label", label)))
    assert status == 2
    assert "two different names" in err


def test_a_condition_that_holds_exits_1_after_the_report(capsys, pair, tmp_path):
    out_folder = tmp_path / "out"
    status, out, err = run(
        capsys, *reversed(pair), "--fail-if", "full_call_exact_match.lower < -0.01", "-o", str(out_folder)
    )
    assert status == 1
    assert "worse" in out
    assert "CONDITION_FAILED: --fail-if: full_call_exact_match.lower < -0.01 holds: it is -0." in err
    assert (out_folder / "comparison_report.json").exists()


def test_a_condition_that_does_not_hold_exits_0(capsys, pair):
    assert run(capsys, *pair, "--fail-if", "full_call_exact_match.lower < -0.01")[0] == 0


def test_a_condition_is_read_before_the_files(capsys):
    status, _, err = run(capsys, "missing_a.jsonl", "missing_b.jsonl", "--fail-if", "nonsense")
    assert status == 2
    assert "not a condition" in err


def test_a_condition_on_an_unknown_slice_is_refused(capsys, pair):
    status, _, err = run(capsys, *pair, "--fail-if", "fr/full_call_exact_match.delta < 0")
    assert status == 2
    assert "unknown slice 'fr'" in err


def test_reports_are_written_in_both_forms_and_named_last(capsys, pair, tmp_path):
    folder = tmp_path / "new" / "out"
    _, out, _ = run(capsys, *pair, "-o", str(folder))
    assert out.splitlines()[-1] == f"wrote {folder / 'comparison_report.json'}"
    report = json.loads((folder / "comparison_report.json").read_text())
    assert report == run_json(capsys, *pair)
    assert (folder / "comparison_report.md").read_text().startswith("# Comparison report\n\n**Treatment: ")


def test_the_same_command_writes_the_same_bytes(capsys, pair, tmp_path):
    for name in ("one", "two"):
        run(capsys, *pair, "-o", str(tmp_path / name), "--seed", "0")
    first, second = ((tmp_path / name / "comparison_report.json").read_bytes() for name in ("one", "two"))
    assert first == second


def test_json_stays_one_document_when_a_file_is_written(capsys, pair, tmp_path):
    _, out, err = run(capsys, *pair, "--json", "-o", str(tmp_path))
    assert json.loads(out)["schema_version"] == "faircall.comparison_report.v1"
    files = (tmp_path / f"comparison_report.{ending}" for ending in ("md", "html", "json"))
    assert err.splitlines() == [f"wrote {file}" for file in files]


def test_languages_show_slices_and_gaps(capsys, tmp_path):
    def languages(english, french):
        return [
            {"id": f"en{n}", "raw_text": text, "gold": GOLD, "language": "en"}
            for n, text in enumerate(english)
        ] + [
            {"id": f"fr{n}", "raw_text": text, "gold": GOLD, "language": "fr", "source_example_id": f"en{n}"}
            for n, text in enumerate(french)
        ]

    first = write(tmp_path / "a.jsonl", languages([RIGHT] * 12, ["no"] * 12))
    second = write(tmp_path / "b.jsonl", languages([RIGHT] * 12, [RIGHT] * 12))
    _, out, _ = run(capsys, first, second)
    assert "24 examples of 12 roots" in out
    assert "Slices: full_call_exact_match" in out
    gap = next(line for line in out.splitlines() if line.strip().startswith("fr - en"))
    assert "-100.0" in gap
    assert "+100.0" in gap


def test_a_stored_score_compares_like_its_rows(capsys, pair, tmp_path):
    stored = []
    for path in pair:
        stored.append(str(tmp_path / f"{Path(path).stem}.json"))
        assert main(["score", path, "-o", stored[-1]]) == 0
    capsys.readouterr()
    assert run_json(capsys, *stored) == run_json(capsys, *pair)


def test_bad_resampling_is_a_usage_error(capsys, pair):
    assert run(capsys, *pair, "--resamples", "1000")[0] == 2


@pytest.mark.parametrize("level", ["2", "0", "nan", "-1"])
def test_a_level_that_is_none_is_a_usage_error(capsys, pair, level):
    assert run(capsys, *pair, "--level", level)[0] == 2


def test_a_file_in_the_place_of_the_output_folder_is_refused(capsys, pair):
    status, _, err = run(capsys, *pair, "-o", pair[0])
    assert status == 2
    assert err.startswith("faircall: FILE: ")


def test_both_arms_from_standard_input_are_refused(capsys):
    assert run(capsys, "-", "-")[0] == 2
