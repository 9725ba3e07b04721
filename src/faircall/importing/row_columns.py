"""Rows `{id, raw_text, gold, ...}` by column: what `from_jsonl` reads row by row, for many rows at once.

Usual rows alone are taken. Where anything is unusual there is no answer, and the reader of single rows finds
the same values, or the fault with its file and line.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final, NamedTuple, TypeAlias, cast

import msgspec

from faircall.canonical import spell
from faircall.digest import sha256_text
from faircall.errors import FaircallError
from faircall.importing.cells import with_float_temperature
from faircall.importing.columns import ColumnMap
from faircall.importing.from_jsonl import ImportedRows, attested_identity
from faircall.records import Identity, ToolCall
from faircall.strict_json import JsonFault, decode
from faircall.strict_json.columns import (
    MISSING,
    Columns,
    Lines,
    column_names,
    decode_columns,
    decode_texts,
    tidy_lines,
)

Objects: TypeAlias = tuple[Mapping[str, Any], ...]

_CALLS: Final = ToolCall | list[ToolCall]
_TYPES: Final[Mapping[str, Any]] = {"gold": _CALLS | str | None, "tools": Any, "decoding": Any}
"""Field -> the type that its values must have; of these fields the spellings are wanted, too."""
_NULL: Final = type(None)
_BYTES_OF_A_CELL: Final = 4
"""The least that a cell takes, name and value together; a table that has less has more places than cells."""


class RowColumns(NamedTuple):
    """Rows by column: one member per row, in the order of the lines.

    Attributes:
        gold_texts: each gold call as JSON: canonical, but for letters beyond ASCII and rare numbers.
        sources: the id of the root, None for a row that is its own.
        identity: the sections that the rows attest.
    """

    ids: list[str]
    raw_texts: list[str]
    golds: list[ToolCall]
    gold_texts: list[str]
    languages: list[str | None]
    sources: list[str | None]
    tools: list[Objects | None]
    messages: list[Mapping[str, Any] | None]
    finish_reasons: list[str | None]
    failures: list[str | None]
    identity: Identity


class _Unusual(Exception):
    """Only the reader of single rows can tell."""


def read_columns(data: bytes, *, columns: Mapping[str, str] | None = None) -> RowColumns | None:
    """The columns of some lines of a file; None where the reader of single rows must see to them.

    Args:
        data: whole lines.
        columns: field -> column, where the recognised names do not fit.

    >>> rows = read_columns(b'{"id": 7, "output": "{}", "answers": {"name": "f", "arguments": {}}}')
    >>> rows.ids, rows.raw_texts, rows.gold_texts
    (['7'], ['{}'], ['{"arguments":{},"name":"f"}'])
    """
    lines = tidy_lines(data)
    try:
        return None if lines is None else _read_rows(_Cells.of(lines, ColumnMap(columns or {})))
    except (_Unusual, FaircallError, JsonFault):
        return None


def columns_of(rows: ImportedRows) -> RowColumns:
    """The columns of rows that were imported one by one."""
    golds = [example.gold for example in rows.examples if example.gold is not None]
    return RowColumns(
        ids=[example.example_id for example in rows.examples],
        raw_texts=[generation.raw_text for generation in rows.generations],
        golds=golds,
        gold_texts=[spell(gold.to_dict()) for gold in golds],
        languages=[example.language for example in rows.examples],
        sources=[example.source_example_id for example in rows.examples],
        tools=[example.tools for example in rows.examples],
        messages=[generation.message for generation in rows.generations],
        finish_reasons=[generation.finish_reason for generation in rows.generations],
        failures=[generation.failure for generation in rows.generations],
        identity=rows.identity,
    )


def _read_rows(cells: _Cells) -> RowColumns:
    _check_messages(cells)
    _check_prompts(cells)
    cells.texts("query")
    golds, gold_texts = _read_golds(cells)
    return RowColumns(
        ids=_read_ids(cells),
        raw_texts=[text or "" for text in cells.texts("raw_text")],
        golds=golds,
        gold_texts=gold_texts,
        languages=cells.texts("language"),
        sources=_as_names(cells.get("source_example_id", (str, int, _NULL))),
        tools=_read_tools(cells),
        messages=cells.get("message", (dict, _NULL)),
        finish_reasons=cells.texts("finish_reason"),
        failures=cells.texts("failure"),
        identity=_read_identity(cells),
    )


class _Cells(NamedTuple):
    """The values of each field by row; None where a row has no column for it."""

    rows: int
    values: dict[str, list[Any]]
    kinds: dict[str, set[type]]
    spellings: dict[str, list[str]]

    @classmethod
    def of(cls, lines: Lines, columns: ColumnMap) -> _Cells:
        """The cells of lines; every row must have the same column for a field, or none."""
        fields, table = _decode(lines, columns)
        _require_one_reading(table, fields, columns)
        cells = cls(table.rows, {}, {}, {})
        for field, name in fields.items():
            cells.values[field], cells.kinds[field] = _with_nulls(table.values[name], table.kinds[name])
            if name in table.spellings:
                cells.spellings[field] = table.spellings[name]
        return cells

    def get(self, field: str, kinds: Collection[type]) -> list[Any]:
        """The values of a field, which must be of these types."""
        if not self.kinds.get(field, {_NULL}).issubset(kinds):
            raise _Unusual
        return self.values[field] if field in self.values else [None] * self.rows

    def texts(self, field: str) -> list[str | None]:
        """Texts, None for null."""
        return self.get(field, (str, _NULL))


def _decode(lines: Lines, columns: ColumnMap) -> tuple[dict[str, str], Columns]:
    """The column of each field, and the columns; most rows have the keys of the first."""
    for of_all in (False, True):
        names = column_names(lines, of_all=of_all)
        if len(names) * lines.rows * _BYTES_OF_A_CELL > len(lines.data):
            raise _Unusual  # most cells would be empty, as where each row has a column of its own
        fields = columns.resolve(names, place="")
        types = {fields[field]: kind for field, kind in _TYPES.items() if field in fields}
        table = decode_columns(lines, names=names, types=types)
        if table is not None:
            return fields, table
    raise _Unusual


def _require_one_reading(table: Columns, fields: Mapping[str, str], columns: ColumnMap) -> None:
    """Rows without some of the columns must find their fields where those with all of them do."""
    partial = [name for name, kinds in table.kinds.items() if msgspec.UnsetType in kinds]
    if fields.get("raw_text") in (None, *partial):
        raise _Unusual
    absences = ([value is MISSING for value in table.values[name]] for name in partial)
    for row in set(zip(*absences, strict=True)):
        there = table.values.keys() - {
            name for name, is_absent in zip(partial, row, strict=True) if is_absent
        }
        if columns.resolve(sorted(there), place="") != {
            f: name for f, name in fields.items() if name in there
        }:
            raise _Unusual


def _with_nulls(values: list[Any], kinds: set[type]) -> tuple[list[Any], set[type]]:
    if msgspec.UnsetType not in kinds:
        return values, kinds
    return [None if value is MISSING else value for value in values], kinds - {msgspec.UnsetType} | {_NULL}


def _read_ids(cells: _Cells) -> list[str]:
    """Ids as texts: none is empty, and none is there twice."""
    ids = _as_names(cells.get("id", (str, int)))
    if len(set(ids) - {None}) < cells.rows:
        raise _Unusual
    return cast("list[str]", ids)


def _as_names(values: list[Any]) -> list[str | None]:
    """Whole numbers as text; an empty text is none."""
    if "" not in values and set(map(type, values)) <= {str, _NULL}:
        return values
    return [None if value in (None, "") else str(value) for value in values]


def _read_golds(cells: _Cells) -> tuple[list[ToolCall], list[str]]:
    """Gold calls with their spellings: all of them calls, or JSON texts of calls, or lists of one call."""
    golds, texts = cells.get("gold", (ToolCall, list, str)), cells.spellings.get("gold", [])
    if cells.kinds["gold"] == {str}:
        golds, texts = decode_texts(golds, _CALLS) or ([], [])
    if set(map(type, golds)) == {list} and set(map(len, golds)) == {1}:
        golds, texts = [calls[0] for calls in golds], [text[1:-1] for text in texts]
    if set(map(type, golds)) != {ToolCall} or "" in {call.name for call in golds}:
        raise _Unusual
    return golds, texts


def _read_tools(cells: _Cells) -> list[Objects | None]:
    """Offered tools, one object for all rows that offer the same."""
    values = cells.get("tools", (list, str, _NULL))
    if {list, str} <= cells.kinds.get("tools", set()):
        raise _Unusual
    keys = cells.spellings.get("tools", values)
    first = dict(zip(reversed(keys), reversed(values), strict=True))
    known = {key: _as_objects(value) for key, value in first.items()}
    return [known[key] for key in keys]


def _as_objects(value: Any) -> Objects | None:
    """An array of objects, or the JSON text of one; null is none, and the text "null" is a fault."""
    if value is None:
        return None
    if isinstance(value, str):
        value = decode(value)
    if type(value) is not list or set(map(type, value)) - {dict}:
        raise _Unusual
    return tuple(value)


def _check_messages(cells: _Cells) -> None:
    if "messages" in cells.values:
        for value in cells.get("messages", (list, str, _NULL)):
            _as_objects(value)


def _check_prompts(cells: _Cells) -> None:
    """A digest beside a prompt is that of the prompt."""
    digests = cells.texts("prompt_sha256")
    if {"prompt", "prompt_sha256"} <= cells.values.keys():
        for prompt, digest in zip(cells.values["prompt"], digests, strict=True):
            if isinstance(prompt, str) and digest not in (None, sha256_text(prompt)):
                raise _Unusual


def _read_identity(cells: _Cells) -> Identity:
    """What all rows attest, which must be the same: one file is one arm under one set of conditions."""
    models, decodings = cells.texts("model"), cells.get("decoding", (dict, _NULL))
    if models.count(models[0]) < cells.rows or len(set(cells.spellings.get("decoding", ()))) > 1:
        raise _Unusual
    return attested_identity(models[0], with_float_temperature(decodings[0]))
