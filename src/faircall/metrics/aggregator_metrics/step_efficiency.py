"""Step efficiency: success, discounted by the detours taken."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np

from faircall.metrics.aggregator_metrics.base_aggregator_metric import IntervalAggregator, IntervalOptions
from faircall.metrics.aggregator_metrics.positive_class import Key
from faircall.metrics.base_metric_metadata import BaseMetricMetadata
from faircall.metrics.columns import ResultColumns
from faircall.metrics.intervals import interval_of_value
from faircall.metrics.levels import column_under
from faircall.metrics.unit_metrics.base_unit_metric import UnusableGolden
from faircall.metrics.unit_metrics.unit_metric_result import UnitMetricResult

if TYPE_CHECKING:
    from numpy.typing import NDArray

    FloatArray: TypeAlias = NDArray[np.float64]


class StepEfficiencyMetricConfig(IntervalOptions):
    """Options of step efficiency: where golden and taken steps stand, each a number or a list of steps."""

    golden_key: Key
    predicted_key: Key


class StepEfficiencyMetric(IntervalAggregator):
    """The mean of success x golden steps / max(golden steps, steps taken); 1: all right and direct.

    The form is success weighted by path length (Anderson et al. 2018). A wrong result counts 0, and so does
    one whose steps are missing or are no count; a shorter path than the golden one counts as direct.

    >>> results = [UnitMetricResult(True, {"steps": 2}, {"steps": ["open", "look", "click", "done"]})]
    >>> StepEfficiencyMetric("steps", "steps").calculate(results)
    {'step_efficiency': 0.5, 'missing_predictions': 0}
    """

    options_model = StepEfficiencyMetricConfig
    metadata: ClassVar[BaseMetricMetadata | None] = BaseMetricMetadata(
        "step_efficiency",
        description="Success, discounted by the steps taken beyond the golden path.",
        metric_type="aggregator",
    )

    golden_key: str
    predicted_key: str

    def calculate(self, results: Sequence[UnitMetricResult]) -> dict[str, Any]:
        """`step_efficiency`, 0.0 without results, and the number of results without a count of steps.

        Raises:
            ValueError: a golden value without a count of steps, named by its position.
        """
        columns = ResultColumns.of(results)
        golden = _golden_steps(column_under(columns.golden, self.golden_key))
        taken = [count_steps(value) for value in column_under(columns.predicted, self.predicted_key)]
        values = np.array(
            [_efficiency(*row) for row in zip(columns.correct.tolist(), golden, taken, strict=True)],
            dtype=np.float64,
        )
        mean = float(np.mean(values)) if len(values) else 0.0
        calculated: dict[str, Any] = {"step_efficiency": mean, "missing_predictions": taken.count(None)}
        if (level := self.wanted_level()) is not None:
            calculated["interval"] = self._interval(columns, values, mean=mean, level=level)
        return calculated

    def _interval(
        self, columns: ResultColumns, values: FloatArray, *, mean: float, level: float
    ) -> dict[str, Any]:
        return interval_of_value(
            mean,
            pulls=(values - mean) / max(len(values), 1),
            relevant=np.ones(len(values), np.bool_),
            clusters=self.clusters(columns),
            level=level,
        )


def count_steps(value: Any) -> int | None:
    """The number of steps: a whole number that is not negative, or the length of a list; else None.

    >>> count_steps(3), count_steps(["a", "b"]), count_steps(True), count_steps("3")
    (3, 2, None, None)
    """
    if isinstance(value, (list, tuple)):
        return len(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _golden_steps(column: Sequence[Any]) -> list[int]:
    steps = []
    for position, value in enumerate(column):
        if (count := count_steps(value)) is None:
            raise UnusableGolden(position, f"no count of steps: {value!r}")
        steps.append(count)
    return steps


def _efficiency(correct: bool, golden: int, taken: int | None) -> float:
    if not correct or taken is None:
        return 0.0
    return golden / max(golden, taken) if max(golden, taken) else 1.0
