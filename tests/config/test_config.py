"""The config: what it accepts, what it refuses, and where it says so."""

import copy
import textwrap

import pytest
import yaml

from faircall.config import Config, load_config, load_resolved, slices_of
from faircall.errors import ArtifactInvalid, ConfigError, EvaluationError, FaircallError, FileUnreadable

BASE = {
    "schema_version": "faircall.config.v1",
    "project": {"name": "demo"},
    "model": {"base_model_id": "models/base"},
    "arms": {"base": {}, "adapter": {"adapter": "adapters/a", "revision": "r1"}},
    "datasets": [
        {"language": "en", "path": "rows.jsonl"},
        {"language": "fr", "path": "rows.fr.jsonl", "paired": True},
    ],
    "data": {"n_test": 5},
    "claims": [{"id": "fr_better", "slice": "fr"}],
}


@pytest.fixture
def write(tmp_path):
    (tmp_path / "rows.jsonl").write_text("{}\n")
    (tmp_path / "rows.fr.jsonl").write_text("{}\n")

    def _write(changes=None, text=None):
        value = copy.deepcopy(BASE)
        for dotted, new in (changes or {}).items():
            *parents, last = dotted.split(".")
            target = value
            for step in parents:
                target = target[int(step)] if isinstance(target, list) else target.setdefault(step, {})
            if isinstance(target, list):
                target[int(last)] = new
            else:
                target[last] = new
        path = tmp_path / "config.yaml"
        path.write_text(textwrap.dedent(text) if text else yaml.safe_dump(value, sort_keys=False))
        return path

    return _write


def test_defaults_are_written_out(write):
    config = load_config(write())
    document = yaml.safe_load(config.to_yaml())
    assert document["config_sha256"] == config.sha256
    assert document["config"]["eval"] == {
        "split": "test", "slices": [], "backend": "transformers", "temperature": 0.0, "do_sample": False,
        "max_new_tokens": 512, "reader": "sommelier.parser.v1", "threads": 1,
    }  # fmt: skip
    assert [file["path"] for file in document["inputs"]] == ["rows.jsonl", "rows.fr.jsonl"]
    assert all(len(file["sha256"]) == 64 and file["bytes"] == 3 for file in document["inputs"])
    assert slices_of(config) == ("en", "fr")
    assert config.reference_language == "en"


def test_relative_paths_start_at_the_folder_of_the_file(write, tmp_path, monkeypatch):
    path = write()
    monkeypatch.chdir("/")
    config = load_config(path)
    assert config.path_of("rows.jsonl") == tmp_path / "rows.jsonl"
    assert "rows.jsonl" in config.to_yaml()
    assert str(tmp_path) not in config.to_yaml()


def test_the_digest_follows_content_not_spelling(write, tmp_path):
    first = load_config(write()).sha256
    assert load_config(write({"project.seed": 42})).sha256 == first
    assert load_config(write({"project.seed": 43})).sha256 != first
    (tmp_path / "rows.jsonl").write_text("{} \n")
    assert load_config(write()).sha256 != first


def test_a_resolved_config_reads_back(write, tmp_path):
    config = load_config(write())
    stored = tmp_path / "config.resolved.yaml"
    stored.write_text(config.to_yaml())
    again = load_resolved(stored)
    assert isinstance(again, Config)
    assert again.resolved() == config.resolved()
    stored.write_text(stored.read_text().replace("n_test: 5", "n_test: 6"))
    with pytest.raises(ArtifactInvalid, match="config_sha256"):
        load_resolved(stored)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("temperature", 0.7), ("temperature", True), ("temperature", False), ("temperature", "0.0"),
        ("temperature", None), ("temperature", 1e-9),
        ("do_sample", True), ("do_sample", 0), ("do_sample", "false"),
        ("max_new_tokens", 0), ("max_new_tokens", -5), ("max_new_tokens", True), ("max_new_tokens", 5.0),
        ("max_new_tokens", "512"),
    ],
)  # fmt: skip
def test_decoding_that_is_not_greedy_is_refused(write, key, value):
    with pytest.raises(EvaluationError, match=rf"config.yaml:\d+: eval\.{key} must be") as caught:
        load_config(write({f"eval.{key}": value}))
    assert caught.value.exit_status == 4


@pytest.mark.parametrize("zero", [0, 0.0, -0.0])
def test_zero_has_one_spelling(write, zero):
    config = load_config(write({"eval.temperature": zero}))
    assert config.sha256 == load_config(write()).sha256


REFUSED = [
    ({"eval.max_tokens": 5}, r"eval\.max_tokens is not a key", "max_new_tokens"),
    ({"evall": {}}, r"evall is not a key", "'eval'"),
    ({"arms.base": {"adaptor": "x"}}, r"arms\.base\.adaptor is not a key", "'adapter'"),
    ({"datasets.0": {"language": "en", "pth": "x"}}, r"datasets\[0\]\.", ""),
    ({"project.seed": "42"}, r"project\.seed is refused.*integer", ""),
    ({"project.seed": True}, r"project\.seed is refused.*integer", ""),
    ({"datasets.0.language": False}, r"datasets\[0\]\.language must be text, not False", "quotes"),
    ({"project": {}}, r"project\.name is missing", ""),
    ({"eval.slices": "en"}, r"eval\.slices must be a list, not 'en'", "single value"),
    ({"schema_version": "faircall.config.v9"}, r"schema_version is refused", ""),
    ({"model.dtype": "float8"}, r"model\.dtype is refused", ""),
    ({"model.quantization": "int3"}, r"model\.quantization is refused", ""),
    ({"eval.slices": ["en", "de"]}, r"eval\.slices\[1\] names 'de'", "en, fr"),
    ({"eval.slices": ["en", "en"]}, r"eval\.slices names a slice twice", ""),
    ({"claims.0.slice": "de"}, r"claims\[0\]\.slice names 'de'", "overall, en, fr"),
    ({"claims.0.metric": "accuracy"}, r"claims\[0\]\.metric is refused.*argument_f1", ""),
    ({"claims.0.kind": "non_inferiority"}, r"claims\[0\] is a claim of non_inferiority.*margin", ""),
    ({"claims.0.margin": 1.5}, r"claims\[0\]\.margin is refused", ""),
    ({"claims.0.margin": 0.02}, r"claims\[0\]\.margin has no meaning for superiority", "leave it out"),
    ({"claims.0.candidate": "other"}, r"claims\[0\]\.candidate names 'other'", "base, adapter"),
    ({"datasets.1.paired": False}, r"exactly one root dataset.*not 2", "paired"),
    ({"datasets.0.paired": True}, r"exactly one root dataset.*not 0", "paired"),
    ({"datasets.1.language": "en"}, r"datasets\[1\]\.language repeats 'en'", ""),
    ({"datasets.1.path": "nowhere.jsonl"}, r"datasets\[1\]\.path names a file", "relative paths"),
    ({"formatting.chat_template_from": "t.jinja"}, r"chat_template_from names a file", ""),
    ({"formatting.chat_template_kwargs": {"tools": []}}, r"chat_template_kwargs\.tools is set by", ""),
    ({"data.n_test": 0}, r"data\.n_test is 0, but eval\.split is 'test'", ""),
    ({"data.n_test": -1}, r"data\.n_test is refused", ""),
    ({"data.max_query_chars": 3}, r"data\.max_query_chars is smaller", ""),
    ({"arms": {"base": {"revision": "x"}}}, r"arms\.base\.revision is given without an adapter", ""),
    ({"arms": {"../x": {}}}, r"arms\.\.\./x may hold letters", ""),
    ({"experiment": {"arms": ["base", "x"]}}, r"experiment\.arms\[1\] names 'x'", "base, adapter"),
    ({"experiment": {"arms": ["base", "base"]}}, r"experiment\.arms\[1\] repeats 'base'", ""),
    ({"experiment": {"arms": ["adapter"]}}, r"experiment compares at least two arms", ""),
    ({"experiment": {"pairs": [["base", "x"]]}}, r"experiment\.pairs\[0\] names 'x'", "base, adapter"),
    ({"experiment": {"pairs": [["base", "base"]]}}, r"experiment\.pairs\[0\] pairs 'base' with", ""),
    ({"experiment": {"pairs": [["base", "adapter"], ["base", "adapter"]]}}, r"pairs\[1\] repeats base", ""),
    ({"experiment": {"pairs": [["base"]]}}, r"experiment\.pairs\[0\]", ""),
    ({"claims": [{"id": "a", "candidate": "base"}]}, r"claims\[0\] is about no pair", "name its baseline"),
    ({"experiment": {"pairs": [["adapter", "base"]]}}, r"claims\[0\] is about no pair", "experiment.pairs"),
    ({"project.name": "a/b"}, r"project\.name may hold letters", ""),
]


@pytest.mark.parametrize(("changes", "message", "hint"), REFUSED, ids=[str(case[0]) for case in REFUSED])
def test_problems_name_the_key_and_the_line(write, changes, message, hint):
    with pytest.raises(ConfigError, match=message) as caught:
        load_config(write(changes))
    assert "config.yaml:" in caught.value.message
    assert hint in caught.value.hint
    assert "\n" not in caught.value.message


def test_the_line_is_the_line_of_the_key(write):
    path = write({"eval.threads": 0})
    line = 1 + [text.strip() for text in path.read_text().splitlines()].index("threads: 0")
    with pytest.raises(ConfigError, match=rf"config\.yaml:{line}: eval\.threads"):
        load_config(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: [1, 2", r"config\.yaml:1: not valid YAML"),
        ("a: 1\nb: 2\na: 3\n", r"config\.yaml:3: the key 'a' stands on line 1"),
        ("a: &x 1\nb: *x\n", r"config\.yaml:1: anchors"),
        ("no: 1\n", r"config\.yaml:1: a key is not text"),
        ("<<: {a: 1}\n", r"config\.yaml:1: not a value.*merge"),
        ("[" * 40 + "]" * 40, r"nested more than 32"),
        ("- 1\n", r"a config is a mapping"),
        ("a: 2024-99-99\n", r"config\.yaml:1: not a value"),
        ("a: !!python/object:os.system x\n", r"config\.yaml:1: not a value"),
        ("\x00", r"not valid YAML"),
    ],
)
def test_yaml_that_is_not_a_config(write, text, message):
    with pytest.raises(ConfigError, match=message):
        load_config(write(text=text))


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("formatting.system_prompt", "use sk-abcdefghijklmnopqrst please"),
        ("model.base_model_id", "https://user:hunter2@host/x"),
        ("formatting.chat_template_kwargs", {"api_key": "anything"}),
        ("project.hub_token", "hf_ABCDEFGHIJKLMNOPQRSTUV"),
    ],
)
def test_credentials_are_refused_and_not_repeated(write, key, value):
    with pytest.raises(ConfigError, match="looks like a credential") as caught:
        load_config(write({key: value}))
    assert key in caught.value.message
    assert "hunter2" not in str(caught.value)
    assert "sk-abc" not in str(caught.value)


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(FileUnreadable, match="cannot be read"):
        load_config(tmp_path / "none.yaml")
    with pytest.raises(FileUnreadable, match="cannot be read"):
        load_config(tmp_path)
    (tmp_path / "latin.yaml").write_bytes(b"a: \xe9")
    with pytest.raises(FaircallError, match="not UTF-8"):
        load_config(tmp_path / "latin.yaml")
