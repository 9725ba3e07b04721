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


def reading_blocks(readings: Mapping[str, Json]) -> Iterator[Block]:
    """The reader, the default beside it, counters above zero, and the notice about unknown markers.

    Where the default finds nothing, as beside native readers, one line says so for all arms of one reader.

    Args:
        readings: arm -> its `reading`, in the order in which they are shown.
    """
    yield from _silent_lines(readings)
    for arm, reading in readings.items():
        if reading.get("beside") and not finds_nothing(reading):
            yield Line(f"{arm} is read by {_reader(reading)}")
            yield _beside_table(reading["beside"])
        whose = f"{arm}: " if len(readings) > 1 else ""
        for key, words in _COUNTED:
            if reading.get(key):
                yield Line(f"{whose}{reading[key]} {words}", tone="quiet")
        if reading.get("notice"):
            yield Line(f"{whose}notice: {reading['notice']}", tone="bad")


def finds_nothing(reading: Json) -> bool:
    """Whether the default reader stands beside, and every metric under it is zero.

    >>> finds_nothing({"beside": {"metrics": {"valid_json_rate": {"numerator": 0, "denominator": 9}}}})
    True
    """
    metrics = (reading.get("beside") or {}).get("metrics", {})
    return bool(metrics) and not any(value["numerator"] for value in metrics.values())


def _silent_lines(readings: Mapping[str, Json]) -> Iterator[Line]:
    arms: dict[str, list[str]] = {}
    for arm, reading in readings.items():
        if finds_nothing(reading):
            told = f"read by {_reader(reading)}; under {reading['beside']['reader']} every metric is zero"
            arms.setdefault(told, []).append(arm)
    for told, names in arms.items():
        yield Line(f"{' and '.join(names)} {'is' if len(names) == 1 else 'are'} {told}")


def _reader(reading: Json) -> str:
    name: str = reading["reader"]
    return f"{name}, {reading['label']}" if reading.get("label") else name


def _beside_table(beside: Json) -> Table:
    rows = tuple(
        (name, numbers.counts(value["numerator"], value["denominator"]), numbers.rate(value["value"]))
        for name in METRIC_NAMES
        if (value := beside["metrics"].get(name))
    )
    return Table(f"The same answers under {beside['reader']}", ("metric", "counts", "value"), rows)
