"""The prepared splits of a run, written and read back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from faircall.errors import ArtifactInvalid
from faircall.records import Example, ToolCall
from faircall.store.files import read_json_lines

SCHEMA_VERSION: Final = "faircall.example.v1"
_COLUMNS: Final = ("example_id", "language", "source_example_id", "query", "messages", "tools", "gold")


def read_examples(path: Path) -> Iterator[Example]:
    """The examples of `data/<split>.jsonl`, in order.

    Raises:
        ArtifactInvalid: a row of another version, or without a column.
    """
    for line in read_json_lines(path, empty_ok=True):
        yield _read_row(line.value, place=f"{path}:{line.number}")


def example_row(example: Example) -> dict[str, Any]:
    """One row of `data/<split>.jsonl`."""
    return {
        "schema_version": SCHEMA_VERSION,
        "example_id": example.example_id,
        "language": example.language,
        "source_example_id": example.source_example_id,
        "query": example.query,
        "messages": list(example.messages or ()),
        "tools": list(example.tools or ()),
        "gold": example.gold.to_dict() if example.gold else None,
    }


def _read_row(row: Any, *, place: str) -> Example:
    hint = "run `faircall data prepare` again"
    if not isinstance(row, dict) or row.get("schema_version") != SCHEMA_VERSION:
        raise ArtifactInvalid(f"{place}: not an example of version {SCHEMA_VERSION}", hint=hint)
    if row.keys() != {"schema_version", *_COLUMNS}:
        raise ArtifactInvalid(f"{place}: the columns are not those of {SCHEMA_VERSION}", hint=hint)
    return Example(
        example_id=row["example_id"],
        gold=ToolCall(row["gold"]["name"], row["gold"]["arguments"]),
        tools=tuple(row["tools"]),
        language=row["language"],
        source_example_id=row["source_example_id"],
        query=row["query"],
        messages=tuple(row["messages"]),
    )
