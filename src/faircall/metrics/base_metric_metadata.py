"""What a metric says about itself."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class BaseMetricMetadata:
    """Name, meaning and scale of a metric.

    Attributes:
        name: the registry name.
        display_name: the name for people; `name` with spaces when left empty.
        description: one sentence.
        range: smallest and largest possible value; None where there is no bound.
        higher_is_better: which end is good.
        metric_type: "unit", "aggregator", or a word of the author's own.

    >>> BaseMetricMetadata("step_efficiency").display_name
    'Step efficiency'
    """

    name: str
    display_name: str = ""
    description: str = ""
    range: tuple[float | None, float | None] = (0.0, 1.0)
    higher_is_better: bool = True
    metric_type: str = "custom"

    def __post_init__(self) -> None:
        if not self.display_name:
            object.__setattr__(self, "display_name", self.name.replace("_", " ").capitalize())

    def to_dict(self) -> dict[str, Any]:
        """The fields by name, for JSON."""
        return asdict(self)
