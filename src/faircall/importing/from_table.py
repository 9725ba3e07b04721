"""Plain rows (JSON Lines, JSON, CSV, Parquet) whose columns are recognised or mapped."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from faircall.errors import ColumnUnknown
from faircall.importing.columns import ColumnMap
from faircall.importing.foreign import Fault, Importer
from faircall.importing.gold_call import GoldFault, read_gold_calls


def table_importer(columns: Mapping[str, str]) -> Importer:
    """The importer of plain rows under a column map (field -> column).

    Raises:
        UsageError: a field that does not exist.
    """
    fields = ColumnMap(columns)

    def recognises(value: Any) -> bool:
        found = _resolve(fields, value)
        return found is not None and bool({"raw_text", "message"} & found.keys())

    def read(value: Any) -> Iterator[Mapping[str, Any]]:
        if not isinstance(value, Mapping):
            raise Fault("the row is not an object")
        try:
            found = fields.resolve(value.keys(), place="row")
        except ColumnUnknown as error:
            raise Fault(error.message.removeprefix("row: ")) from None
        if not {"raw_text", "message", "gold"} & found.keys():
            raise Fault("the row has neither an answer nor a gold call")
        yield {field: _cell(field, value[column]) for field, column in found.items()}

    return Importer("table", "plain rows with recognised or mapped columns", recognises, read, strict=False)


def _resolve(fields: ColumnMap, value: Any) -> Mapping[str, str] | None:
    try:
        return fields.resolve(value.keys(), place="row") if isinstance(value, Mapping) else None
    except ColumnUnknown:
        return None


def _cell(field: str, value: Any) -> Any:
    if field in ("id", "source_example_id"):
        if value is not None and type(value) not in (str, int):
            raise Fault(f"{field} is not text or a whole number")
        return None if value in (None, "") else str(value)
    if field == "raw_text" and value is not None and not isinstance(value, str):
        raise Fault("the answer is not text: something has parsed it already")
    if field == "gold" and value not in (None, ""):
        _require_calls(value)
    return value


def _require_calls(gold: Any) -> None:
    try:
        read_gold_calls(gold)
    except GoldFault as fault:
        raise Fault(f"gold {fault.reason}") from None
