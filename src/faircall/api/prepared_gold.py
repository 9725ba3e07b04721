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
from faircall.scoring.match import CompiledGold, compile_gold, match_compiled

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
    """The gold calls of a set of examples; scores any texts against them.

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

    def components(self, texts: Sequence[str], *, rows: Sequence[int] | None = None) -> IntArray:
        """Components of every metric: int64, shape (texts, len(METRIC_NAMES), 2).

        Args:
            texts: what was answered; "" for an answer that is missing.
            rows: for each text the gold call that it is held against, counted from 0; several texts may have
                the same. Text i belongs to gold call i when left out.

        Raises:
            UsageError: not one text per gold call (or per row), a row that is not there, or what is no text.

        >>> gold = PreparedGold([{"name": "f", "arguments": {}}, {"name": "g", "arguments": {}}])
        >>> call = '{"arguments":{},"name":"g"}'
        >>> gold.components([call, "No.", call], rows=[1, 1, 0])[:, 4, 0].tolist()
        [1, 0, 0]
        """
        golds, spellings, perfect = self._select(rows)
        self._require_texts(texts, len(golds))
        other = list(compress(range(len(texts)), map(ne, texts, spellings)))
        perfect[other] = components([match_compiled(golds[row], read_call(texts[row])) for row in other])
        return perfect

    def metrics(self, texts: Sequence[str], *, rows: Sequence[int] | None = None) -> dict[str, MetricValue]:
        """The five metrics over all texts; arguments as in `components`."""
        sums = self.components(texts, rows=rows).sum(axis=0, dtype=np.int64).tolist()
        return {name: MetricValue(*pair) for name, pair in zip(METRIC_NAMES, sums, strict=True)}

    def _select(self, rows: Sequence[int] | None) -> tuple[list[CompiledGold], list[str], IntArray]:
        """Gold calls, their spellings, and a new table of what each earns when it is answered perfectly."""
        if rows is None:
            return self._golds, self._spellings, self._perfect.copy()
        places = np.asarray(rows)
        if places.size and (places.dtype.kind not in "iu" or places.ndim != 1):
            raise UsageError("rows are whole numbers, one per text", hint="count the gold calls from 0")
        if places.size and not 0 <= places.min() <= places.max() < len(self._golds):
            raise UsageError(
                f"rows from {places.min()} to {places.max()} of {len(self._golds)} gold calls",
                hint="count the gold calls from 0",
            )
        chosen = places.astype(np.int64)
        numbers = chosen.tolist()
        golds = [self._golds[row] for row in numbers]
        return golds, [self._spellings[row] for row in numbers], self._perfect[chosen]

    @staticmethod
    def _require_texts(texts: Sequence[str], count: int) -> None:
        if len(texts) != count:
            message = f"{len(texts)} texts for {count} gold calls"
            raise UsageError(
                message, hint="give one text per gold call, or say with `rows` whose each text is"
            )
        for kind in set(map(type, texts)) - {str}:
            if not issubclass(kind, str):
                raise UsageError(f"{kind.__name__} is no text", hint='give "" for an answer that is missing')
