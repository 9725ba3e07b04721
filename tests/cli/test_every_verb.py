"""Sections 8 and 11 of the contract, held against every verb: the table below names all of them."""

import json
from pathlib import Path

import pytest

from faircall.cli import main, verbs

ROOT = Path(__file__).parents[2]
BASE = str(ROOT / "examples" / "data" / "smollm2_base.jsonl")
ADAPTER = str(ROOT / "examples" / "data" / "smollm2_adapter.jsonl")
MISSING = "no-such-file"

# Per verb: arguments that name a file that is not there, and arguments that need neither model nor run (None:
# every use needs one; tests of the verb itself cover it).
VERBS = {
    "score": ([MISSING], [BASE]),
    "compare": ([MISSING, BASE], [BASE, ADAPTER, "--resamples", "399"]),
    "diff": ([MISSING, BASE], [BASE, ADAPTER]),
    "check": ([MISSING], [BASE]),
    "lint": ([MISSING], [BASE]),
    "import": ([MISSING], [BASE]),
    "readers list": (None, []),
    "readers explain": ([MISSING], None),
    "plan": (None, ["--discordance", "0.1", "--difference", "0.03"]),
    "metrics list": (None, []),
    "metrics run": (["--golden", MISSING, "--predicted", MISSING], None),
    "init": (None, ["new-project"]),
    "config validate": (["-c", MISSING], None),
    "data prepare": (["-c", MISSING], None),
    "format build": (["-c", MISSING], None),
    "eval run": (["-c", MISSING, "--arm", "base"], None),
    "eval report": ([MISSING], None),
    "merge": ([MISSING], None),
    "report compare": (["--base", MISSING, "--adapter", MISSING, "--out", "out"], None),
    "report experiment": ([MISSING], None),
    "report render": ([MISSING], None),
    "run": (["-c", MISSING], None),
    "rescore": ([MISSING], None),
    "verify": ([MISSING], None),
}
REFUSED = {verb: missing for verb, (missing, _) in VERBS.items() if missing is not None}
WORKING = {verb: works for verb, (_, works) in VERBS.items() if works is not None}


def every_verb():
    for name in verbs.VERBS:
        children = getattr(verbs.load(name), "commands", None)
        yield from [name] if children is None else [f"{name} {child}" for child in children]


def run(capsys, verb, *arguments):
    status = main([*verb.split(), *arguments])
    out, err = capsys.readouterr()
    return status, out, err


def assert_error_form(err, *, command):
    lines = err.splitlines()
    assert len(lines) == 2, err
    assert lines[0].startswith("faircall: ")
    assert lines[0].split(": ")[1].replace("_", "").isupper(), err
    assert lines[1].startswith("hint: "), command


def test_the_table_names_every_verb():
    apart = {"demo", "view"}  # their own tests cover them: one needs the demo's data, one serves
    assert VERBS.keys() == set(every_verb()) - apart


@pytest.mark.parametrize("verb", sorted(every_verb()))
def test_an_unknown_flag_is_two_lines_and_status_2(capsys, verb):
    status, out, err = run(capsys, verb, "--no-such-flag")
    assert (status, out) == (2, "")
    assert_error_form(err, command=verb)
    assert "USAGE" in err


@pytest.mark.parametrize("verb", sorted(REFUSED))
def test_a_missing_file_is_named_in_two_lines_with_status_2(capsys, monkeypatch, tmp_path, verb):
    monkeypatch.chdir(tmp_path)
    status, out, err = run(capsys, verb, *REFUSED[verb])
    assert (status, out) == (2, ""), err
    assert_error_form(err, command=verb)
    assert MISSING in err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("verb", sorted(WORKING))
def test_a_pipe_gets_plain_text_and_machines_get_json(capsys, monkeypatch, tmp_path, verb):
    for folder in ("text", "json"):
        (tmp_path / folder).mkdir()
    monkeypatch.chdir(tmp_path / "text")
    status, out, err = run(capsys, verb, *WORKING[verb])
    assert status == 0, err
    assert "\x1b" not in out + err
    assert "\r" not in out + err
    monkeypatch.chdir(tmp_path / "json")
    status, out, err = run(capsys, verb, *WORKING[verb], "--json")
    assert status == 0, err
    json.loads(out)
    assert "\x1b" not in out + err
