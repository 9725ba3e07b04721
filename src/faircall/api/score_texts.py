"""`faircall.score`: texts that exist already, against their gold calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import index
from typing import Any, SupportsIndex, TypeVar

from faircall.api.evaluation import Evaluation, evaluate
from faircall.canonical import canonical_json
from faircall.errors import DataError, DuplicateId, UsageError
from faircall.importing.gold_call import GoldFault, read_gold_call
from faircall.records import Example, Generation, ToolCall
from faircall.strict_json import JsonFault, decode

T = TypeVar("T")


def score(
    gold: Sequence[ToolCall | Mapping[str, Any]],
    raw_texts: Sequence[str | None],
    *,
    tools: Sequence[Mapping[str, Any]] | Sequence[Sequence[Mapping[str, Any]] | None] | None = None,
    ids: Sequence[str | int] | None = None,
    slices: Sequence[str | None] | None = None,
    roots: Sequence[str | int | None] | None = None,
    name: str = "arm",
) -> Evaluation:
    """Parse raw texts with the conservative reader and score them with the five metrics.

    Args:
        gold: the gold call per row, as `ToolCall` or `{"name": ..., "arguments": {...}}`.
        raw_texts: what the model wrote, per row; None is a model that wrote nothing.
        tools: the offered tools: one list for all rows, or one list (or None) per row.
        ids: an id per row; without them rows are numbered and can only be compared in order.
        slices: a slice label (a language) per row.
        roots: the id of the row that a row was translated from; None, or its own id, for a root.
        name: the name of the arm in reports.

    Raises:
        UsageError: columns of unequal length.
        DuplicateId: an id on two rows.
        DataError: a row whose gold call, text, id, root or slice cannot be used.

    >>> gold = [{"name": "wx", "arguments": {"city": "Graz"}}] * 2
    >>> evaluation = score(gold, ['{"name": "wx", "arguments": {"city": "Graz"}}', "Sunny."])
    >>> evaluation.metrics["full_call_exact_match"]
    MetricValue(numerator=1, denominator=2)
    >>> evaluation.diagnosis["causes"]
    {'no_json:no_bracket': 1}
    """
    count = len(raw_texts)
    columns = {"gold": gold, "ids": ids, "slices": slices, "roots": roots}
    for column, values in columns.items():
        _require_length(column, values, count)
    names = _names(ids, count)
    offered = _offered(tools, count)
    labels = [_label(value, row) for row, value in enumerate(_column(slices, count))]
    sources = [
        None if value is None else _identifier(value, row, column="root")
        for row, value in enumerate(_column(roots, count))
    ]
    examples = [
        Example(
            example_id=names[row],
            gold=read_gold(gold[row], row),
            tools=offered[row],
            language=labels[row],
            source_example_id=sources[row],
        )
        for row in range(count)
    ]
    generations = [
        Generation(example_id=names[row], raw_text=_text(text, row), language=labels[row])
        for row, text in enumerate(raw_texts)
    ]
    return evaluate(examples, generations, name=name, ids_given=ids is not None)


def _require_length(column: str, values: Sequence[Any] | None, count: int) -> None:
    if values is not None and len(values) != count:
        raise UsageError(f"{len(values)} {column} for {count} raw texts", hint="give one of each per row")


def _names(ids: Sequence[str | int] | None, count: int) -> list[str]:
    if ids is None:
        return [str(number) for number in range(1, count + 1)]
    names = [_identifier(value, row, column="id") for row, value in enumerate(ids)]
    first: dict[str, int] = {}
    for row, name in enumerate(names):
        if first.setdefault(name, row) != row:
            message = f"id {name!r} is on row {first[name]} and on row {row}"
            raise DuplicateId(message, hint="rows are joined by id, so each id may occur once")
    return names


def _identifier(value: Any, row: int, *, column: str) -> str:
    """Text that is not empty, or a whole number (numpy's too) as text."""
    if isinstance(value, str) and value:
        return value
    if isinstance(value, SupportsIndex) and not isinstance(value, bool):
        return str(index(value))
    message = f"the {column} of row {row} is {value!r}, not text or a whole number"
    raise DataError(message, hint="rows are joined by id across files, so an id is one exact text")


def _label(value: Any, row: int) -> str | None:
    if value is None or isinstance(value, str):
        return value
    message = f"the slice of row {row} is {value!r}, not text"
    raise DataError(message, hint="a slice is a label such as a language, or None")


def _column(values: Sequence[T | None] | None, count: int) -> Sequence[T | None]:
    return [None] * count if values is None else values


def _offered(tools: Sequence[Any] | None, count: int) -> Sequence[tuple[Mapping[str, Any], ...] | None]:
    """One tuple per row; rows that offer the same list share one."""
    if tools is None:
        return [None] * count
    if all(isinstance(tool, Mapping) for tool in tools):
        return [tuple(tools)] * count
    _require_length("lists of tools", tools, count)
    shared: dict[int, tuple[Mapping[str, Any], ...]] = {}
    for row, offered in enumerate(tools):
        if offered is not None and id(offered) not in shared:
            shared[id(offered)] = _tool_list(offered, row)
    return [None if offered is None else shared[id(offered)] for offered in tools]


def _tool_list(offered: Any, row: int) -> tuple[Mapping[str, Any], ...]:
    if isinstance(offered, (list, tuple)) and all(isinstance(tool, Mapping) for tool in offered):
        return tuple(offered)
    message = f"the tools of row {row} are not a list of objects"
    raise DataError(message, hint="give one list of tools for all rows, or a list (or None) per row")


def read_gold(value: ToolCall | Mapping[str, Any], row: int) -> ToolCall:
    """The gold call of a row in plain JSON values, whatever mappings and sequences the caller uses.

    Raises:
        DataError: it cannot be used.
    """
    given = value.to_dict() if isinstance(value, ToolCall) else value
    hint = 'a gold call is {"name": "...", "arguments": {...}} of JSON values'
    if not isinstance(given, Mapping):
        raise DataError(f"the gold call of row {row} is {type(given).__name__}, not a call", hint=hint)
    try:
        return read_gold_call(decode(canonical_json(dict(given))))
    except (TypeError, ValueError) as fault:
        reason = fault.reason if isinstance(fault, (GoldFault, JsonFault)) else str(fault)
        raise DataError(f"the gold call of row {row} cannot be used: {reason}", hint=hint) from None


def _text(text: str | None, row: int) -> str:
    if text is not None and not isinstance(text, str):
        message = f"the raw text of row {row} is {type(text).__name__}, not str"
        raise DataError(message, hint="give what the model wrote, before any parsing")
    return text or ""
