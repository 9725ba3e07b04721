"""Some rows of a file, scored: what a summary needs of them, and nothing else.

lines --> columns --> rows whose text is the gold call to the letter + all others --> ScoredBlock

Most of what a good model writes is the gold call: such a row costs one comparison. The others are read and
scored by the very functions that score a whole file. Lines with anything unusual are imported one by one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from faircall.api.name_digests import digest_names
from faircall.errors import FaircallError
from faircall.importing.from_jsonl import import_rows
from faircall.importing.row_columns import RowColumns, columns_of, read_columns
from faircall.parsing import readers
from faircall.parsing.span import first_bracket
from faircall.parsing.tool_call import BACKEND_FAILED, parse_tool_call
from faircall.records import Example, Identity, Parsed
from faircall.scoring.call_metrics import components
from faircall.scoring.causes import cause_of_miss
from faircall.scoring.diagnosis import DiagnosisCounts
from faircall.scoring.match import CallMatch, count_pairs, match_call
from faircall.scoring.scores import stops_at_limit
from faircall.store.collector import without_collector
from faircall.store.files import LineBlock, decode_lines
from faircall.strict_json.columns import escape, spell_quickly

if TYPE_CHECKING:
    from faircall.records import IntArray

    BoolArray: TypeAlias = np.ndarray[tuple[int], np.dtype[np.bool_]]
    Codes: TypeAlias = np.ndarray[tuple[int], np.dtype[np.int32]]


@dataclass(frozen=True, slots=True)
class ScoredBlock:
    """What a summary needs of some rows.

    Attributes:
        ids: digest of the id per row, 64 bits.
        roots: digest of the root per row; the same object as `ids` where no row names a root.
        labels: the distinct slice labels, in order of appearance.
        label_of_row: index into `labels`.
        kinds: components that rows have, shape (kinds, metrics, 2).
        kind_of_row: index into `kinds`.
    """

    ids: IntArray
    roots: IntArray
    labels: tuple[str | None, ...]
    label_of_row: Codes
    kinds: IntArray
    kind_of_row: Codes
    diagnosis: DiagnosisCounts
    marks: Counter[frozenset[str]]
    identity: Identity


@without_collector()
def score_block(block: LineBlock, *, label: str, columns: Mapping[str, str] | None) -> ScoredBlock | None:
    """The rows of one block, scored; None where only the whole file can tell what is wrong with them."""
    rows = read_columns(block.data, columns=columns)
    try:
        rows = _import_columns(block, label, columns) if rows is None else rows
        return None if rows is None else _score(rows)
    except FaircallError:
        return None


def _import_columns(block: LineBlock, label: str, columns: Mapping[str, str] | None) -> RowColumns | None:
    """The columns of rows that are imported one by one; None where they have no ids."""
    lines = decode_lines(block.lines, label=label, number=block.number)
    rows = import_rows(lines, label=label, columns=columns)
    return columns_of(rows) if rows.examples and rows.ids_given else None


def _score(rows: RowColumns) -> ScoredBlock:
    diagnosis = DiagnosisCounts(
        truncated=sum(map(stops_at_limit, filter(None, rows.finish_reasons))),
        backend_failed=len(rows.failures) - rows.failures.count(None),
    )
    kinds, kind_of_row = _match(rows, diagnosis)
    ids = digest_names(rows.ids)
    labels, label_of_row = _number(rows.languages)
    return ScoredBlock(
        ids=ids,
        roots=_digest_roots(rows.sources, ids),
        labels=labels,
        label_of_row=label_of_row,
        kinds=components(kinds),
        kind_of_row=kind_of_row,
        diagnosis=diagnosis,
        marks=_count_marks(rows),
        identity=rows.identity,
    )


def _match(rows: RowColumns, diagnosis: DiagnosisCounts) -> tuple[list[CallMatch], Codes]:
    """The matches that rows have, and which of them is each row's; what else was found is counted."""
    is_gold = _find_gold_texts(rows)
    read = {row: _read(rows, row) for row in np.flatnonzero(~is_gold).tolist()}
    equal = [row for row, found in read.items() if rows.tools[row] is None and _is_gold(rows, row, found)]
    is_gold[equal] = True
    golds = list(compress(rows.golds, is_gold))
    diagnosis.add_golds(golds, trailing_json=sum(read[row].trailing_json for row in equal))
    pairs, pairs_of_row = _number([count_pairs(gold.arguments) for gold in golds])
    rest = np.flatnonzero(~is_gold).tolist()
    others, other_of_row = _number([_match_row(rows, row, read[row], diagnosis) for row in rest])
    kind_of_row = np.empty(len(is_gold), dtype=np.int32)
    kind_of_row[is_gold] = pairs_of_row
    kind_of_row[~is_gold] = other_of_row + len(pairs)
    return [*(CallMatch(1, 1, 1, 1, count, count, count) for count in pairs), *others], kind_of_row


def _find_gold_texts(rows: RowColumns) -> BoolArray:
    """Which texts can only be read as their gold call: it ends them, and no bracket comes before.

    Rows with a failure or with offered tools have more to be looked at.
    """
    same = [
        text == gold or _ends_in(text, gold) or (not gold.isascii() and _ends_in(text, escape(gold)))
        for text, gold in zip(rows.raw_texts, rows.gold_texts, strict=True)
    ]
    found = np.array(same, dtype=np.bool_)
    if rows.failures.count(None) < len(same):
        found &= [failure is None for failure in rows.failures]
    if rows.tools.count(None) < len(same):
        found &= [tools is None for tools in rows.tools]
    return found


def _ends_in(text: str, gold: str) -> bool:
    return text.endswith(gold) and first_bracket(text) == len(text) - len(gold)


def _read(rows: RowColumns, row: int) -> Parsed:
    return parse_tool_call(rows.raw_texts[row]) if rows.failures[row] is None else BACKEND_FAILED


def _is_gold(rows: RowColumns, row: int, found: Parsed) -> bool:
    """Whether the call is spelt as its gold call; if not, it may still be equal."""
    return found.call is not None and spell_quickly(found.call) == rows.gold_texts[row]


def _match_row(rows: RowColumns, row: int, found: Parsed, diagnosis: DiagnosisCounts) -> CallMatch:
    """One row by the functions that score a whole file."""
    example = Example(rows.ids[row], rows.golds[row], rows.tools[row])
    match = match_call(rows.golds[row], found.call)
    diagnosis.add_row(example, found, None if match.full else cause_of_miss(example, found))
    return match


def _count_marks(rows: RowColumns) -> Counter[frozenset[str]]:
    if rows.messages.count(None) == len(rows.messages):
        return readers.count_text_marks(rows.raw_texts)
    return readers.count_marks(
        [
            readers.ReadingInput(text, message=message)
            for text, message in zip(rows.raw_texts, rows.messages, strict=True)
        ]
    )


def _digest_roots(sources: Sequence[str | None], ids: IntArray) -> IntArray:
    """The digest of each row's root: its own id where it names no other."""
    if sources.count(None) == len(sources):
        return ids
    named = [source is not None for source in sources]
    roots = ids.copy()
    roots[named] = digest_names([source for source in sources if source is not None])
    return roots


def _number(values: Iterable[Any]) -> tuple[tuple[Any, ...], Codes]:
    """The distinct values in order of appearance, and which of them stands in each row."""
    numbers: dict[Any, int] = {}
    codes = [numbers.setdefault(value, len(numbers)) for value in values]
    return tuple(numbers), np.array(codes, dtype=np.int32)
