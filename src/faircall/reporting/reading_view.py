"""What a declared reader passed over, and what the default reader would have found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from faircall.records import METRIC_NAMES
from faircall.reporting import numbers
from faircall.reporting.blocks import Block, Line, Table

Json = Mapping[str, Any]

_COUNTED: Final = (
    ("calls_in_thought", "calls inside thoughts, which are never scored"),
    ("object_arguments", "calls whose arguments the server sent as an object"),
    ("server_missed", "messages without a call whose content still holds call markup"),
    ("rows_without_message", "rows without a message"),
)


def reading_blocks(reading: Json, *, arm: str) -> Iterator[Block]:
    """The reader, the default beside it, counters above zero, and the notice about unknown markers."""
    if reading.get("beside"):
        label = f", {reading['label']}" if reading.get("label") else ""
        yield Line(f"{arm} is read by {reading['reader']}{label}")
        yield _beside_table(reading["beside"])
    for key, words in _COUNTED:
        if reading.get(key):
            yield Line(f"{reading[key]} {words}", tone="quiet")
    if reading.get("notice"):
        yield Line(f"notice: {reading['notice']}", tone="bad")


def _beside_table(beside: Json) -> Table:
    rows = tuple(
        (name, numbers.counts(value["numerator"], value["denominator"]), numbers.rate(value["value"]))
        for name in METRIC_NAMES
        if (value := beside["metrics"].get(name))
    )
    return Table(f"The same answers under {beside['reader']}", ("metric", "counts", "value"), rows)
