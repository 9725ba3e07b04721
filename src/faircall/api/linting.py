"""Gold held against its own tools and its neighbours, before any model is blamed for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

from faircall.api.checking import require_dialect
from faircall.api.importing import ImportedFile, import_files
from faircall.importing.foreign import last_query
from faircall.importing.gold_call import GoldFault, read_gold_calls
from faircall.importing.repeats import Request, find_leaks, find_repeats, share_of_known_tools
from faircall.records import ToolCall
from faircall.scoring.dialects import in_dialect
from faircall.scoring.schema_validity import first_violation
from faircall.tools import declared_arguments, find_tool

GoldRow: TypeAlias = tuple[str, Sequence[ToolCall], Mapping[str, Any]]
"""The id of a row, its gold calls (none where no call is right), and the row."""

FINDINGS: Final = ("refused", "not_offered", "breaks_schema", "invented_argument", "repeated", "in_training")


def lint_files(
    test: Sequence[str],
    *,
    training: Sequence[str] = (),
    form: str | None = None,
    columns: Mapping[str, str] | None = None,
    dialect: str = "auto",
) -> dict[str, Any]:
    """Every finding about the gold rows of `test`: a kind, the id of the row, and what was found.

    Args:
        test: files of gold rows in any form that `faircall import` reads.
        training: files whose requests and tools the test should not repeat.
        form: the importer, told by content when None.
        columns: field -> column, for plain rows.
        dialect: how tool schemas are written: `json_schema`, `bfcl`, or told tool by tool (`auto`).

    Raises:
        InputError: a file that cannot be read or is of no known form.
    """
    require_dialect(dialect)
    files = import_files(test, form=form, columns=columns)
    known = import_files(training, form=form, columns=columns) if training else []
    found = [*_refusals(files)]
    rows = list(_gold_rows(files))
    for row_id, calls, row in rows:
        for gold in calls:
            found.extend(_about_tools(row_id, gold, row, dialect=dialect))
    requests = _requests(rows)
    found.extend(_finding("repeated", r.row_id, f"repeats {r.earlier}") for r in find_repeats(requests))
    report: dict[str, Any] = {
        "schema_version": "faircall.lint.v1",
        "rows": len(rows),
        "without_request": len(rows) - len(requests),
    }
    if known:
        others = list(_gold_rows(known))
        asked = _requests(others)
        report["training_without_request"] = len(others) - len(asked)
        leaks = find_leaks(requests, asked)
        found.extend(
            _finding("in_training", r.row_id, f"{r.earlier}, likeness {r.likeness:g}") for r in leaks
        )
        report["known_tools"] = share_of_known_tools(
            [gold.name for _, calls, _ in rows for gold in calls],
            [gold.name for _, calls, _ in others for gold in calls],
        )
    counts = Counter(entry["kind"] for entry in found)
    return {**report, "counts": {kind: counts[kind] for kind in FINDINGS}, "findings": found}


def _refusals(files: Sequence[ImportedFile]) -> Iterator[dict[str, Any]]:
    """Rows that no gold call can be read from: repeated keys, several calls, broken JSON."""
    for file in files:
        for entry in file.outcome.rejected:
            place = entry.row_id or f"{file.label}:{entry.line}"
            yield _finding("refused", place, entry.reason)
        for number, row in enumerate(file.outcome.rows, start=1):
            try:
                if row.get("gold") is not None:
                    read_gold_calls(row["gold"])
            except GoldFault as fault:
                yield _finding("refused", row.get("id") or f"{file.label}:{number}", f"gold {fault.reason}")


def _gold_rows(files: Sequence[ImportedFile]) -> Iterator[GoldRow]:
    for file in files:
        for number, row in enumerate(file.outcome.rows, start=1):
            try:
                calls = [] if row.get("gold") is None else read_gold_calls(row["gold"])
            except GoldFault:
                continue
            yield row.get("id") or f"{file.label}:{number}", calls, row


def _about_tools(
    row_id: str, gold: ToolCall, row: Mapping[str, Any], *, dialect: str
) -> Iterator[dict[str, Any]]:
    offered = row.get("tools")
    if not isinstance(offered, list):
        return
    tools = in_dialect([tool for tool in offered if isinstance(tool, Mapping)], dialect)
    tool = find_tool(tools, gold.name)
    if tool is None:
        yield _finding("not_offered", row_id, gold.name)
        return
    invented = sorted(gold.arguments.keys() - (declared_arguments(tool) or gold.arguments.keys()))
    if invented:
        yield _finding("invented_argument", row_id, ", ".join(invented))
    violation = first_violation(tools, gold)
    if violation is not None:
        yield _finding("breaks_schema", row_id, f"{gold.name}: {violation}")


def _requests(rows: Sequence[GoldRow]) -> list[Request]:
    """What each row asks: its query, else its last user message; rows without either ask nothing."""
    asked = ((row_id, row.get("query") or last_query(row.get("messages"))) for row_id, _, row in rows)
    return [Request(row_id, query) for row_id, query in asked if isinstance(query, str)]


def _finding(kind: str, row_id: str, what: str) -> dict[str, Any]:
    return {"kind": kind, "id": row_id, "what": what}
