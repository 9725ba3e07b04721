"""The per-example table: one row per arm and example, the same columns whatever the report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from faircall.canonical import canonical_json
from faircall.records import METRIC_NAMES
from faircall.reporting.renderers import Subject

TEXT_COLUMNS: Final = (
    "arm", "id", "root", "language", "slices", "status", "reason", "cause",
)  # fmt: skip
FLAG_COLUMNS: Final = ("trailing_json", "truncated", "backend_failed")
COUNT_COLUMNS: Final = tuple(
    f"{metric}_{part}" for metric in METRIC_NAMES for part in ("numerator", "denominator")
)
CONTENT_COLUMNS: Final = ("gold", "call", "raw_text")
"""What a model or a person wrote: left out of a redacted table."""


def columns_of(subject: Subject) -> tuple[str, ...]:
    """The names of the columns, in order."""
    content = () if subject.redacted else CONTENT_COLUMNS
    return (*TEXT_COLUMNS, *FLAG_COLUMNS, *COUNT_COLUMNS, *content)


def rows_of(subject: Subject) -> Iterator[dict[str, str | int | bool | None]]:
    """One row per record, with every column; calls are canonical JSON, several slices a JSON list."""
    columns = columns_of(subject)
    for record in subject.examples or ():
        row = _row(record)
        yield {name: row[name] for name in columns}


def _row(record: Mapping[str, Any]) -> dict[str, Any]:
    call = record.get("calls", record["call"])
    counts = [count for component in record["components"] for count in component]
    return {
        **{name: record[name] for name in (*TEXT_COLUMNS, *FLAG_COLUMNS)},
        **dict(zip(COUNT_COLUMNS, counts, strict=True)),
        "slices": canonical_json(record["slices"]),
        "gold": canonical_json(record["gold"]),
        "call": None if call is None else canonical_json(call),
        "raw_text": record["raw_text"],
    }


def encodable(text: str) -> str:
    r"""The text with lone surrogates spelt out, so that UTF-8 can hold it.

    >>> print(encodable("\ud800é"))
    \ud800é
    """
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
