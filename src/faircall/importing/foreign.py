"""What every importer speaks in: one foreign record gives rows or a reason, and nothing is lost between.

    record --> Importer.read --> rows for `faircall score`, or a Fault with its reason

An answer is kept whatever it is: a call that cannot be read is the model's failure, and counts. Gold is
refused when it is not exactly one call: a wrong gold would blame every model.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from faircall.errors import DataError, DuplicateId
from faircall.importing.reasons import Reason, Refused
from faircall.strict_json import JsonFault, decode


class Fault(ValueError):
    """Why a record, or one row of it, is not imported; the message is the reason that is counted."""

    def __init__(self, reason: str, *, row_id: str | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.row_id = row_id


@dataclass(frozen=True, slots=True)
class Importer:
    """One foreign form.

    Attributes:
        name: as it stands after `--from`.
        summary: one line for people.
        recognises: whether a decoded record is of this form.
        read: the rows of a record, in order; a row that cannot be used is a `Fault` in its place. May raise
            `Fault` or `Refused` when nothing of the record can be used.
        reader: the declared reader that fits the answers, None for texts that the default reads.
        strict: whether a record that it does not recognise is refused before it is read.
    """

    name: str
    summary: str
    recognises: Callable[[Any], bool]
    read: Callable[[Any], Iterable[Mapping[str, Any] | Fault]]
    reader: str | None = None
    strict: bool = True


@dataclass(frozen=True, slots=True)
class Rejected:
    """A row that was not imported: where it stands, its id where it has one, and why."""

    line: int
    row_id: str | None
    reason: str

    def to_dict(self) -> dict[str, Any]:
        """The JSON form of the report."""
        return {"line": self.line, "id": self.row_id, "reason": self.reason}


@dataclass(slots=True)
class Imported:
    """The rows of one file and what became of the others; `seen` is always the sum of both."""

    importer: str
    rows: list[dict[str, Any]] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)

    @property
    def counts(self) -> dict[str, int]:
        """Rows seen, imported and rejected."""
        imported, rejected = len(self.rows), len(self.rejected)
        return {"seen": imported + rejected, "imported": imported, "rejected": rejected}

    @property
    def reasons(self) -> dict[str, int]:
        """How often each reason was given, the commonest first."""
        return dict(Counter(entry.reason for entry in self.rejected).most_common())


def import_records(
    records: Iterable[tuple[int, Any, str | None]], importer: Importer, *, label: str
) -> Imported:
    """Every record through one importer.

    Args:
        records: number, value, and why there is no value (then the record is rejected for that).
        importer: the form of the file.
        label: the name of the file, for messages.

    Raises:
        DuplicateId: one id on two rows; both lines are named.
    """
    found = Imported(importer.name)
    lines: dict[str, int] = {}
    for number, value, fault in records:
        for outcome in _outcomes(value, fault, importer):
            row_id = (outcome.row_id or _id_of(value)) if isinstance(outcome, Fault) else outcome.get("id")
            if not isinstance(outcome, Fault) or row_id == _id_of(value):
                _require_new(row_id, number, lines, label=label)
            if isinstance(outcome, Fault):
                found.rejected.append(Rejected(number, row_id, outcome.reason))
            else:
                found.rows.append({key: cell for key, cell in outcome.items() if cell is not None})
    _require_ids_of_all(found, label)
    return found


def _outcomes(value: Any, fault: str | None, importer: Importer) -> Iterator[Mapping[str, Any] | Fault]:
    if fault is not None:
        yield Fault(fault)
        return
    if importer.strict and not importer.recognises(value):
        yield Fault(f"the record is not of the form {importer.name}")
        return
    try:
        yield from importer.read(value)
    except Fault as refusal:
        yield refusal
    except Refused as refusal:
        yield Fault(refusal.reason.value)


def _require_new(row_id: str | None, number: int, lines: dict[str, int], *, label: str) -> None:
    if row_id is None:
        return
    if row_id in lines:
        message = f"{label}: id {row_id!r} is on line {lines[row_id]} and on line {number}"
        raise DuplicateId(message, hint="rows are joined by id, so each id may occur once")
    lines[row_id] = number


def _require_ids_of_all(found: Imported, label: str) -> None:
    """Every row has an id or none: else a part of them would be paired by number and the rest by name."""
    without = sum("id" not in row for row in found.rows)
    if 0 < without < len(found.rows):
        message = f"{label}: {without} of {len(found.rows)} rows have no id"
        raise DataError(message, hint="give every record an id, or none")


def _id_of(value: Any) -> str | None:
    try:
        return identifier(value) if isinstance(value, Mapping) else None
    except Fault:
        return None


ID_KEYS: Final = ("id", "example_id", "custom_id", "task_id", "sample_id", "doc_id")


def identifier(record: Mapping[str, Any], keys: tuple[str, ...] = ID_KEYS) -> str | None:
    """The id of a record as text; None when it has none.

    >>> identifier({"custom_id": 7})
    '7'
    """
    for key in keys:
        value = record.get(key)
        if value is None or value == "":
            continue
        if type(value) not in (str, int):
            raise Fault(f"{key} is not text or a whole number")
        return str(value)
    return None


def decoded_if_text(value: Any, *, what: str) -> Any:
    """JSON that some exporters keep as text, decoded once; other values as they are."""
    if not isinstance(value, str):
        return value
    try:
        return decode(value)
    except JsonFault as fault:
        repeated = fault.reason == "duplicate_key"
        raise Fault(f"{what} repeats a key" if repeated else f"{what} is not valid JSON") from None


def mapping_or_empty(value: Any) -> Mapping[str, Any]:
    """The value where it is an object, else an empty one: a record may hold anything at any place.

    >>> mapping_or_empty({"a": 1}), mapping_or_empty("text")
    ({'a': 1}, {})
    """
    return value if isinstance(value, Mapping) else {}


def list_or_empty(value: Any) -> list[Any]:
    """The value where it is a list, else an empty one.

    >>> list_or_empty([1]), list_or_empty(None)
    ([1], [])
    """
    return value if isinstance(value, list) else []


def last_query(messages: Any) -> str | None:
    """The text of the last user message of a list of messages, None where there is none."""
    for message in reversed(messages if isinstance(messages, list) else []):
        if isinstance(message, Mapping) and message.get("role") == "user":
            content = message.get("content")
            return content if isinstance(content, str) else None
    return None


def message_list(value: Any, *, what: str) -> list[Mapping[str, Any]] | None:
    """A list of messages, None for null."""
    if value is None:
        return None
    if not isinstance(value, list) or not all(isinstance(message, Mapping) for message in value):
        raise Fault(f"{what} is not a list of messages")
    return value


def step_rows(steps: Iterable[Any], *, row_id: str | None, extra: Mapping[str, Any]) -> Iterator[Any]:
    """The steps of a conversation as gold rows; several are numbered, and a refused one is a fault."""
    found = list(steps)
    for number, step in enumerate(found, start=1):
        name = row_id if row_id is None or len(found) == 1 else f"{row_id}:{number}"
        if isinstance(step, Reason):
            yield Fault(step.value, row_id=name)
            continue
        yield {
            "id": name,
            "gold": step.gold.to_dict(),
            "tools": None if step.tools is None else list(step.tools),
            "query": step.query,
            "messages": None if step.messages is None else list(step.messages),
            **extra,
        }
