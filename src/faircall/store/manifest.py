"""Manifests: what each stage read and wrote, and whether it still is what it was.

    manifest.json --> <stage>_manifest.json --> every file of the run
      (digest of itself)   (digest in the index)     (digest in its stage)

A stage writes its manifest last, so a stage without one did not finish. A flipped bit anywhere breaks a
digest; `manifest.json` carries its own. This finds damage and careless edits; to find forgery, keep
the digest of `manifest.json` elsewhere.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from faircall.digest import sha256_bytes, sha256_json
from faircall.errors import ArtifactInvalid, InvariantViolation, UsageError
from faircall.store.atomic import write_bytes_atomically, write_json
from faircall.store.files import read_json
from faircall.store.fingerprints import check_entries, record_file
from faircall.store.layout import RunFolder

INDEX_VERSION: Final = "faircall.manifest.v1"
STAGE_VERSION: Final = "faircall.stage_manifest.v1"

_INDEX_KEYS: Final = {"run_id", "config_sha256", "config", "stages"}


# --- Writing


def start_run(run: RunFolder, *, config_yaml: str, config_sha256: str) -> None:
    """Create the folder of a run with its resolved config and an index without stages.

    Raises:
        UsageError: a run of this id exists already and has finished a stage, or has another config.
    """
    if run.manifest_file.is_file():
        index = read_index(run)
        if index["stages"] or index["config_sha256"] != config_sha256:
            hint = "give another --run-id, or none"
            raise UsageError(f"the run {run.run_id} exists already", hint=hint)
    write_bytes_atomically(run.config_file, config_yaml.encode("ascii"))
    _write_index(run, {"run_id": run.run_id, "config_sha256": config_sha256, "stages": {}})


def write_stage_manifest(
    run: RunFolder,
    stage: str,
    *,
    outputs: Iterable[Path],
    inputs: Iterable[Path] = (),
    external_inputs: Iterable[Mapping[str, Any]] = (),
    facts: Mapping[str, Any] | None = None,
) -> None:
    """Record a finished stage and enter it in the index. Call it last: it is what makes a stage count.

    Args:
        run: the run.
        stage: data, format, eval-<arm> or report; an earlier manifest of the stage is replaced.
        outputs: the files that the stage wrote.
        inputs: the files of the run that it read.
        external_inputs: `{"path" or "name", "sha256", "bytes"}` of what it read elsewhere.
        facts: anything else that is known about the stage, as JSON.
    """
    with _locked(run):
        index = read_index(run)
        manifest = {
            "schema_version": STAGE_VERSION,
            "run_id": run.run_id,
            "stage": stage,
            "config_sha256": index["config_sha256"],
            "inputs": _records(run, inputs),
            "external_inputs": [dict(entry) for entry in external_inputs],
            "outputs": _records(run, outputs),
            "facts": dict(facts or {}),
        }
        path = run.stage_manifest_file(stage)
        write_json(path, manifest)
        stages = {**index["stages"], stage: record_file(run, path).to_dict()}
        _write_index(run, {**_body(index), "stages": stages})


def _records(run: RunFolder, paths: Iterable[Path]) -> list[dict[str, Any]]:
    records = [record_file(run, path) for path in paths]
    return [record.to_dict() for record in sorted(records, key=lambda record: record.path)]


def _body(index: Mapping[str, Any]) -> dict[str, Any]:
    return {key: index[key] for key in ("run_id", "config_sha256", "stages")}


def _write_index(run: RunFolder, body: Mapping[str, Any]) -> None:
    config = record_file(run, run.config_file).to_dict()
    index = {"schema_version": INDEX_VERSION, **body, "config": config}
    write_bytes_atomically(run.manifest_file, _index_bytes(index))


def _index_bytes(index: Mapping[str, Any]) -> bytes:
    """The one spelling of an index, its own digest included."""
    body = {key: value for key, value in index.items() if key != "manifest_sha256"}
    signed = {**body, "manifest_sha256": sha256_json(body)}
    return f"{json.dumps(signed, sort_keys=True, indent=2)}\n".encode("ascii")


@contextlib.contextmanager
def _locked(run: RunFolder) -> Iterator[None]:
    """Two arms may finish at the same moment; the second waits for the first to enter itself."""
    descriptor = os.open(run.path, os.O_RDONLY)
    try:
        _lock(descriptor)
        yield
    finally:
        os.close(descriptor)


def _lock(descriptor: int) -> None:
    with contextlib.suppress(ImportError):  # not on every platform; there, arms finish one after the other
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX)


# --- Reading


def read_index(run: RunFolder) -> dict[str, Any]:
    """The index of a run, checked against its own digest.

    Raises:
        ArtifactInvalid: it is missing, of another version, or altered.
    """
    index = read_json(run.manifest_file)
    if not isinstance(index, dict) or index.get("schema_version") != INDEX_VERSION:
        raise ArtifactInvalid(f"{run.manifest_file}: not an index of version {INDEX_VERSION}")
    if run.manifest_file.read_bytes() != _index_bytes(index) or not index.keys() >= _INDEX_KEYS:
        raise ArtifactInvalid(f"{run.manifest_file}: its content does not match its own digest")
    return index


def stage_is_done(run: RunFolder, stage: str) -> bool:
    """Whether a stage finished in this run."""
    return stage in read_index(run)["stages"]


def require_stage(run: RunFolder, stage: str, *, hint: str = "") -> dict[str, Any]:
    """The manifest of a finished stage whose files are untouched.

    Raises:
        UsageError: the stage did not finish; `hint` says what to run.
        InvariantViolation: a file of the stage is not what the stage wrote.
    """
    entry = read_index(run)["stages"].get(stage)
    if entry is None:
        raise UsageError(f"the run {run.run_id} has no finished stage {stage!r}", hint=hint)
    problems = list(check_entries(run, [entry]))
    if not problems:
        manifest = read_stage_manifest(run, stage)
        problems = list(check_entries(run, manifest["outputs"]))
    if problems:
        hint = f"`faircall verify {run.path}` lists all of them"
        raise InvariantViolation(f"{problems[0].path}: {problems[0].problem}", hint=hint)
    return manifest


def read_stage_manifest(run: RunFolder, stage: str) -> dict[str, Any]:
    """The manifest of one stage, its version checked; digests are not."""
    path = run.stage_manifest_file(stage)
    manifest = read_json(path)
    if not isinstance(manifest, dict) or manifest.get("schema_version") != STAGE_VERSION:
        raise ArtifactInvalid(f"{path}: not a manifest of version {STAGE_VERSION}")
    return manifest


def manifest_digest(run: RunFolder) -> str:
    """The digest of the whole run: of `manifest.json`, which binds everything else."""
    return sha256_bytes(run.manifest_file.read_bytes())
