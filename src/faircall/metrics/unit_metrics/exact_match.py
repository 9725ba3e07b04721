"""Exact match of texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Final, TypeAlias

import numpy as np
from pydantic import Field

from faircall.metrics.base_metric import MetricOptions
from faircall.metrics.base_metric_metadata import BaseMetricMetadata
from faircall.metrics.columns import Compared, ResultColumns
from faircall.metrics.levels import Labels, LevelTable
from faircall.metrics.unit_metrics.base_unit_metric import BaseUnitMetric, check_lengths, missing_sides
from faircall.metrics.unit_metrics.unit_metric_result import UnitMetricResult
from faircall.metrics.unit_metrics.unit_results import UnitResults
from faircall.metrics.values import MISSING, text_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    BoolArray: TypeAlias = NDArray[np.bool_]
    IntArray: TypeAlias = NDArray[np.int64]


_SEPARATOR: Final = "\0"


class ExactMatchMetricConfig(MetricOptions):
    """Options of exact match."""

    case_sensitive: bool = Field(False, description="tell upper from lower case")
    normalize_whitespace: bool = Field(True, description="trim, and read runs of whitespace as one space")
    key: str | None = Field(None, min_length=1, description="compare what objects hold under this key")
    golden_key: str | None = Field(None, min_length=1, description="the golden key, where it is another one")
    predicted_key: str | None = Field(None, min_length=1, description="the predicted key, where it differs")


class ExactMatchMetric(BaseUnitMetric):
    """Predicted and golden value have the same text.

    Strings are compared as they are, other values by their canonical JSON, so `42` matches `"42"` and the
    order of keys does not matter. A missing key reads as empty text. Each result's metadata holds the two
    texts after normalisation, the key, and `missing`: the sides that had no value.

    >>> metric = ExactMatchMetric(key="tool")
    >>> results = metric.evaluate([{"tool": "Click"}, {"tool": 1}], [{"tool": "click "}, {}])
    >>> [result.correct for result in results]
    [True, False]
    """

    options_model = ExactMatchMetricConfig
    metadata: ClassVar[BaseMetricMetadata | None] = BaseMetricMetadata(
        "exact_match",
        description="Predicted and golden value have the same text.",
        metric_type="unit",
    )

    case_sensitive: bool
    normalize_whitespace: bool
    key: str | None
    golden_key: str | None
    predicted_key: str | None

    @property
    def keys(self) -> tuple[str | None, str | None]:
        """Where golden and predicted values are read."""
        return self.golden_key or self.key, self.predicted_key or self.key

    def evaluate(self, golden: Sequence[Any], predicted: Sequence[Any]) -> list[UnitMetricResult]:
        """Compare pair by pair; a million rows take a fraction of a second when classes repeat.

        Raises:
            ValueError: the two differ in length.
        """
        check_lengths(golden, predicted)
        golden, predicted = list(golden), list(predicted)
        table = LevelTable()
        texts = _Texts(
            self,
            golden=table.encode_under(golden, self.keys[0]),
            predicted=table.encode_under(predicted, self.keys[1]),
        )
        columns = ResultColumns(
            texts.equal(), golden=golden, predicted=predicted, metadata=texts.rows, compared=texts.compared
        )
        columns.remember("golden", self.keys[0], labels=texts.golden)
        columns.remember("predicted", self.keys[1], labels=texts.predicted)
        return UnitResults(columns)

    def normalise(self, values: Sequence[Any]) -> list[str]:
        """The texts of `values` as this metric compares them.

        All at once, joined by a character that none of them holds: neither folding case nor collapsing
        whitespace looks across it.
        """
        texts = list(map(text_of, values))
        joined = _SEPARATOR.join(texts)
        if not texts or joined.count(_SEPARATOR) >= len(texts):
            return [self._normalise_text(text) for text in texts]
        joined = self._normalise_text(joined)
        if self.normalize_whitespace:
            joined = joined.replace(f" {_SEPARATOR}", _SEPARATOR).replace(f"{_SEPARATOR} ", _SEPARATOR)
        return joined.split(_SEPARATOR)

    def _normalise_text(self, text: str) -> str:
        if self.normalize_whitespace:
            text = " ".join(text.split())
        return text if self.case_sensitive else text.casefold()


@dataclass(frozen=True)
class _Texts:
    """Two columns over one shared table of classes, and their normalised texts, made as late as possible."""

    metric: ExactMatchMetric
    golden: Labels
    predicted: Labels

    def equal(self) -> BoolArray:
        """Which rows match. Only classes of rows that differ before normalisation are normalised."""
        golden, predicted = self.golden.codes, self.predicted.codes
        differs = golden != predicted
        needed = np.zeros(len(self.golden.values), np.bool_)
        needed[golden[differs]] = needed[predicted[differs]] = True
        text_ids = self._text_ids(needed)
        equal: BoolArray = ~differs
        equal[differs] = text_ids[golden[differs]] == text_ids[predicted[differs]]
        return equal

    def _text_ids(self, needed: BoolArray) -> IntArray:
        """One number per class, equal for classes of one text; only filled where `needed`."""
        values, levels = self.golden.values, np.flatnonzero(needed)
        texts = self.metric.normalise([values[level] for level in levels.tolist()])
        ids = np.zeros(len(needed), np.int64)
        ids[levels] = LevelTable().encode(texts).codes
        return ids

    @cached_property
    def _level_texts(self) -> list[str]:
        return self.metric.normalise(self.golden.values)

    def rows(self) -> Iterator[dict[str, Any]]:
        """The metadata of each row."""
        texts, values = self._level_texts, self.golden.values
        some_missing, keys = MISSING in values, self._key_metadata()
        for left, right in zip(self.golden.codes.tolist(), self.predicted.codes.tolist(), strict=True):
            row = {"golden_text": texts[left], "predicted_text": texts[right], **keys}
            if some_missing and (missing := missing_sides(values[left], values[right])):
                row["missing"] = missing
            yield row

    def _key_metadata(self) -> dict[str, str | None]:
        golden_key, predicted_key = self.metric.keys
        if golden_key == predicted_key:
            return {"key": golden_key}
        return {"golden_key": golden_key, "predicted_key": predicted_key}

    def compared(self) -> Compared:
        """The normalised texts as classes; a missing value stays missing and is not the empty text."""
        table = LevelTable()
        levels = [
            MISSING if value is MISSING else text
            for value, text in zip(self.golden.values, self._level_texts, strict=True)
        ]
        merged = table.encode(levels)
        return Compared(
            self.metric.keys,
            golden=Labels(merged.codes[self.golden.codes], table),
            predicted=Labels(merged.codes[self.predicted.codes], table),
        )
