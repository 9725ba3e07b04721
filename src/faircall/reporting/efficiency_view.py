"""What the arms cost, as a table, and whether the two costs may be set against each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from faircall.reporting import numbers
from faircall.reporting.blocks import Table

Json = Mapping[str, Any]

_MEASURES: Final = (
    ("seconds_per_example", "per example"),
    ("seconds_per_full_match", "per full match"),
)


def efficiency_tables(efficiency: Json | None, names: tuple[str, str]) -> Iterator[Table]:
    """One table when both arms were timed; nothing otherwise."""
    sides = [(efficiency or {}).get(side) for side in ("baseline", "candidate")]
    if not all(sides):
        return
    first, second = (side or {} for side in sides)
    rows = tuple(
        (words, numbers.seconds(first.get(key)), numbers.seconds(second.get(key))) for key, words in _MEASURES
    )
    yield Table("Time", ("time", *names), rows, note=_tell_comparability(first, second))


def _tell_comparability(first: Json, second: Json) -> str:
    """The reasons against a comparison of the times; what was measured, where there are none."""
    sides = (first, second)
    reasons = [side.get("cross_comparable_reason") for side in sides if not side.get("cross_comparable")]
    for key in ("allocation", "decoding", "contract"):
        if first.get(key) != second.get(key):
            reasons.append(f"{key} differs")
    if reasons:
        return f"not comparable: {'; '.join(dict.fromkeys(str(reason) for reason in reasons))}"
    return f"scenario: {first.get('scenario')}"
