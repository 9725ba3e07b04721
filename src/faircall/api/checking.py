"""Outputs without gold: read by a declared reader, checked against their own tools."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from msgspec.structs import replace

from faircall.api.stored import arm_folder
from faircall.errors import ConfigError, UsageError
from faircall.importing.from_jsonl import ImportedRows, import_rows
from faircall.parsing import readers
from faircall.parsing.readers.abstention import mark_abstentions
from faircall.records import PARSER_VERSION, Example
from faircall.scoring.dialects import DIALECTS, in_dialect
from faircall.scoring.output_checks import CheckedRow, check_outputs, read_due
from faircall.store.partitions import open_rows

Tools: TypeAlias = tuple[Mapping[str, Any], ...]


def check_file(
    path: Path | str,
    *,
    columns: Mapping[str, str] | None = None,
    reader: str = PARSER_VERSION,
    cluster: str | None = None,
    dialect: str = "auto",
    level: float = 0.95,
) -> dict[str, Any]:
    """Check the rows `{id, raw_text or message, tools?, should_call_tool?, ...}` of a file.

    Args:
        path: JSON Lines (gzip and `-` too) or Parquet; a pattern, folder or URL of several files, too.
        columns: field -> column, where the recognised names do not fit.
        reader: the declared reader that finds the calls.
        cluster: a column whose equal values make rows of one cluster; the root of a row by default.
        dialect: how tool schemas are written: `json_schema` (Draft 2020-12), `bfcl`, or told tool by tool.
        level: two-sided confidence level.

    Raises:
        InputError: the file or one of its rows cannot be used; file and line are named.
    """
    require_dialect(dialect)
    chosen = readers.get(reader)
    if arm_folder(path) is not None:
        raise UsageError(f"{path} is an arm of a run", hint="check reads rows of outputs: name their file")
    lines, label = open_rows(str(path))
    rows = import_rows(
        lines,
        label=label,
        columns=columns,
        read_truth=read_due,
        extra_columns=[cluster] if cluster else [],
    )
    inputs = readers.inputs_of(rows.examples, rows.generations, prompts=rows.prompts)
    notice = readers.notice_unknown(chosen, inputs)
    parsed = [reading.parsed for reading in readers.read_rows(chosen, inputs)]
    marked = mark_abstentions(rows.generations, parsed)
    checked = check_outputs(_rows(rows, marked, cluster=cluster, dialect=dialect), level=level)
    told = {} if notice is None else {"notice": notice.text("faircall check FILE")}
    return {
        "schema_version": "faircall.check.v1",
        "file": label,
        "reader": chosen.name,
        "native": chosen.native,
        "dialect": dialect,
        "cluster": cluster,
        **checked,
        **told,
    }


def require_dialect(dialect: str) -> None:
    """Refuse a dialect that does not exist.

    Raises:
        ConfigError: it is none of `DIALECTS`.
    """
    if dialect not in DIALECTS:
        raise ConfigError(f"{dialect!r} is no dialect of schemas", hint=f"one of {', '.join(DIALECTS)}")


def _rows(
    rows: ImportedRows, parsed: Sequence[Any], *, cluster: str | None, dialect: str
) -> list[CheckedRow]:
    known: dict[int, Tools] = {}  # many rows share one list of tools
    return [
        CheckedRow(
            _in_dialect(example, dialect, known),
            generation,
            found,
            example.root if cluster is None else str(example.extra.get(cluster, example.root)),
        )
        for example, generation, found in zip(rows.examples, rows.generations, parsed, strict=True)
    ]


def _in_dialect(example: Example, dialect: str, known: dict[int, Tools]) -> Example:
    if example.tools is None:
        return example
    key = id(example.tools)
    if key not in known:
        known[key] = in_dialect(example.tools, dialect)
    return replace(example, tools=known[key])
