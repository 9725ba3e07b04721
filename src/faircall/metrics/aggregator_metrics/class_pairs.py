"""Golden and predicted class of each result, over one list of classes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

from faircall.metrics.columns import ResultColumns
from faircall.metrics.levels import Labels, LevelTable
from faircall.metrics.values import MISSING, class_names

if TYPE_CHECKING:
    from numpy.typing import NDArray

    BoolArray: TypeAlias = NDArray[np.bool_]
    IntArray: TypeAlias = NDArray[np.int64]

NO_CLASS: Final = -1
"""The index of a missing value: no class, so a missing prediction is a miss of its golden class."""


@dataclass(frozen=True)
class ClassPairs:
    """Which class each result is of, and which was predicted.

    Attributes:
        names: the classes that occur on either side, sorted.
        golden: index into `names` or `NO_CLASS`, shape (results,). predicted: the same.
    """

    names: list[str]
    golden: IntArray
    predicted: IntArray

    @cached_property
    def hits(self) -> BoolArray:
        """Where both are the same class; shape (results,)."""
        hits: BoolArray = (self.golden == self.predicted) & (self.golden != NO_CLASS)
        return hits

    @cached_property
    def true_positives(self) -> IntArray:
        """Hits per class; shape (classes,)."""
        return self.tally(self.golden[self.hits])

    @cached_property
    def support(self) -> IntArray:
        """Golden values per class; shape (classes,)."""
        return self.tally(self.golden)

    @cached_property
    def predictions(self) -> IntArray:
        """Predictions per class; shape (classes,)."""
        return self.tally(self.predicted)

    def tally(self, indices: IntArray) -> IntArray:
        """How often each class is among `indices`, `NO_CLASS` left out; shape (classes,)."""
        return np.bincount(indices[indices != NO_CLASS], minlength=len(self.names)).astype(np.int64)


def pair_classes(columns: ResultColumns, *, golden_key: str | None, predicted_key: str | None) -> ClassPairs:
    """The classes of `columns`, in the normalisation of the unit metric that judged them.

    Without keys, or with the key that the unit metric read, a class is the text that it compared, so that
    ignoring case in matching ignores it in grouping. Otherwise a class is a value by type and value; a key
    that is given for one side only is read on both.
    """
    compared = columns.compared
    known = compared.keys if compared is not None else (None, None)
    if compared is not None and golden_key in (None, known[0]) and predicted_key in (None, known[1]):
        return _number(compared.golden, compared.predicted)
    return _number(
        columns.labels("golden", golden_key or known[0] or predicted_key),
        columns.labels("predicted", predicted_key or known[1] or golden_key),
    )


def _number(golden: Labels, predicted: Labels) -> ClassPairs:
    table = LevelTable()
    columns = [table.encode(labels.values).codes[labels.codes] for labels in (golden, predicted)]
    occurring = np.unique(np.concatenate(columns)).tolist()
    codes = [code for code in occurring if table.values[code] is not MISSING]
    code_of = dict(zip(class_names([table.values[code] for code in codes]), codes, strict=True))
    names = sorted(code_of)
    index = np.full(len(table.values), NO_CLASS, np.int64)
    index[[code_of[name] for name in names]] = np.arange(len(names))
    return ClassPairs(names, index[columns[0]], index[columns[1]])


def missing_counts(pairs: ClassPairs) -> dict[str, Any]:
    """How many results lack a prediction, and how many a golden value."""
    return {
        "missing_predictions": int(np.count_nonzero(pairs.predicted == NO_CLASS)),
        "missing_golden": int(np.count_nonzero(pairs.golden == NO_CLASS)),
    }
