"""`check_backend`: the promises of a backend, and that each broken one is named."""

import pytest
from msgspec.structs import replace

from faircall.digest import sha256_text
from faircall.generating.backend import BACKENDS, BackendRequest, Decoding, ModelSettings
from faircall.generating.replay import open_replay
from faircall.records import Prompt
from faircall.store.atomic import write_json_lines
from faircall.testing import check_backend

PROMPTS = [Prompt(name, "en", None, name, "{}", sha256_text(name), "m", "t", ()) for name in ("a", "b")]


@pytest.fixture
def backend(tmp_path):
    path = tmp_path / "stored.jsonl"
    write_json_lines(path, [{"id": prompt.example_id, "raw_text": "x"} for prompt in PROMPTS])
    return open_replay(BackendRequest(ModelSettings("smol"), Decoding(8), options={"generations": path}))


def test_the_replay_backend_keeps_its_promises(backend):
    check_backend(backend, PROMPTS)


@pytest.mark.hf
def test_the_transformers_backend_keeps_its_promises(tiny):
    request = BackendRequest(ModelSettings(str(tiny)), Decoding(2))
    check_backend(BACKENDS.get("transformers")(request), PROMPTS)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"example_id": "z"}, "names z"),
        ({"language": None}, "language None"),
        ({"prompt_sha256": "0"}, "another prompt digest"),
        ({"decoding": {"temperature": 1.0}}, "decoded otherwise"),
        ({"failure": "timeout"}, "failed answer to a has a text"),
    ],
)
def test_an_answer_that_does_not_belong_to_its_prompt_is_named(backend, monkeypatch, change, words):
    honest = backend.generate
    monkeypatch.setattr(backend, "generate", lambda prompt: replace(honest(prompt), **change))
    with pytest.raises(AssertionError, match=words):
        check_backend(backend, PROMPTS)


@pytest.mark.parametrize("path", ["adapter.source", "backend.version", "decoding.temperature", "model.dtype"])
def test_a_condition_that_is_not_stated_is_named(backend, monkeypatch, path):
    section, name = path.split(".")
    stated = backend.describe()
    monkeypatch.setattr(backend, "describe", lambda: {**stated, section: {**stated[section], name: None}})
    with pytest.raises(AssertionError, match=path):
        check_backend(backend, PROMPTS)


def test_a_description_that_moves_is_no_description(backend, monkeypatch):
    stated, calls = backend.describe(), iter(range(9))
    monkeypatch.setattr(backend, "describe", lambda: {**stated, "source": {"call": next(calls)}})
    with pytest.raises(AssertionError, match="changed while generating"):
        check_backend(backend, PROMPTS)
