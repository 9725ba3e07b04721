"""The per-example table as CSV (RFC 4180, UTF-8): for spreadsheets, so what they would run is made text."""

from __future__ import annotations

import csv
import io
from typing import Final

from faircall.reporting.example_table import columns_of, encodable, rows_of
from faircall.reporting.renderers import Renderer, Subject

_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
_BOOLEANS: Final = {True: "true", False: "false"}


def to_csv(subject: Subject) -> bytes:
    """The table; an absent value is an empty cell, a text that a spreadsheet would run starts with `'`."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(columns_of(subject))
    for row in rows_of(subject):
        writer.writerow([cell(value) for value in row.values()])
    return text.getvalue().encode("utf-8")


def cell(value: str | int | bool | None) -> str:
    """One value as the text of a cell.

    A text that starts as a formula does (`=`, `+`, `-`, `@`, their full-width forms, a tab or a line break)
    gets an apostrophe in front, which spreadsheets read as "this is text" (source: OWASP, CSV Injection).
    Parquet and JSON keep texts as they are.

    >>> cell("=1+1"), cell("plain"), cell(True), cell(0), cell(None)
    ("'=1+1", 'plain', 'true', '0', '')
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return _BOOLEANS[value]
    if isinstance(value, int):
        return str(value)
    return encodable(f"'{value}" if value.startswith(_FORMULA) else value)


RENDERER: Final = Renderer(".examples.csv", to_csv, needs_examples=True)
