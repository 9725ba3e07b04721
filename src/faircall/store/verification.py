"""Whether a run still is what its stages wrote."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from faircall.errors import FaircallError
from faircall.store.fingerprints import Mismatch, check_entries
from faircall.store.layout import RunFolder
from faircall.store.manifest import manifest_digest, read_index, read_stage_manifest


@dataclass(frozen=True, slots=True)
class Verification:
    """The outcome: files looked at, every mismatch by path, and the digest of `manifest.json`."""

    files: int
    mismatches: tuple[Mismatch, ...]
    manifest_sha256: str


def verify(run: RunFolder) -> Verification:
    """Hash every file of a run again and compare with the manifests; what is wrong is reported, not raised.

    A changed, missing or unexpected file, a symlink and a file of a stage that did not finish are mismatches.
    """
    try:
        index = read_index(run)
    except FaircallError as fault:
        return Verification(1, (Mismatch("manifest.json", f"cannot be trusted: {fault.message}"),), "")
    entries: list[Mapping[str, Any]] = [index["config"], *index["stages"].values()]
    found = list(check_entries(run, entries))
    for stage in index["stages"]:
        if run.stage_manifest_file(stage).name not in {one.path for one in found}:
            outputs = read_stage_manifest(run, stage)["outputs"]
            entries.extend(outputs)
            found.extend(check_entries(run, outputs))
    known = {"manifest.json", *(entry["path"] for entry in entries)}
    found.extend(_unexpected(run, known))
    return Verification(len(known), tuple(sorted(found, key=lambda one: one.path)), manifest_digest(run))


def _unexpected(run: RunFolder, known: set[str]) -> Iterator[Mismatch]:
    for folder, folders, files in os.walk(run.path, followlinks=False):
        for path in (Path(folder) / name for name in [*folders, *files]):
            relative = run.relative(path)
            if relative in known:
                continue
            if path.is_symlink():
                yield Mismatch(relative, "is a symlink")
            elif not path.is_dir():
                yield Mismatch(relative, "belongs to no finished stage")
