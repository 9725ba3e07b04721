"""Where weights come from: local folders by content, repositories by commit."""

import types

import pytest

from faircall.errors import EnvironmentProblem, FileUnreadable
from faircall.generating import sources
from faircall.generating.sources import resolve_source, tree_digest

COMMIT = "0123456789abcdef0123456789abcdef01234567"


def tree(folder, files):
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return folder


def test_the_tree_digest_sees_names_and_bytes_and_nothing_else(tmp_path):
    files = {"a": b"1", "sub/b": b"2"}
    one = tree_digest(tree(tmp_path / "one", files))
    assert one == tree_digest(tree(tmp_path / "two", dict(reversed(files.items()))))
    assert one == tree_digest(tree(tmp_path / "two", {".cache/x": b"3", "sub/.lock": b""}))
    assert one != tree_digest(tree(tmp_path / "three", {"a": b"1", "sub/c": b"2"}))
    assert one != tree_digest(tree(tmp_path / "four", {"a": b"1", "sub/b": b"3"}))


def test_a_local_folder_is_immutable_by_its_digest(tmp_path):
    source = resolve_source(str(tree(tmp_path / "lora", {"w": b"1"})))
    assert source.to_dict() == {
        "kind": "local", "name": "lora", "tree_sha256": source.tree_sha256, "immutable": True,
    }  # fmt: skip


@pytest.fixture
def hub(monkeypatch, tmp_path):
    """A hub that answers every request with one snapshot, and remembers the request."""
    asked = []

    def snapshot_download(repository, *, revision, ignore_patterns):
        asked.append((repository, revision, ignore_patterns))
        folder = tmp_path / "snapshots" / COMMIT
        folder.mkdir(parents=True, exist_ok=True)
        return str(folder)

    library = types.SimpleNamespace(snapshot_download=snapshot_download)
    monkeypatch.setattr(sources, "load_library", lambda name, purpose: library)
    return asked


def test_a_branch_is_not_immutable_but_its_commit_is_known(hub):
    source = resolve_source("owner/name", "main")
    assert (source.immutable, source.commit, source.pin) == (False, COMMIT, COMMIT)


def test_a_full_commit_is_immutable_and_pickles_are_never_fetched(hub):
    assert resolve_source("owner/name", COMMIT).immutable is True
    assert "*.bin" in hub[0][2]
    assert "*.pt" in hub[0][2]


def test_a_path_that_is_not_there_never_reaches_the_hub(hub):
    for location in ("./lora", "/tmp/not-here", "~/not-here", "a/b/c", "../lora"):
        with pytest.raises(FileUnreadable, match="no such folder"):
            resolve_source(location)
    assert hub == []


def test_a_repository_that_cannot_be_had_is_the_environments_fault(monkeypatch):
    def offline(*_args, **_kwargs):
        raise ConnectionError("offline")

    library = types.SimpleNamespace(snapshot_download=offline)
    monkeypatch.setattr(sources, "load_library", lambda name, purpose: library)
    with pytest.raises(EnvironmentProblem, match=r"owner/name: cannot be fetched \(ConnectionError\)"):
        resolve_source("owner/name", "main")
