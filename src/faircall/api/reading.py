"""Generations through a declared reader; the default is always computed beside another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from faircall.errors import ColumnUnknown
from faircall.parsing import readers
from faircall.parsing.readers import Notice, Reader, Reading, ReadingInput
from faircall.parsing.readers.abstention import mark_abstentions
from faircall.parsing.tool_call import parse_generations
from faircall.records import PARSER_VERSION, Example, Generation, Parsed
from faircall.scoring.scores import score_rows
from faircall.scoring.totals import metric_block

AFTER_SERVER: Final = "after the server's parser"

_COUNTERS: Final = ("ignored", "thought", "calls_in_thought", "object_arguments", "server_missed")


@dataclass(frozen=True, slots=True)
class ReadRows:
    """What a reader found in every row of an arm.

    Attributes:
        parsed: per row.
        identity: the section `reader` of the identity.
        facts: counters, the default reader's metrics beside, the notice; None when there is nothing to say.
    """

    parsed: tuple[Parsed, ...]
    identity: Mapping[str, Any]
    facts: Mapping[str, Any] | None


def read_generations(
    examples: Sequence[Example],
    generations: Sequence[Generation],
    *,
    reader: str = PARSER_VERSION,
    prompts: Sequence[str | None] | None = None,
    beside: bool = True,
) -> ReadRows:
    """Read aligned rows; `prompts` are the stored prompt texts, where readers of thoughts need them.

    With `beside`, another reader than the default has the metrics under the default beside it. Without, the
    rows are for a protocol that may want no call at all, and answers that make none are marked.

    Raises:
        ConfigError: no reader has that name.
        ColumnUnknown: a native reader, and no row has a message.
    """
    chosen = readers.get(reader)
    inputs = readers.inputs_of(examples, generations, prompts=prompts)
    _require_messages(chosen, inputs)
    notice = readers.notice_unknown(chosen, inputs)
    identity = readers.reader_identity(chosen)
    mark = (lambda parsed: parsed) if beside else partial(mark_abstentions, generations)
    if chosen.name == PARSER_VERSION:
        facts = {"reader": chosen.name, **describe_notice(notice)} if notice else None
        return ReadRows(mark(parse_generations(generations)), identity, facts)
    rows = readers.read_rows(chosen, inputs)
    default = {"beside": _beside(examples, generations)} if beside else {}
    facts = {**_facts(chosen, rows, inputs), **default, **describe_notice(notice)}
    return ReadRows(mark(tuple(row.parsed for row in rows)), identity, facts)


def _require_messages(reader: Reader, inputs: Sequence[ReadingInput]) -> None:
    if reader.native and inputs and all(given.message is None for given in inputs):
        raise ColumnUnknown(
            f"{reader.name} reads structured fields, and no row has a message",
            hint="--map message=COLUMN says where it is, or use a reader of texts",
        )


def _facts(reader: Reader, rows: Sequence[Reading], inputs: Sequence[ReadingInput]) -> dict[str, Any]:
    totals = {counter: sum(int(getattr(row, counter)) for row in rows) for counter in _COUNTERS}
    without_message = sum(given.message is None for given in inputs) if reader.native else 0
    label = {"label": AFTER_SERVER, "rows_without_message": without_message} if reader.native else {}
    return {"reader": reader.name, **label, **totals}


def _beside(examples: Sequence[Example], generations: Sequence[Generation]) -> dict[str, Any]:
    """The five metrics under the default reader."""
    scores = score_rows(examples, generations, parse_generations(generations))
    return {"reader": PARSER_VERSION, "metrics": metric_block(scores)}


def describe_notice(notice: Notice | None) -> dict[str, Any]:
    """A notice as it stands in a report; nothing where there is none."""
    if notice is None:
        return {}
    return {"notice": notice.text(), "suggested_reader": notice.suggestion}
