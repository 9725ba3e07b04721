"""Gold calls compiled once, for texts that are scored many times: sweeps, rewards, training curves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import compress
from operator import ne
from typing import TYPE_CHECKING, Any

import numpy as np

from faircall.api.score_texts import read_gold
from faircall.canonical import spell
from faircall.errors import UsageError
from faircall.parsing.tool_call import read_call
from faircall.records import METRIC_NAMES, MetricValue, ToolCall
from faircall.scoring.call_metrics import components
from faircall.scoring.match import compile_gold, match_compiled

if TYPE_CHECKING:
    from faircall.records import IntArray


def prepare_gold(gold: Sequence[ToolCall | Mapping[str, Any]]) -> PreparedGold:
    """Compile gold calls once, to score many sets of texts against them.

    Args:
        gold: a `ToolCall` or `{"name": ..., "arguments": {...}}` per example.

    Raises:
        DataError: a gold call that cannot be used.

    >>> gold = prepare_gold([{"name": "ping", "arguments": {}}])
    >>> [gold.metrics([text])["valid_json_rate"].numerator for text in ("Sunny.", "[]", "{}")]
    [0, 0, 0]
    """
    return PreparedGold(gold)


class PreparedGold:
    """The gold calls of a set of examples; scores any texts against them, in the same order.

    Only the five metrics are computed, by the functions that `score` uses: no ids, no intervals, no causes.

    >>> gold = PreparedGold([{"name": "wx", "arguments": {"city": "Graz"}}] * 2)
    >>> gold.metrics(['{"name":"wx","arguments":{"city":"Graz"}}', "Sunny."])["valid_json_rate"]
    MetricValue(numerator=1, denominator=2)
    """

    def __init__(self, gold: Sequence[ToolCall | Mapping[str, Any]]) -> None:
        """Compile `gold`: a `ToolCall` or `{"name": ..., "arguments": {...}}` per example.

        Raises:
            DataError: a gold call that cannot be used.
        """
        calls = [read_gold(value, row) for row, value in enumerate(gold)]
        spellings = (spell({"arguments": call.arguments, "name": call.name}) for call in calls)
        self._golds = [compile_gold(call) for call in calls]
        # The canonical spelling of a gold call is a text that every reader of JSON reads as that call.
        self._spellings = list(spellings)
        self._perfect = components(gold.perfect for gold in self._golds)

    def components(self, texts: Sequence[str]) -> IntArray:
        """Components of every metric: int64, shape (rows, len(METRIC_NAMES), 2).

        Raises:
            UsageError: not one text per gold call.
        """
        if len(texts) != len(self._golds):
            message = f"{len(texts)} texts for {len(self._golds)} gold calls"
            raise UsageError(message, hint="give one text per gold call")
        golds = self._golds
        other = list(compress(range(len(texts)), map(ne, texts, self._spellings)))
        table = self._perfect.copy()
        table[other] = components([match_compiled(golds[row], read_call(texts[row])) for row in other])
        return table

    def metrics(self, texts: Sequence[str]) -> dict[str, MetricValue]:
        """The five metrics over all texts."""
        sums = self.components(texts).sum(axis=0, dtype=np.int64).tolist()
        return {name: MetricValue(*pair) for name, pair in zip(METRIC_NAMES, sums, strict=True)}
