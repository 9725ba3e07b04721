"""The verdict on one prediction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class UnitMetricResult:
    """One prediction beside its truth.

    Attributes:
        correct: whether the prediction counts as right.
        golden: the truth, of any type.
        predicted: what was predicted, of any type.
        metadata: anything else; metrics put what they compared here, callers what they group by.

    >>> UnitMetricResult(True, {"event": "click"}, {"tool": "click"}).to_dict()["metadata"]
    {}
    """

    correct: bool
    golden: Any
    predicted: Any
    metadata: dict[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """The four fields by name, for JSON; values are shared, not copied."""
        return {
            "correct": self.correct,
            "golden": self.golden,
            "predicted": self.predicted,
            "metadata": self.metadata,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> UnitMetricResult:
        """The result that `to_dict` wrote.

        Raises:
            ValueError: a field other than `metadata` is missing, a name is unknown, or `correct` is not a
            boolean.
        """
        missing = [name for name in ("correct", "golden", "predicted") if name not in data]
        unknown = sorted(data.keys() - {"correct", "golden", "predicted", "metadata"})
        if missing or unknown:
            faults = [f"no {name!r}" for name in missing] + [f"unknown {name!r}" for name in unknown]
            raise ValueError(f"not a unit metric result: {', '.join(faults)}")
        if not isinstance(data["correct"], bool):
            raise ValueError(f"not a unit metric result: 'correct' is {data['correct']!r}, not true or false")
        return cls(data["correct"], data["golden"], data["predicted"], dict(data.get("metadata") or {}))
