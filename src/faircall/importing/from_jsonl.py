"""Rows `{id, raw_text, gold, ...}` of model outputs as examples and generations.

Rows are joined by id, never by position. What a file shows of the conditions (prompts, decoding, model)
becomes identity; what it does not show stays unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, TypeAlias

from msgspec.structs import replace

from faircall.canonical import spell
from faircall.errors import ColumnUnknown, DataError, DuplicateId, IdMismatch, InvariantViolation, RowInvalid
from faircall.importing.cells import Cells
from faircall.importing.columns import ColumnMap, list_columns
from faircall.importing.gold_call import GoldFault, read_gold_call
from faircall.records import Example, Generation, Gold, Identity, ToolCall
from faircall.store.files import JsonLine

TruthReader: TypeAlias = Callable[[Mapping[str, Any]], Gold]
"""The gold of a declared protocol from `TRUTH_FIELDS` of a row; a ValueError says what is wrong with it."""

TRUTH_FIELDS: Final = ("gold", "accepted", "should_call_tool")
TASK_FIELDS: Final = (*TRUTH_FIELDS, "tools", "language", "source_example_id", "query", "messages")


@dataclass(frozen=True, slots=True)
class ImportedRows:
    """The rows of one arm, in the order of the file.

    Attributes:
        identity: the sections that the rows attest.
        ids_given: whether the rows carry ids; if not, ids are row numbers and pair nothing by name.
        columns: which column each field was read from, for the reader of a report.
        prompts: the prompt text per row, None where it is not there: a thought may begin in it.
    """

    examples: tuple[Example, ...]
    generations: tuple[Generation, ...]
    identity: Identity
    ids_given: bool
    columns: Mapping[str, str]
    prompts: tuple[str | None, ...]


class ImportedRow(NamedTuple):
    """One row: what it says about the task, what the model answered, and after which text."""

    example: Example
    generation: Generation
    prompt: str | None


def import_rows(
    lines: Iterable[JsonLine],
    *,
    label: str,
    columns: Mapping[str, str] | None = None,
    gold: Mapping[str, Example] | None = None,
    gold_needed: bool = True,
    read_truth: TruthReader | None = None,
    extra_columns: Sequence[str] = (),
) -> ImportedRows:
    """Read the rows of one file.

    Args:
        lines: decoded rows with their line numbers.
        label: the name of the file, for messages.
        columns: field -> column, where the recognised names do not fit. With `gold`, what it says of the task
            (`TASK_FIELDS`) may be in either file.
        gold: examples of a gold file by id (see `import_gold`); they win over what the rows say.
        gold_needed: whether a row without a gold call is an error.
        read_truth: the gold of a declared protocol, which then stands in `Example.truth` and nowhere else.
        extra_columns: columns that become `Example.extra`: grouping keys for slices and clusters.

    Raises:
        RowInvalid, DuplicateId, ColumnUnknown, GoldMissing: with file and line.
        IdMismatch: `gold` and the rows do not have the same ids.
        InvariantViolation: a prompt that is not its digest, or mixed decoding.
    """
    chosen = columns or {}
    wanted = [field for field in chosen if gold is None or field not in TASK_FIELDS]
    reader = RowReader(
        label,
        ColumnMap(chosen, wanted=wanted),
        gold=gold,
        gold_needed=gold_needed,
        read_truth=read_truth,
        extra_columns=extra_columns,
    )
    rows = [
        ImportedRow(example, reader.generation(cells, example), cells.prompt())
        for cells, example in reader.read(lines)
    ]
    if gold is not None:
        _require_answers(gold, reader.lines_by_id, label)
    return ImportedRows(
        examples=tuple(row.example for row in rows),
        generations=tuple(row.generation for row in rows),
        identity=reader.identity(),
        ids_given=reader.ids_given,
        columns=reader.columns_used,
        prompts=tuple(row.prompt for row in rows),
    )


def import_gold(
    lines: Iterable[JsonLine],
    *,
    label: str,
    columns: Mapping[str, str] | None = None,
    read_truth: TruthReader | None = None,
) -> dict[str, Example]:
    """The examples of a gold file by id; rows need an id and a gold call, and no answer.

    Raises:
        RowInvalid, DuplicateId, ColumnUnknown, GoldMissing: with file and line.
    """
    reader = RowReader(label, ColumnMap(columns or {}, wanted=("gold",)), read_truth=read_truth)
    examples = {example.example_id: example for _, example in reader.read(lines)}
    if examples and not reader.ids_given:
        raise ColumnUnknown(f"{label}: gold rows have no id", hint="--map id=COLUMN says where it is")
    return examples


class RowReader:
    """Rows one at a time, so that a caller may hold as few as it likes."""

    def __init__(
        self,
        label: str,
        columns: ColumnMap,
        *,
        gold: Mapping[str, Example] | None = None,
        gold_needed: bool = True,
        read_truth: TruthReader | None = None,
        extra_columns: Sequence[str] = (),
    ) -> None:
        self.label = label
        self.ids_given = True
        self.lines_by_id: dict[str, int] = {}
        self.columns_used: dict[str, str] = {}
        self._gold = gold
        self._gold_needed = gold_needed
        self._read_truth = read_truth
        self._columns = columns
        self._extra_columns = extra_columns
        self._rows = 0
        self._shared: dict[str, Any] = {}
        self._tool_lists: dict[str, tuple[Mapping[str, Any], ...]] = {}

    def read(self, lines: Iterable[JsonLine]) -> Iterator[tuple[Cells, Example]]:
        """The cells and the example of each row, in the order of the lines."""
        for number, value in lines:
            cells = self._cells(number, value)
            self._rows += 1
            yield cells, self._example(cells, self._id(cells))

    def generation(self, cells: Cells, example: Example) -> Generation:
        """What the model answered in this row."""
        raw_text = cells.raw_text()
        self._share(cells, "model", cells.text("model"))
        return Generation(
            example_id=example.example_id,
            raw_text=raw_text,
            language=example.language,
            prompt_sha256=cells.prompt_sha256(),
            decoding=self._share(cells, "decoding", cells.decoding()),
            finish_reason=cells.text("finish_reason"),
            message=cells.mapping("message"),
            failure=cells.text("failure"),
        )

    def identity(self) -> dict[str, dict[str, Any]]:
        """The sections that every row so far agrees on."""
        return attested_identity(self._shared.get("model"), self._shared.get("decoding"))

    def _cells(self, number: int, value: Any) -> Cells:
        place = f"{self.label}:{number}"
        if not isinstance(value, dict):
            raise RowInvalid(
                f"{place}: the row is not an object",
                hint="one JSON object per line; `faircall import FILE -o rows.jsonl` reads a JSON array",
            )
        columns = self._columns.resolve(value.keys(), place=place)
        self.columns_used.update(columns)
        return Cells(place, number, value, columns)

    def _id(self, cells: Cells) -> str:
        given = "id" in cells.columns
        if self._rows == 1:
            self.ids_given = given
        if given != self.ids_given:
            word = "an id, and rows before it have none" if given else "no id, and rows before it have one"
            raise RowInvalid(f"{cells.place}: the row has {word}", hint="give every row an id, or none")
        name = cells.identifier("id") if given else str(self._rows)
        if name is None:
            raise cells.fault("id", "is empty")
        first = self.lines_by_id.setdefault(name, cells.number)
        if first != cells.number:
            message = f"{self.label}: id {name!r} is on line {first} and on line {cells.number}"
            raise DuplicateId(message, hint="rows are joined by id, so each id may occur once")
        return name

    def _example(self, cells: Cells, example_id: str) -> Example:
        from_row = self._gold is None
        own = Example(
            example_id=example_id,
            gold=self._gold_call(cells) if from_row and self._read_truth is None else None,
            tools=self._tools(cells),
            language=cells.text("language"),
            source_example_id=cells.identifier("source_example_id"),
            query=cells.text("query"),
            messages=cells.objects("messages"),
            extra=self._extra(cells),
            truth=self._truth(cells) if from_row else None,
        )
        return own if self._gold is None else self._with_gold(own, cells.place)

    def _with_gold(self, own: Example, place: str) -> Example:
        """The gold file's task; what it leaves open is taken from the row."""
        gold = self._gold.get(own.example_id) if self._gold else None
        if gold is None:
            message = f"{place}: id {own.example_id!r} is not in the gold file"
            raise IdMismatch(message, hint="both files must hold the same ids")
        return replace(
            gold,
            tools=gold.tools if gold.tools is not None else own.tools,
            language=gold.language or own.language,
            source_example_id=gold.source_example_id or own.source_example_id,
            query=gold.query if gold.query is not None else own.query,
            messages=gold.messages if gold.messages is not None else own.messages,
            extra={**own.extra, **gold.extra},
        )

    def _gold_call(self, cells: Cells) -> ToolCall | None:
        value = cells.get("gold")
        if value is None:
            if self._gold_needed:
                raise cells.gold_missing()
            return None
        try:
            return read_gold_call(value)
        except GoldFault as fault:
            raise cells.fault("gold", fault.reason) from None

    def _truth(self, cells: Cells) -> Gold | None:
        if self._read_truth is None:
            return None
        try:
            return self._read_truth({field: cells.get(field) for field in TRUTH_FIELDS})
        except ValueError as fault:
            hint = "docs/protocols.md has the form of a gold under each protocol"
            raise RowInvalid(f"{cells.place}: the row {fault}", hint=hint) from None

    def _extra(self, cells: Cells) -> dict[str, Any]:
        found = {name: cells.row[name] for name in self._extra_columns if name in cells.row}
        if self._rows == 1 and len(found) < len(self._extra_columns):
            name = next(name for name in self._extra_columns if name not in found)
            hint = f"the row has {list_columns(cells.row)}"
            raise ColumnUnknown(f"{cells.place}: there is no column {name!r}", hint=hint)
        return found

    def _tools(self, cells: Cells) -> tuple[Mapping[str, Any], ...] | None:
        tools = cells.objects("tools")
        # One object for all rows that offer the same tools: digests and schemas are then made once.
        return tools if tools is None else self._tool_lists.setdefault(spell(tools), tools)

    def _share(self, cells: Cells, field: str, value: Any) -> Any:
        """`value`, which must be that of every row: one file is one arm under one set of conditions."""
        first = self._shared.setdefault(field, value)
        if first is value or spell(first) == spell(value):  # 1, 1.0 and true are three values (D6)
            return value
        message = f"{cells.place}: the {field} is not that of the rows before it"
        error = InvariantViolation if field == "decoding" else DataError
        raise error(message, hint="split the file: one file is one arm under one set of conditions")


def attested_identity(model: str | None, decoding: Mapping[str, Any] | None) -> dict[str, dict[str, Any]]:
    """The sections of the identity that rows attest by their model and their decoding."""
    found: dict[str, dict[str, Any]] = {}
    if model is not None:
        found["model"] = {"base_model_id": model}
    if decoding is not None:
        found["decoding"] = dict(decoding)
    return found


def _require_answers(gold: Mapping[str, Example], answered: Mapping[str, int], label: str) -> None:
    missing = [example_id for example_id in gold if example_id not in answered]
    if missing:
        message = f"{label}: {len(missing)} ids of the gold file have no row, first {missing[0]!r}"
        raise IdMismatch(message, hint="an answer that is missing is a row with an empty raw_text")
