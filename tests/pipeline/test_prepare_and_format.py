"""The stages `data` and `format` on files: what they write and refuse, and that a failure leaves nothing."""

import errno
import json
import shutil

import pytest
import yaml

from faircall.cli import main
from faircall.config import load_config
from faircall.digest import sha256_text
from faircall.errors import (
    ConfigError,
    DataError,
    DuplicateId,
    FileUnreadable,
    InvariantViolation,
    ResourceExhausted,
    RowInvalid,
    UsageError,
)  # fmt: skip
from faircall.pipeline.examples import read_examples
from faircall.pipeline.format import build_prompts
from faircall.pipeline.prepare import prepare_data
from faircall.pipeline.tokenizer_files import read_tokenizer_files
from faircall.store import atomic
from faircall.store.files import read_json, read_json_lines
from faircall.store.manifest import read_index, read_stage_manifest
from faircall.store.verification import verify

TEMPLATE = (
    "{% for m in messages %}<{{ m.role }}>{{ m.content }}{{ eos_token }}{% endfor %}"
    "{% if add_generation_prompt %}<assistant>{% endif %}"
)
TOOLS = [{"name": "wx", "parameters": {}}, {"name": "book", "parameters": {}}]


def row(number, **more):
    call = {"name": TOOLS[number % 2]["name"], "arguments": {"n": number}}
    return {
        "id": f"r{number}",
        "query": f"request number {number}",
        "tools": TOOLS,
        "answers": [call],
        **more,
    }


def french(number):
    return row(number, id=f"f{number}", query=f"demande {number}, merci", source_example_id=f"r{number}")


def write_rows(path, rows):
    path.write_text("".join(json.dumps(one) + "\n" for one in rows))


def write_tokenizer(folder, *, template=TEMPLATE, **config):
    folder.mkdir(parents=True, exist_ok=True)
    if template is not None:
        config["chat_template"] = template
    (folder / "tokenizer_config.json").write_text(json.dumps({"eos_token": "<e>", **config}))


@pytest.fixture
def project(tmp_path):
    """A folder with rows in two languages, a tokenizer and a config; returns how to write the config."""
    write_rows(tmp_path / "rows.jsonl", [row(n) for n in range(12)])
    write_rows(tmp_path / "rows.fr.jsonl", [french(n) for n in range(12)])
    write_tokenizer(tmp_path / "base")

    def write(**sections):
        value = {
            "schema_version": "faircall.config.v1",
            "project": {"name": "t"},
            "model": {"base_model_id": "base"},
            "arms": {"base": {}, "tuned": {"adapter": "adapter"}},
            "datasets": [
                {"language": "en", "path": "rows.jsonl"},
                {"language": "fr", "path": "rows.fr.jsonl", "paired": True},
            ],
            "data": {"n_test": 4, "n_train": 3, "n_validation": 2},
            "formatting": {"system_prompt": "{tools}"},
        }
        for name, section in sections.items():
            value[name] = {**value.get(name, {}), **section} if isinstance(section, dict) else section
        (tmp_path / "c.yaml").write_text(yaml.safe_dump(value))
        return tmp_path / "c.yaml"

    return write


def rows_of(path):
    return [line.value for line in read_json_lines(path, empty_ok=True)]


def test_the_two_stages_write_what_the_contract_lists(project):
    config = load_config(project())
    run = build_prompts(config, run=prepare_data(config, run_id="r"))
    assert run.path == config.folder / "artifacts" / "runs" / "r"
    written = sorted(run.relative(path) for path in run.path.rglob("*") if path.is_file())
    splits = ("test", "train", "validation")
    assert written == [
        "config.resolved.yaml", "data/drop_summary.json", *(f"data/{split}.jsonl" for split in splits),
        "data_manifest.json", "format_manifest.json", *(f"formatted/{split}.jsonl" for split in splits),
        "manifest.json",
    ]  # fmt: skip
    assert verify(run).mismatches == ()
    assert list(read_index(run)["stages"]) == ["data", "format"]
    manifest = read_stage_manifest(run, "data")
    assert [entry["path"] for entry in manifest["external_inputs"]] == ["rows.jsonl", "rows.fr.jsonl"]
    assert manifest["facts"]["examples"] == {"test": 8, "train": 6, "validation": 4}


def test_formatted_rows_hold_the_stored_prompt(project):
    config = load_config(project())
    run = build_prompts(config, run=prepare_data(config))
    test = rows_of(run.formatted_file("test"))
    assert [one["language"] for one in test] == ["en"] * 4 + ["fr"] * 4
    for one in test:
        assert one.keys() == {
            "schema_version", "example_id", "language", "source_example_id", "prompt_text", "target_text",
            "prompt_sha256", "messages_sha256", "tools_sha256", "tools",
        }  # fmt: skip
        assert one["prompt_sha256"] == sha256_text(one["prompt_text"])
        assert one["prompt_text"].startswith('<system>{"name":"wx"')
        assert one["prompt_text"].endswith("<e><assistant>")
    train = rows_of(run.formatted_file("train"))
    assert all(
        one["prompt"] == one["prompt_text"] and one["completion"] == one["target_text"] for one in train
    )


def test_the_same_config_gives_the_same_bytes(project):
    config = load_config(project())
    one, other = (build_prompts(config, run=prepare_data(config, run_id=name)) for name in ("a", "b"))
    for path in one.path.rglob("*.jsonl"):
        assert path.read_bytes() == (other.path / one.relative(path)).read_bytes()


def test_examples_read_back_as_they_were(project):
    config = load_config(project())
    run = prepare_data(config)
    for example in read_examples(run.data_file("test")):
        number = int(example.example_id[1:])
        assert example.gold.to_dict() == row(number)["answers"][0]
        assert example.root == f"r{number}"
        assert list(example.tools) == TOOLS


def nothing_written(config):
    return not (config.folder / "artifacts").exists()


@pytest.mark.parametrize(
    ("spoil", "error", "message"),
    [
        (
            lambda folder: (folder / "rows.jsonl").write_text('{"id": 1}\n{"id": \n'),
            RowInvalid,
            r"rows\.jsonl:2",
        ),
        (lambda folder: (folder / "rows.jsonl").write_text(""), FileUnreadable, "holds no rows"),
        (lambda folder: (folder / "rows.jsonl").write_bytes(b'{"id":"\xe9"}'), RowInvalid, "not UTF-8"),
        (
            lambda folder: write_rows(folder / "rows.jsonl", [row(1), row(1)]),
            DuplicateId,
            "line 1 and .* line 2",
        ),
        (
            lambda folder: write_rows(folder / "rows.jsonl", [row(1)]),
            DataError,
            "1 usable examples of 1, 9 needed",
        ),
        (
            lambda folder: write_rows(folder / "rows.fr.jsonl", [french(99)]),
            DataError,
            "slice 'fr' has no test rows",
        ),
    ],
)
def test_nothing_is_written_before_everything_fits(project, spoil, error, message):
    path = project()
    spoil(path.parent)
    config = load_config(path)
    with pytest.raises(error, match=message):
        prepare_data(config)
    assert nothing_written(config)


def test_a_run_id_is_used_once(project):
    config = load_config(project())
    prepare_data(config, run_id="r")
    with pytest.raises(UsageError, match="exists already"):
        prepare_data(config, run_id="r")
    with pytest.raises(UsageError, match="cannot be the name"):
        prepare_data(config, run_id="../r")


@pytest.mark.parametrize(
    ("code", "error"),
    [(errno.ENOSPC, ResourceExhausted), (errno.EROFS, FileUnreadable), (errno.EACCES, FileUnreadable)],
)
def test_a_full_disk_or_read_only_folder_leaves_no_half_file(project, monkeypatch, code, error):
    config = load_config(project())
    run = prepare_data(config, run_id="r")
    before = sorted(run.path.rglob("*"))
    calls = []

    def failing(path, mode):
        calls.append(mode)
        if mode == "xb" and calls.count("xb") == 3:
            raise OSError(code, "no")
        return open(path, mode)

    monkeypatch.setattr(atomic, "open", failing, raising=False)
    with pytest.raises(error):
        build_prompts(config, run=run)
    assert [path for path in sorted(run.path.rglob("*")) if path.is_file()] == [
        p for p in before if p.is_file()
    ]
    assert list(read_index(run)["stages"]) == ["data"]


def test_an_interrupt_leaves_no_half_file(project, monkeypatch):
    config = load_config(project())
    run = prepare_data(config, run_id="r")

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("faircall.pipeline.format.training_fields", interrupted)
    assert main(["format", "build", "-c", str(config.folder / "c.yaml")]) == 130
    assert not [path for path in (run.path / "formatted").rglob("*") if path.is_file()]
    assert verify(run).mismatches == ()


def test_altered_data_are_not_formatted(project):
    config = load_config(project())
    run = prepare_data(config)
    path = run.data_file("test")
    path.write_bytes(path.read_bytes().replace(b"request number", b"request_number", 1))
    with pytest.raises(InvariantViolation, match=r"data/test\.jsonl"):
        build_prompts(config, run=run)


def test_the_template_may_come_from_a_file_or_an_adapter(project):
    path = project()
    folder = path.parent
    (folder / "t.jinja").write_text("FILE {{ messages[0].content }}{{ eos_token }}")
    write_tokenizer(folder / "adapter", template=None)
    (folder / "adapter" / "chat_template.jinja").write_text("ADAPTER {{ messages[0].content }}")
    for source, start in (("base", "<system>"), ("t.jinja", "FILE "), ("tuned", "ADAPTER ")):
        config = load_config(project(formatting={"chat_template_from": source}))
        run = build_prompts(config, run=prepare_data(config))
        prompts = [one["prompt_text"] for one in rows_of(run.formatted_file("test"))]
        assert all(text.startswith(start) for text in prompts), source
        assert len(read_stage_manifest(run, "format")["facts"]["template_sha256"]) == 64


def test_a_model_without_template_needs_a_file(project):
    path = project()
    write_tokenizer(path.parent / "base", template=None)
    config = load_config(path)
    with pytest.raises(ConfigError, match="no chat template"):
        build_prompts(config, run=prepare_data(config))
    shutil.rmtree(path.parent / "base")
    (path.parent / "base").mkdir()
    with pytest.raises(FileUnreadable, match=r"no tokenizer_config\.json"):
        build_prompts(config, run=prepare_data(config))


def processor(*names):
    single = [{"SpecialToken": {"id": name, "type_id": 0}} for name in names] + [{"Sequence": {"id": "A"}}]
    return {"type": "TemplateProcessing", "single": single}


@pytest.mark.parametrize(
    ("config", "post_processor", "expected"),
    [
        ({"bos_token": "<s>", "add_bos_token": True}, None, True),
        ({"bos_token": "<s>", "add_bos_token": False}, processor("<s>"), False),
        ({"bos_token": {"content": "<s>", "lstrip": False}}, processor("<s>"), True),
        (
            {"bos_token": "<s>"},
            {"type": "Sequence", "processors": [{"type": "ByteLevel"}, processor("<s>")]},
            True,
        ),
        ({"bos_token": "<s>"}, processor(), False),
        ({"bos_token": "<s>"}, processor("<other>"), False),
        ({"bos_token": "<s>"}, None, False),
        ({"bos_token": None, "add_bos_token": True}, None, False),
        ({}, processor("<s>"), False),
    ],
)
def test_whether_a_tokenizer_adds_a_bos(tmp_path, config, post_processor, expected):
    write_tokenizer(tmp_path, **config)
    (tmp_path / "tokenizer.json").write_text(json.dumps({"post_processor": post_processor}))
    facts = read_tokenizer_files(tmp_path)
    assert facts.adds_bos is expected
    assert facts.special_tokens.get("bos_token") == ("<s>" if config.get("bos_token") else None)
    assert facts.special_tokens["eos_token"] == "<e>"


def test_named_templates_prefer_the_one_for_tools(tmp_path):
    named = [{"name": "default", "template": "D"}, {"name": "tool_use", "template": "T"}]
    write_tokenizer(tmp_path, template=named)
    assert read_tokenizer_files(tmp_path).template == "T"
    write_tokenizer(tmp_path, template=named[:1])
    assert read_tokenizer_files(tmp_path).template == "D"
    (tmp_path / "chat_template.jinja").write_text("F")
    assert read_tokenizer_files(tmp_path).template == "F"


def test_conversations_go_through_both_stages(project):
    path = project()
    messages = [
        {"role": "user", "content": "Rain in Graz today?"},
        {"role": "assistant", "tool_calls": [{"function": {"name": "wx", "arguments": '{"city": "Graz"}'}}]},
        {"role": "tool", "content": "none"},
        {"role": "user", "content": "Then book me a table."},
        {"role": "assistant", "tool_calls": [{"function": {"name": "book", "arguments": "{}"}}]},
    ]
    write_rows(path.parent / "rows.jsonl", [{"id": "c", "messages": messages, "tools": TOOLS}])
    datasets = [{"language": "en", "path": "rows.jsonl"}]
    counts = {"n_test": 2, "n_train": 0, "n_validation": 0}
    config = load_config(project(datasets=datasets, data=counts))
    run = build_prompts(config, run=prepare_data(config))
    first, second = rows_of(run.formatted_file("test"))
    assert (first["example_id"], second["example_id"]) == ("c:1", "c:2")
    assert first["prompt_text"].endswith("<user>Rain in Graz today?<e><assistant>")
    assert second["prompt_text"].endswith("<tool>none<e><user>Then book me a table.<e><assistant>")
    assert second["target_text"] == '{"arguments":{},"name":"book"}'
    assert read_json(run.drop_summary_file)["kept"] == 2
