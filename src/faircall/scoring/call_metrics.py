"""The five call metrics: each a function from matches to one (numerator, denominator) per example.

Totals, slices, intervals and reports only add these components; nothing else in faircall knows a metric.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

import numpy as np

from faircall.records import METRIC_NAMES
from faircall.scoring.match import CallMatch

if TYPE_CHECKING:
    from faircall.records import IntArray


class MatchColumns(NamedTuple):
    """`CallMatch` by column: int64, shape (rows,)."""

    parsed: IntArray
    name: IntArray
    arguments: IntArray
    full: IntArray
    matched: IntArray
    gold_pairs: IntArray
    predicted_pairs: IntArray


METRIC_PROTOCOL: Final = "faircall.call_metrics.v1"
"""Which definitions the numbers follow; two results are compared only under one protocol."""

Component: TypeAlias = "tuple[IntArray, IntArray]"
CallMetric: TypeAlias = Callable[[MatchColumns], Component]


def valid_json_rate(rows: MatchColumns) -> Component:
    """Did the output parse into one well-formed call?"""
    return rows.parsed, np.ones_like(rows.parsed)


def function_name_accuracy(rows: MatchColumns) -> Component:
    """Does the parsed call name the gold tool, character for character?"""
    return rows.name, np.ones_like(rows.name)


def argument_exact_match(rows: MatchColumns) -> Component:
    """Are the arguments canonically equal to the gold arguments, whatever the name?"""
    return rows.arguments, np.ones_like(rows.arguments)


def argument_f1(rows: MatchColumns) -> Component:
    """Twice the matched pairs over gold and predicted pairs; sums of both give micro-averaged F1."""
    return 2 * rows.matched, rows.gold_pairs + rows.predicted_pairs


def full_call_exact_match(rows: MatchColumns) -> Component:
    """Is the call the gold call: parsed, named and with arguments exactly right?"""
    return rows.full, np.ones_like(rows.full)


CALL_METRICS: Final[Mapping[str, CallMetric]] = {
    "valid_json_rate": valid_json_rate,
    "function_name_accuracy": function_name_accuracy,
    "argument_exact_match": argument_exact_match,
    "argument_f1": argument_f1,
    "full_call_exact_match": full_call_exact_match,
}


def components(matches: Iterable[CallMatch]) -> IntArray:
    """Components of every metric: int64, shape (rows, len(METRIC_NAMES), 2), numerator before denominator."""
    kinds: dict[CallMatch, int] = {}  # few matches are distinct: metrics are computed once for each
    kind_of_row = [kinds.setdefault(match, len(kinds)) for match in matches]
    table = np.array(list(kinds), dtype=np.int64).reshape(-1, len(CallMatch._fields))
    columns = MatchColumns(*table.T)
    by_kind = np.stack([np.stack(CALL_METRICS[name](columns), axis=-1) for name in METRIC_NAMES], axis=1)
    return by_kind[np.array(kind_of_row, dtype=np.int64)]
