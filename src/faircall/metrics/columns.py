"""Unit results by column: what aggregator metrics compute on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from faircall.metrics.levels import Labels, LevelTable
from faircall.metrics.unit_metrics.unit_metric_result import UnitMetricResult
from faircall.metrics.unit_metrics.unit_results import UnitResults
from faircall.metrics.values import MISSING

if TYPE_CHECKING:
    from numpy.typing import NDArray

    BoolArray: TypeAlias = NDArray[np.bool_]

Side: TypeAlias = Literal["golden", "predicted"]


@dataclass(frozen=True, slots=True)
class Compared:
    """The texts that a unit metric compared, after its normalisation, and the keys it read them under."""

    keys: tuple[str | None, str | None]
    golden: Labels
    predicted: Labels


class ResultColumns:
    """Verdicts, golden and predicted values of many results; derived columns are kept once computed.

    Attributes:
        correct: the verdicts, shape (rows,).
        golden: the golden values. predicted: the predicted values.
    """

    def __init__(
        self,
        correct: BoolArray,
        *,
        golden: Sequence[Any],
        predicted: Sequence[Any],
        metadata: Callable[[], Iterable[dict[str, Any]]],
        compared: Callable[[], Compared | None] | None = None,
    ) -> None:
        """Hold columns of one length; `metadata` and `compared` are made when they are asked for."""
        self.correct = correct
        self.golden = golden
        self.predicted = predicted
        self._metadata = metadata
        self._labels: dict[tuple[Side, str | None], Labels] = {}
        self._compared = compared or self._read_compared

    @classmethod
    def of(cls, results: Sequence[UnitMetricResult]) -> ResultColumns:
        """The columns of `results`: those that they still carry, else read from the rows.

        Raises:
            TypeError: something in `results` is not a unit metric result.
        """
        if isinstance(results, UnitResults) and results.columns is not None:
            return results.columns
        rows = list(results)
        try:
            correct = np.fromiter(map(bool, map(attrgetter("correct"), rows)), np.bool_, len(rows))
            golden = list(map(attrgetter("golden"), rows))
            predicted = list(map(attrgetter("predicted"), rows))
        except AttributeError as error:
            raise TypeError(f"aggregator metrics take UnitMetricResult objects: {error}") from error
        return cls(
            correct, golden=golden, predicted=predicted, metadata=lambda: map(attrgetter("metadata"), rows)
        )

    def __len__(self) -> int:
        return len(self.correct)

    def rows(self) -> list[UnitMetricResult]:
        """The results as objects."""
        return list(
            map(UnitMetricResult, self.correct.tolist(), self.golden, self.predicted, self._metadata())
        )

    def labels(self, side: Side, key: str | None) -> Labels:
        """The class of each row's golden or predicted value (`value_under` the key), before normalisation."""
        if (side, key) not in self._labels:
            rows = self.golden if side == "golden" else self.predicted
            self._labels[side, key] = LevelTable().encode_under(rows, key)
        return self._labels[side, key]

    def remember(self, side: Side, key: str | None, *, labels: Labels) -> None:
        """Keep labels that were computed already."""
        self._labels[side, key] = labels

    @cached_property
    def compared(self) -> Compared | None:
        """What the unit metric compared; None when it compares no texts, or results are of mixed origin."""
        return self._compared()

    def metadata_labels(self, key: str) -> Labels:
        """The class of each row's metadata under `key`.

        Raises:
            ValueError: a row whose metadata lacks the key, named by its position.
        """
        column = [metadata.get(key, MISSING) for metadata in self._metadata()]
        labels = LevelTable().encode(column)
        if absent := np.flatnonzero(labels.missing()).tolist():
            raise ValueError(
                f"result {absent[0]} has no {key!r} in its metadata ({len(absent)} results lack it)"
            )
        return labels

    def _read_compared(self) -> Compared | None:
        metadata = list(self._metadata())
        if not metadata or not all("golden_text" in one and "predicted_text" in one for one in metadata):
            return None
        keys = {_keys_of(one) for one in metadata}
        if len(keys) > 1:
            return None
        table = LevelTable()
        return Compared(
            keys.pop(),
            golden=table.encode([_text_or_missing(one, "golden") for one in metadata]),
            predicted=table.encode([_text_or_missing(one, "predicted") for one in metadata]),
        )


def _keys_of(metadata: Mapping[str, Any]) -> tuple[str | None, str | None]:
    shared = metadata.get("key")
    return metadata.get("golden_key", shared), metadata.get("predicted_key", shared)


def _text_or_missing(metadata: Mapping[str, Any], side: Side) -> Any:
    return MISSING if side in metadata.get("missing", ()) else metadata[f"{side}_text"]
