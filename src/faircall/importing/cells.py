"""The cells of one row, each read as what its field must be, with file and line in every fault."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from faircall.digest import sha256_text
from faircall.errors import ColumnUnknown, GoldMissing, InvariantViolation, RowInvalid
from faircall.importing.columns import list_columns
from faircall.strict_json import JsonFault, decode

_TYPE_NAMES: Final = {
    type(None): "null", bool: "a boolean", int: "a number", float: "a number", str: "text",
    list: "an array", dict: "an object",
}  # fmt: skip


class Cells(msgspec.Struct, frozen=True):
    """One row: `place` is `file:line`, `columns` says where each field is."""

    place: str
    number: int
    row: Mapping[str, Any]
    columns: Mapping[str, str]

    def get(self, field: str) -> Any:
        """The raw cell; None where the row has no such column."""
        column = self.columns.get(field)
        return None if column is None else self.row[column]

    def fault(self, field: str, reason: str, *, hint: str = "") -> RowInvalid:
        """An error about one cell, to be raised."""
        column = self.columns.get(field, field)
        name = field if column == field else f"{field} (column {column!r})"
        return RowInvalid(
            f"{self.place}: {name} {reason}", hint=hint or f"--map {field}=COLUMN reads another"
        )

    def gold_missing(self) -> GoldMissing:
        """The error of a row without a gold call, to be raised."""
        hint = "fill in its gold, or take the row out"
        if "gold" not in self.columns:
            where = "--gold FILE or --map gold=COLUMN say where it is"
            hint = f"`faircall check` needs no gold; {where}; the row has {list_columns(self.row)}"
        return GoldMissing(f"{self.place}: the row has no gold call", hint=hint)

    def text(self, field: str) -> str | None:
        """Text, None for null and for no column."""
        if field not in self.columns:
            return None
        value = self.row[self.columns[field]]
        if value is not None and not isinstance(value, str):
            raise self.fault(field, f"is {_TYPE_NAMES[type(value)]}, not text")
        return value

    def identifier(self, field: str) -> str | None:
        """Text or a whole number as text; None for null, for an empty text and for no column."""
        value = self.get(field)
        if value is not None and type(value) not in (str, int):
            raise self.fault(field, f"is {_TYPE_NAMES[type(value)]}, not text or a whole number")
        return None if value in (None, "") else str(value)

    def mapping(self, field: str) -> dict[str, Any] | None:
        """An object, None for null and for no column."""
        if field not in self.columns:
            return None
        value = self.row[self.columns[field]]
        if value is not None and not isinstance(value, dict):
            raise self.fault(field, f"is {_TYPE_NAMES[type(value)]}, not an object")
        return value

    def decoding(self) -> dict[str, Any] | None:
        """The decoding that the row ran with."""
        return with_float_temperature(self.mapping("decoding"))

    def objects(self, field: str) -> tuple[Mapping[str, Any], ...] | None:
        """An array of objects, or the JSON text of one; None for null and for no column."""
        value = self.get(field)
        if value is None:
            return None
        if isinstance(value, str):
            value = self._decoded(field, value)
        if not isinstance(value, list) or not all(isinstance(member, dict) for member in value):
            raise self.fault(field, "is not an array of objects")
        return tuple(value)

    def raw_text(self) -> str:
        """What the model wrote; null is a model that wrote nothing. A server's message has its text inside.

        Raises:
            ColumnUnknown: the row has no such column.
            RowInvalid: it is not text: something has parsed it already, and its text is lost.
        """
        if "raw_text" not in self.columns and "message" in self.columns:
            return self._message_text()
        if "raw_text" not in self.columns:
            message = f"{self.place}: no column holds the raw text of the model"
            hint = f"--map raw_text=COLUMN says which; the row has {list_columns(self.row)}"
            raise ColumnUnknown(message, hint=hint)
        value = self.get("raw_text")
        if value is not None and not isinstance(value, str):
            hint = "faircall reads what the model wrote, so that parsing can be repeated"
            raise self.fault("raw_text", f"is {_TYPE_NAMES[type(value)]}, not text", hint=hint)
        return value or ""

    def prompt(self) -> str | None:
        """The text that the model continued; None where it is not known or kept in another form."""
        value = self.get("prompt")
        return value if isinstance(value, str) else None

    def prompt_sha256(self) -> str | None:
        """The digest of the prompt: made from its text, or as given; both must agree.

        Raises:
            InvariantViolation: the text is not the one that was digested.
        """
        if "prompt" not in self.columns and "prompt_sha256" not in self.columns:
            return None
        prompt, given = self.get("prompt"), self.text("prompt_sha256")
        made = sha256_text(prompt) if isinstance(prompt, str) else None
        if made is not None and given not in (None, made):
            message = f"{self.place}: prompt_sha256 is not the digest of the prompt"
            raise InvariantViolation(message, hint="the file was changed after it was written")
        return made or given

    def _message_text(self) -> str:
        """The content of the message: text, null, or parts of which some are text."""
        content = (self.mapping("message") or {}).get("content")
        parts = content if isinstance(content, list) else [{"text": content}]
        texts = [part.get("text") for part in parts if isinstance(part, Mapping)]
        return "".join(text for text in texts if isinstance(text, str))

    def _decoded(self, field: str, text: str) -> Any:
        try:
            return decode(text)
        except JsonFault as fault:
            raise self.fault(field, f"is not valid JSON (character {fault.offset + 1})") from None


def with_float_temperature(decoding: dict[str, Any] | None) -> dict[str, Any] | None:
    """A decoding as a config spells it: a temperature of 0 is one of 0.0."""
    if decoding is None or type(decoding.get("temperature")) is not int or decoding["temperature"] != 0:
        return decoding
    return {**decoding, "temperature": 0.0}
