"""Evaluations from files: rows of outputs, or an evaluation that was stored."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from faircall.api.declaration import NOTHING_DECLARED, Declaration
from faircall.api.evaluation import Evaluation, evaluate
from faircall.api.labels import is_label_file, keep_labelled
from faircall.errors import ArtifactInvalid, UsageError
from faircall.importing.from_jsonl import ImportedRows, TruthReader, import_gold, import_rows
from faircall.parsing import readers
from faircall.records import PARSER_VERSION
from faircall.scoring import protocols
from faircall.scoring.protocols import METRIC_PROTOCOL
from faircall.store.collector import without_collector
from faircall.store.files import (
    STANDARD_INPUT,
    JsonLine,
    describe_path,
    is_one_document,
    read_artifact,
    read_bytes,
    read_json_lines,
)


def score_file(
    path: Path | str,
    *,
    name: str | None = None,
    columns: Mapping[str, str] | None = None,
    gold: Path | str | None = None,
    slice_keys: Sequence[str] = (),
    reader: str = PARSER_VERSION,
    protocol: str = METRIC_PROTOCOL,
) -> Evaluation:
    """Score the rows `{id, raw_text, gold, ...}` of a JSON Lines file (gzip and `-` too).

    Args:
        path: the file of outputs.
        name: the name of the arm; the file's name without its ending by default.
        columns: field -> column, where the recognised names do not fit.
        gold: a file of gold calls to join by id; a labelled sample restricts the rows to itself.
        slice_keys: columns that become further slices `key=value`.
        reader: the declared reader that finds the calls.
        protocol: the declared protocol that scores them.

    Raises:
        InputError: the file or one of its rows cannot be used; file and line are named.
    """
    declared = Declaration(
        columns=columns, gold=gold, slice_keys=slice_keys, reader=reader, protocol=protocol
    )
    return _score_declared(path, declared, name=name)


def _score_declared(path: Path | str, declared: Declaration, *, name: str | None) -> Evaluation:
    return score_lines(
        read_json_lines(path), declared, label=describe_path(path), name=name or arm_name(path)
    )


def score_lines(lines: Iterable[JsonLine], declared: Declaration, *, label: str, name: str) -> Evaluation:
    """Score rows that are read already.

    Args:
        lines: decoded rows with their numbers.
        declared: what is known of them beside what they say.
        label: what messages call their file.
        name: the name of the arm.

    Raises:
        InputError: a row cannot be used.
    """
    rows = _import_rows(lines, declared, label)
    return evaluate(
        rows.examples,
        rows.generations,
        name=name,
        identity=rows.identity,
        ids_given=rows.ids_given,
        slice_keys=declared.slice_keys,
        reader=declared.reader,
        prompts=rows.prompts,
        protocol=declared.protocol,
    )


def _import_rows(lines: Iterable[JsonLine], declared: Declaration, label: str) -> ImportedRows:
    read_truth, columns, gold = truth_reader(declared.protocol), declared.columns, declared.gold
    known = None
    if gold is not None:
        known = import_gold(
            read_json_lines(gold), label=describe_path(gold), columns=columns, read_truth=read_truth
        )
        lines = keep_labelled(lines, known, columns=columns) if is_label_file(gold) else lines
    return import_rows(
        lines,
        label=label,
        columns=columns,
        gold=known,
        read_truth=read_truth,
        extra_columns=declared.slice_keys,
    )


def truth_reader(protocol: str) -> TruthReader | None:
    """What reads the gold of a row under a protocol; None for the default, whose gold is a call.

    Raises:
        ConfigError: there is no such protocol.
    """
    return None if protocol == METRIC_PROTOCOL else protocols.get(protocol).read_truth


def load_evaluation(
    path: Path | str,
    *,
    name: str | None = None,
    columns: Mapping[str, str] | None = None,
    gold: Path | str | None = None,
    slice_keys: Sequence[str] = (),
    reader: str = PARSER_VERSION,
    protocol: str = METRIC_PROTOCOL,
) -> Evaluation:
    """An evaluation from either form of file; which one it is, is told by content.

    Raises:
        InputError: the file can be read as neither.
    """
    declared = Declaration(
        columns=columns, gold=gold, slice_keys=slice_keys, reader=reader, protocol=protocol
    )
    return load_declared(path, declared, name=name)


def load_declared(
    path: Path | str, declared: Declaration = NOTHING_DECLARED, *, name: str | None = None
) -> Evaluation:
    """`load_evaluation` with everything that is declared of the rows as one record.

    Raises:
        InputError: as there.
    """
    if str(path) == STANDARD_INPUT or not is_one_document(path):
        return _score_declared(path, declared, name=name)
    with without_collector():
        evaluation = _load_evaluation(path)
    _require_reader(evaluation, declared.reader, describe_path(path))
    _require_protocol(evaluation, declared.protocol, describe_path(path))
    return evaluation if name is None else evaluation.renamed(name)


def _load_evaluation(path: Path | str) -> Evaluation:
    """Quickly where the file is as it was written; else as `Evaluation.from_dict` takes or refuses it."""
    found = Evaluation.from_json(read_bytes(path))
    if found is not None:
        return found
    try:
        return Evaluation.from_dict(read_artifact(path))
    except ArtifactInvalid as error:
        raise ArtifactInvalid(f"{describe_path(path)}: {error.message}", hint=error.hint) from None


def _require_reader(evaluation: Evaluation, reader: str, label: str) -> None:
    """A stored evaluation was read already; another reader needs the rows that it was made from."""
    asked, stored = readers.get(reader).name, evaluation.identity.get("reader", {}).get("name")
    if reader != PARSER_VERSION and asked != stored:
        message = f"{label} is an evaluation that was read by {stored}, not by {asked}"
        raise UsageError(message, hint="give the rows of outputs, so that they can be read again")


def _require_protocol(evaluation: Evaluation, protocol: str, label: str) -> None:
    """A stored evaluation was scored already; a protocol that was asked for must be the one it has."""
    stored = evaluation.identity.get("metrics", {}).get("protocol")
    if protocol not in (METRIC_PROTOCOL, stored):
        message = f"{label} is an evaluation that was scored by {stored}, not by {protocol}"
        raise UsageError(message, hint="give the rows of outputs, so that they can be scored again")


def arm_name(path: Path | str) -> str:
    """The name of an arm after its file.

    >>> arm_name("runs/adapter.jsonl.gz"), arm_name("-")
    ('adapter', 'stdin')
    """
    if str(path) == STANDARD_INPUT:
        return "stdin"
    name = Path(path).name or Path(path).resolve().name
    return name.split(".", 1)[0] or name
