"""init, config, data, format and verify, as a user types them."""

import json

import pytest

from faircall.cli import main
from faircall.cli.init import EXAMPLE_FILES, example_bytes
from faircall.config import load_config
from faircall.store.layout import list_runs


@pytest.fixture
def example(tmp_path, capsys):
    """What `faircall init` writes, with a tokenizer where the config expects one."""
    assert main(["init", str(tmp_path)]) == 0
    (tmp_path / "models/base").mkdir(parents=True)
    tokenizer = {"chat_template": "{% for m in messages %}[{{ m.role }}]{{ m.content }}{% endfor %}[answer]"}
    (tmp_path / "models/base/tokenizer_config.json").write_text(json.dumps(tokenizer))
    capsys.readouterr()
    return tmp_path / "faircall.yaml"


def test_init_writes_files_that_validate_and_overwrites_none(tmp_path, capsys):
    assert main(["init", str(tmp_path / "new")]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == f"wrote {tmp_path / 'new' / 'faircall.yaml'}"
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == sorted(EXAMPLE_FILES)
    (tmp_path / "new" / "faircall.yaml").write_text("mine")
    assert main(["init", str(tmp_path / "new")]) == 2
    assert "exists and is left as it is" in capsys.readouterr().err
    assert (tmp_path / "new" / "faircall.yaml").read_text() == "mine"


def test_the_example_shows_every_key_with_its_default(example):
    config = load_config(example)
    own = {"base_model_id", "name", "n_test", "system_prompt", "slices"}
    for name in ("project", "model", "data", "formatting", "eval"):
        shown = getattr(config, name)
        for key, field in type(shown).model_fields.items():
            assert key in shown.model_fields_set, key
            if key not in own:
                assert getattr(shown, key) == field.get_default(call_default_factory=True), key
    assert config.arms["adapter"].model_fields_set == {"adapter", "revision", "replay"}


def test_config_validate_prints_the_resolved_form(example, capsys):
    assert main(["config", "validate", "-c", str(example)]) == 0
    out = capsys.readouterr().out
    assert "config_sha256:" in out
    assert out.splitlines()[-1] == f"valid: {example}"
    assert main(["config", "validate", "-c", str(example), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["config"]["data"]["n_test"] == 4


def test_a_mistyped_key_names_file_line_and_the_right_word(example, capsys):
    example.write_text(example.read_text().replace("n_test: 4", "n_tests: 4"))
    line = 1 + [text.split(":")[0].strip() for text in example.read_text().splitlines()].index("n_tests")
    assert main(["config", "validate", "-c", str(example)]) == 2
    error = capsys.readouterr().err.splitlines()
    assert error[0].startswith(f"faircall: CONFIG: {example}:{line}: data.n_tests is not a key")
    assert error[1] == "hint: did you mean 'n_test'?"


def test_sampling_is_refused_with_status_four(example, capsys):
    example.write_text(example.read_text().replace("temperature: 0.0", "temperature: 0.7"))
    assert main(["config", "validate", "-c", str(example)]) == 4
    assert "eval.temperature must be exactly 0.0, not 0.7" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["reader", "backend"])
def test_config_validate_knows_the_readers_and_backends(example, capsys, name):
    lines = example.read_text().splitlines(keepends=True)
    example.write_text("".join(f"  {name}: nobody\n" if f"{name}:" in line else line for line in lines))
    assert main(["config", "validate", "-c", str(example)]) == 2
    assert "'nobody'" in capsys.readouterr().err


def test_prepare_format_verify(example, capsys):
    assert main(["data", "prepare", "-c", str(example)]) == 0
    lines = capsys.readouterr().out.splitlines()
    (run,) = list_runs(example.parent / "artifacts")
    assert lines == [
        "en: 4 seen, 4 kept (test 4)", "fr: 4 seen, 4 kept (test 4)", f"wrote {run.path}",
    ]  # fmt: skip
    assert main(["format", "build", "-c", str(example)]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == f"wrote {run.path / 'formatted'}"
    assert main(["verify", str(run.path)]) == 0
    assert "11 files as written" in capsys.readouterr().out


def test_format_says_that_the_server_renders(example, capsys):
    text = example.read_text()
    example.write_text(text.replace("tokenizer_chat_template", "server_chat_template"))
    assert main(["data", "prepare", "-c", str(example)]) == 0
    capsys.readouterr()
    assert main(["format", "build", "-c", str(example)]) == 0
    first, last = capsys.readouterr().out.splitlines()
    assert first == "messages and tools as JSON: the server renders them with its own chat template"
    assert last.startswith("wrote ")


def test_verify_finds_one_changed_letter(example, capsys):
    main(["data", "prepare", "-c", str(example), "--run-id", "r"])
    run = example.parent / "artifacts/runs/r"
    path = run / "data/test.jsonl"
    path.write_bytes(path.read_bytes().replace(b"Graz", b"Gras", 1))
    (run / "stray.txt").write_text("x")
    capsys.readouterr()
    assert main(["verify", str(run), "--json"]) == 1
    captured = capsys.readouterr()
    assert json.loads(captured.out)["mismatches"] == [
        {"path": "data/test.jsonl", "problem": "was changed after it was written"},
        {"path": "stray.txt", "problem": "belongs to no finished stage"},
    ]
    assert captured.err.startswith("faircall: VERIFY_MISMATCH:")
    assert "2 files of 7" in captured.err


def test_dropped_rows_are_counted_by_reason(example, capsys):
    rows = example.parent / "rows.en.jsonl"
    bad = '{"id": "bad", "query": "a request for it", "answers": "[{"}\n'
    rows.write_text(bad + rows.read_text())
    assert main(["data", "prepare", "-c", str(example), "--json"]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert summary["datasets"][0]["rows"] == [
        {"file": "rows.en.jsonl", "line": 1, "id": "bad", "reason": "answers is not valid JSON"}
    ]
    assert main(["data", "prepare", "-c", str(example)]) == 0
    assert "    1 dropped: answers is not valid JSON" in capsys.readouterr().out.splitlines()


def test_a_changed_config_means_another_run(example, capsys):
    main(["data", "prepare", "-c", str(example), "--run-id", "r"])
    example.write_text(example.read_text().replace("seed: 42", "seed: 43"))
    capsys.readouterr()
    for arguments in ([], ["--run-id", "r"]):
        assert main(["format", "build", "-c", str(example), *arguments]) == 2
        assert "config" in capsys.readouterr().err


def test_format_before_prepare_says_what_to_run(example, capsys):
    assert main(["format", "build", "-c", str(example)]) == 2
    assert "faircall data prepare" in capsys.readouterr().err


@pytest.mark.parametrize("path", ["", "rows.en.jsonl"])
def test_verify_wants_a_run(example, capsys, path):
    assert main(["verify", str(example.parent / path)]) == 2
    assert "is not a run folder" in capsys.readouterr().err


def test_example_files_ship_with_the_package():
    for name in EXAMPLE_FILES:
        assert example_bytes(name)
