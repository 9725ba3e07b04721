"""Outputs without gold: read by a declared reader, checked against their own tools."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from faircall.errors import ConfigError
from faircall.importing.from_jsonl import ImportedRows, import_rows
from faircall.parsing import readers
from faircall.parsing.readers.abstention import mark_abstentions
from faircall.records import PARSER_VERSION, Example
from faircall.scoring.output_checks import SHOULD_CALL, CheckedRow, check_outputs, with_bfcl_types
from faircall.store.files import JsonLine, describe_path, read_json_lines

DIALECTS = ("json_schema", "bfcl")


def check_file(
    path: Path | str,
    *,
    columns: Mapping[str, str] | None = None,
    reader: str = PARSER_VERSION,
    cluster: str | None = None,
    dialect: str = "json_schema",
    level: float = 0.95,
) -> dict[str, Any]:
    """Check the rows `{id, raw_text or message, tools?, should_call_tool?, ...}` of a file.

    Args:
        path: JSON Lines (gzip and `-` too).
        columns: field -> column, where the recognised names do not fit.
        reader: the declared reader that finds the calls.
        cluster: a column whose equal values make rows of one cluster; the root of a row by default.
        dialect: how the tools' schemas are written: `json_schema` (Draft 2020-12) or `bfcl`.
        level: two-sided confidence level.

    Raises:
        InputError: the file or one of its rows cannot be used; file and line are named.
    """
    if dialect not in DIALECTS:
        raise ConfigError(f"{dialect!r} is no dialect of schemas", hint=f"one of {', '.join(DIALECTS)}")
    chosen = readers.get(reader)
    lines = list(read_json_lines(path))
    rows = import_rows(
        lines,
        label=describe_path(path),
        columns=columns,
        gold_needed=False,
        extra_columns=_extra_columns(lines, cluster),
    )
    inputs = readers.inputs_of(rows.examples, rows.generations, prompts=rows.prompts)
    notice = readers.notice_unknown(chosen, inputs)
    parsed = [reading.parsed for reading in readers.read_rows(chosen, inputs)]
    marked = mark_abstentions(rows.generations, parsed)
    checked = check_outputs(_rows(rows, marked, cluster=cluster, dialect=dialect), level=level)
    told = {} if notice is None else {"notice": notice.text("faircall check FILE")}
    return {
        "schema_version": "faircall.check.v1",
        "file": describe_path(path),
        "reader": chosen.name,
        "native": chosen.native,
        "dialect": dialect,
        "cluster": cluster,
        **checked,
        **told,
    }


def _extra_columns(lines: Sequence[JsonLine], cluster: str | None) -> list[str]:
    """The cluster's column, and the one that says whether a call is due where the first row has it."""
    due = any(isinstance(line.value, dict) and SHOULD_CALL in line.value for line in lines[:1])
    return [*([SHOULD_CALL] if due else []), *([cluster] if cluster else [])]


def _rows(
    rows: ImportedRows, parsed: Sequence[Any], *, cluster: str | None, dialect: str
) -> list[CheckedRow]:
    return [
        CheckedRow(
            _in_dialect(example, dialect),
            generation,
            found,
            example.root if cluster is None else str(example.extra.get(cluster, example.root)),
        )
        for example, generation, found in zip(rows.examples, rows.generations, parsed, strict=True)
    ]


def _in_dialect(example: Example, dialect: str) -> Example:
    if dialect != "bfcl" or example.tools is None:
        return example
    return replace(example, tools=tuple(with_bfcl_types(example.tools)))
