"""Foreign files to rows: what a file is, and every row of it or a reason."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from faircall.errors import DataError, FileUnreadable, RowInvalid
from faircall.importing import from_sommelier, importers
from faircall.importing.foreign import Imported, Importer, import_records
from faircall.parsing.tool_call import parse_tool_call
from faircall.store.sources import SourceRecord, expand_paths, read_source

POSSIBLE_ANSWERS: Final = "possible_answer"


@dataclass(frozen=True, slots=True)
class ImportedFile:
    """One file through its importer.

    Attributes:
        label: the file.
        importer: what it was taken for.
        outcome: rows and refusals.
        status_changes: records of a run folder whose parse status is another one here, with the decision.
    """

    label: str
    importer: Importer
    outcome: Imported
    status_changes: Sequence[Mapping[str, Any]] = field(default_factory=tuple)

    def summary(self) -> dict[str, Any]:
        """The report of the import, without the rows."""
        return {
            "file": self.label,
            "form": self.importer.name,
            "reader": self.importer.reader,
            "counts": self.outcome.counts,
            "reasons": self.outcome.reasons,
            "rejected": [entry.to_dict() for entry in self.outcome.rejected],
            "status_changes": list(self.status_changes),
        }


def import_files(
    patterns: Sequence[str],
    *,
    form: str | None = None,
    columns: Mapping[str, str] | None = None,
    beside: str | None = None,
) -> list[ImportedFile]:
    """Import files, patterns and run folders.

    Args:
        patterns: paths, glob patterns, fsspec addresses, `-`, or arm folders of Sommelier runs.
        form: the importer's name; told by content when None.
        columns: field -> column, for plain rows.
        beside: a file to join by id before importing (possible answers of BFCL).

    Raises:
        InputError: a file that cannot be read, is of no known form, or has an id twice.
    """
    return [_import_path(path, form, columns, beside) for path in expand_paths(list(patterns))]


def _import_path(
    path: str, form: str | None, columns: Mapping[str, str] | None, beside: str | None
) -> ImportedFile:
    if Path(path).is_dir():
        return import_run_folder(Path(path))
    records = list(read_source(path))
    importer = importers.get(form, columns=columns) if form else _detect(records, columns, path)
    if importer.name == "bfcl":
        records = list(_join(records, beside or _possible_answers(path)))
    elif beside:
        records = list(_join(records, beside))
    return ImportedFile(path, importer, import_records(records, importer, label=path))


def _detect(records: Sequence[SourceRecord], columns: Mapping[str, str] | None, path: str) -> Importer:
    """The importer of the first record that can be read; the first fault is named where none can."""
    sample = [record.value for record in records if record.fault is None][:1]
    if records and not sample and not columns:
        raise RowInvalid(
            f"{path}:{records[0].number}: {records[0].fault}", hint="no record of the file can be read"
        )
    return importers.detect(sample, columns=columns, label=path)


def _possible_answers(path: str) -> str | None:
    """BFCL keeps the answers of a file under its own name in a folder beside it."""
    candidate = Path(path).parent / POSSIBLE_ANSWERS / Path(path).name
    return str(candidate) if candidate.is_file() else None


def _join(records: Iterable[SourceRecord], beside: str | None) -> Iterator[SourceRecord]:
    others = {} if beside is None else _by_id(beside)
    for record in records:
        other = others.get(str(record.value.get("id"))) if isinstance(record.value, Mapping) else None
        yield record if other is None else record._replace(value={**other, **record.value})


def _by_id(path: str) -> dict[str, Mapping[str, Any]]:
    found: dict[str, Mapping[str, Any]] = {}
    for record in read_source(path):
        if record.fault is not None or not isinstance(record.value, Mapping) or "id" not in record.value:
            raise DataError(
                f"{path}:{record.number}: {record.fault or 'the row has no id'}", hint="rows are joined by id"
            )
        if found.setdefault(str(record.value["id"]), record.value) is not record.value:
            raise DataError(
                f"{path}:{record.number}: id {record.value['id']!r} is there twice",
                hint="rows are joined by id",
            )
    return found


def import_run_folder(folder: Path) -> ImportedFile:
    """An arm of a Sommelier run: `RUN/eval/<arm>`; generations of every slice, prompts from `formatted/`.

    Raises:
        FileUnreadable: no such arm, or its prompts are not there.
    """
    files = sorted(folder.glob("generations.*.jsonl"))
    prompts = folder.parent.parent / "formatted" / "test.jsonl"
    if not files:
        raise FileUnreadable(
            f"{folder} holds no generations.*.jsonl", hint="name the folder of an arm: RUN/eval/ARM"
        )
    formatted = _rows_by_example([prompts])
    generations = _rows_by_example(files)
    pairs = list(from_sommelier.join(formatted, generations))
    records = [(number, pair, None) for number, pair in enumerate(pairs, start=1)]
    outcome = import_records(records, from_sommelier.IMPORTER, label=str(folder))
    return ImportedFile(str(folder), from_sommelier.IMPORTER, outcome, _status_changes(outcome, generations))


def _rows_by_example(paths: Iterable[Path]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for path in paths:
        for record in read_source(path):
            row_id = record.value.get("example_id") if isinstance(record.value, Mapping) else None
            if not isinstance(row_id, str):
                raise DataError(
                    f"{path}:{record.number}: {record.fault or 'the row has no example_id'}", hint=""
                )
            if row_id in found:
                raise DataError(
                    f"{path}:{record.number}: {row_id!r} is there twice", hint="rows are joined by id"
                )
            found[row_id] = record.value
    return found


def _status_changes(outcome: Imported, generations: Mapping[str, Any]) -> tuple[dict[str, Any], ...]:
    changes = []
    for row in outcome.rows:
        stored, parsed = generations[row["id"]]["parse_status"], parse_tool_call(row["raw_text"])
        if stored != parsed.status:
            why = from_sommelier.explain_status(stored, parsed.status, parsed.reason)
            changes.append({"id": row["id"], "stored": stored, "found": parsed.status, "decision": why})
    return tuple(changes)
