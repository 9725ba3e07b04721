"""Which column of a row holds what: common names are recognised, a map says the rest."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Final

from faircall.errors import ColumnUnknown, UsageError

RECOGNISED: Final[Mapping[str, tuple[str, ...]]] = {
    "id": ("id", "example_id", "task_id", "sample_id", "question_id", "uid", "doc_id"),
    "raw_text": (
        "raw_text", "raw_output", "output", "response", "completion", "prediction", "predicted",
        "generated_text", "generation", "model_output", "resps", "text",
    ),
    "gold": (
        "gold", "gold_call", "answers", "answer", "expected", "expected_output", "target", "target_text",
        "ground_truth", "reference", "label",
    ),
    "accepted": ("accepted", "accepted_values"),
    "should_call_tool": ("should_call_tool",),
    "tools": ("tools", "functions", "available_tools"),
    "language": ("language", "lang", "locale"),
    "source_example_id": ("source_example_id", "root", "root_id", "source_id"),
    "query": ("query", "question", "user_query", "instruction"),
    "messages": ("messages",),
    "prompt": ("prompt", "prompt_text"),
    "message": ("message",),
    "prompt_sha256": ("prompt_sha256",),
    "finish_reason": ("finish_reason", "stop_reason"),
    "decoding": ("decoding",),
    "model": ("model", "model_id", "model_name"),
    "failure": ("failure",),
}  # fmt: skip
"""Field -> column names, the documented one first; where it is there, the others are not looked at."""


class ColumnMap:
    """Finds the column of each field, by explicit map first and by recognised name otherwise.

    >>> ColumnMap({}).resolve(["id", "output", "answers"], place="a.jsonl:1")
    {'id': 'id', 'raw_text': 'output', 'gold': 'answers'}
    >>> ColumnMap({"raw_text": "out"}).resolve(["id", "out"], place="a.jsonl:1")
    {'id': 'id', 'raw_text': 'out'}
    """

    def __init__(self, explicit: Mapping[str, str], *, wanted: Collection[str] | None = None) -> None:
        """Take the map of `--map FIELD=COLUMN`.

        Args:
            explicit: field -> column.
            wanted: fields whose mapped column must be there; by default all of them. For the others the
                recognised names serve where the mapped column is missing.

        Raises:
            UsageError: a field that does not exist.
        """
        for field in explicit:
            if field not in RECOGNISED:
                raise UsageError(f"{field!r} is no field of a row", hint=f"one of {', '.join(RECOGNISED)}")
        self.explicit = dict(explicit)
        self.wanted = frozenset(explicit if wanted is None else wanted)
        self._resolved: dict[tuple[str, ...], dict[str, str]] = {}

    def resolve(self, columns: Collection[str], *, place: str) -> dict[str, str]:
        """Field -> column for a row with these columns; fields without a column are left out.

        Raises:
            ColumnUnknown: a mapped column is not there, or two columns could be one field.
        """
        key = tuple(columns)
        if key not in self._resolved:
            found = {field: self._find(field, columns, place) for field in RECOGNISED}
            self._resolved[key] = {field: column for field, column in found.items() if column is not None}
        return self._resolved[key]

    def _find(self, field: str, columns: Collection[str], place: str) -> str | None:
        if field in self.explicit:
            column = self.explicit[field]
            if column in columns:
                return column
            if field in self.wanted:
                message = f"{place}: there is no column {column!r} for {field}"
                raise ColumnUnknown(message, hint=f"the row has {list_columns(columns)}")
        taken = set(self.explicit.values())
        candidates = [name for name in RECOGNISED[field] if name in columns and name not in taken]
        if len(candidates) > 1 and candidates[0] != field:
            names = " and ".join(map(repr, candidates[:2]))
            raise ColumnUnknown(
                f"{place}: {names} could both be {field}", hint=f"say which: --map {field}={candidates[0]}"
            )
        return candidates[0] if candidates else None


def list_columns(columns: Iterable[str]) -> str:
    """The columns of a row for a message; long lists and names are cut."""
    names = [name if len(name) <= 40 else f"{name[:40]}..." for name in columns]
    shown = ", ".join(map(repr, names[:20]))
    return f"{shown} and {len(names) - 20} more" if len(names) > 20 else shown or "no columns"
