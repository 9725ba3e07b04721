"""Where weights come from: a local folder with its tree digest, or a repository at a revision."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from faircall.digest import sha256_json
from faircall.errors import EnvironmentProblem, FileUnreadable
from faircall.generating.backend import AdapterSettings
from faircall.generating.extras import load_library

_COMMIT = re.compile(r"[0-9a-f]{40}\Z")
_REPOSITORY = re.compile(r"[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+)?\Z")
_CHUNK: Final = 1 << 20
# Weights in other formats may be pickles: they are never fetched, so they can never be loaded.
_NEVER_FETCHED: Final = (
    "*.bin",
    "*.pt",
    "*.pth",
    "*.pkl",
    "*.pickle",
    "*.ckpt",
    "*.h5",
    "*.msgpack",
    "*.onnx",
)


@dataclass(frozen=True, slots=True)
class Source:
    """A folder on disk and what is known about where it came from.

    `revision` is what was asked for, `commit` what the hub resolved it to; both are None for a local folder,
    which is identified by `tree_sha256` instead.
    """

    folder: Path
    name: str
    revision: str | None = None
    commit: str | None = None
    tree_sha256: str | None = None

    @property
    def immutable(self) -> bool:
        """Whether the same reference must always mean the same bytes: a tree digest or a full commit."""
        return self.tree_sha256 is not None or bool(self.revision and _COMMIT.match(self.revision))

    @property
    def pin(self) -> str | None:
        """What fixes the bytes best: the tree digest, else the commit, else the revision as asked for."""
        return f"sha256:{self.tree_sha256}" if self.tree_sha256 else self.commit or self.revision

    @property
    def label(self) -> str:
        """One text that identifies the source: `name@pin`."""
        return f"{self.name}@{self.pin or 'unknown'}"

    def to_dict(self) -> dict[str, Any]:
        """The form of `adapter_source` in reports."""
        if self.tree_sha256 is not None:
            return {"kind": "local", "name": self.name, "tree_sha256": self.tree_sha256, "immutable": True}
        return {
            "kind": "repository",
            "name": self.name,
            "revision": self.revision,
            "commit": self.commit,
            "immutable": self.immutable,
        }


def source_name(location: str) -> str:
    """The name that stands in artifacts: a folder's own name (no path of this machine), or the repository."""
    folder = Path(location).expanduser()
    return folder.resolve().name if folder.is_dir() else location


def describe_adapter(adapter: AdapterSettings | None) -> tuple[str, dict[str, Any] | None]:
    """The `source` in an arm's identity and its `adapter_source`, where no weights are loaded here.

    A local folder is hashed; of a repository only what was declared is known.
    """
    if adapter is None:
        return "none", None
    if Path(adapter.location).expanduser().is_dir():
        found = resolve_source(adapter.location)
        return found.label, found.to_dict()
    declared = {
        "kind": "declared",
        "name": adapter.location,
        "revision": adapter.revision,
        "immutable": False,
    }
    return f"{adapter.location}@{adapter.revision or 'unknown'}", declared


def resolve_source(location: str, revision: str | None = None) -> Source:
    """The folder that `location` means; a repository is fetched (or found in the cache) at `revision`.

    Raises:
        FileUnreadable: `location` looks like a path and is not a folder.
        EnvironmentProblem: the repository cannot be had (offline, unknown, no access).
    """
    folder = Path(location).expanduser()
    if folder.is_dir():
        return Source(folder, folder.resolve().name, tree_sha256=tree_digest(folder))
    if not _REPOSITORY.match(location) or location.startswith("."):
        raise FileUnreadable(
            f"{location}: no such folder", hint="give a folder, or a repository id such as owner/name"
        )
    return _fetch(location, revision)


def _fetch(repository: str, revision: str | None) -> Source:
    hub = load_library("huggingface_hub", purpose=f"fetching {repository}")
    try:
        found = Path(
            hub.snapshot_download(repository, revision=revision, ignore_patterns=list(_NEVER_FETCHED))
        )
    except Exception as error:  # the hub library has no common base class over its network and cache errors
        raise EnvironmentProblem(
            f"{repository}: cannot be fetched ({type(error).__name__})",
            hint="check the name, the revision and HF_HUB_OFFLINE, or give a local folder",
        ) from error
    commit = found.name if _COMMIT.match(found.name) else None
    return Source(found, repository, revision=revision, commit=commit)


def tree_digest(folder: Path) -> str:
    """SHA-256 over the sorted relative paths of all files and the SHA-256 of each; no hidden entries."""
    return sha256_json([[name, file_digest(path)] for name, path in sorted(_files(folder))])


def _files(folder: Path) -> Iterator[tuple[str, Path]]:
    for path in folder.rglob("*"):
        relative = path.relative_to(folder)
        if path.is_file() and not any(
            part.startswith(".") or part == "__pycache__" for part in relative.parts
        ):
            yield relative.as_posix(), path


def file_digest(path: Path) -> str:
    """SHA-256 of a file's bytes, read in pieces."""
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while piece := stream.read(_CHUNK):
            digest.update(piece)
    return digest.hexdigest()
