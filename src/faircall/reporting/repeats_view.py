"""What a repeat check shows: a row for each way of answering again, and the answers that changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from faircall.reporting import numbers
from faircall.reporting.blocks import Block, Table

Json = Mapping[str, Any]

WAY_WORDS: Final[Mapping[str, str]] = {
    "same": "same process",
    "fresh": "fresh process",
    "permuted": "permuted order",
    "batched": "batched against single",
}
_SHOWN: Final = 8  # changed answers that are listed


def ways_of(efficiency: Json | None) -> dict[str, Json]:
    """The ways of an arm's check, in a fixed order; empty where no check was made."""
    check = (efficiency or {}).get("repeat_check") or {}
    ways = check.get("ways") or {}
    return {way: ways[way] for way in WAY_WORDS if way in ways}


def repeat_tables(arms: Iterable[tuple[str, Json | None]], *, listed: bool = False) -> Iterator[Block]:
    """One table over all arms that were checked, nothing where none was; `listed` adds what changed.

    Args:
        arms: name and inference efficiency of each.
        listed: whether the changed answers are listed as well.
    """
    checked = [(name, found, ways) for name, found in arms if found and (ways := ways_of(found))]
    rows = tuple((name, *_cells(way, done)) for name, _, ways in checked for way, done in ways.items())
    if not rows:
        return
    columns = ("arm", "way", "answers", "full match", "metrics that moved", "first difference")
    notes = (f"{name}: {found['repeat_check']['compared']}" for name, found, _ in checked)
    yield Table("Repeat check", columns, rows, note="; ".join(notes), names=2)
    changed = [
        (name, way, row)
        for name, _, ways in checked
        for way, done in ways.items()
        for row in done.get("changed", ())
    ]
    if listed and changed:
        yield _changed_table(changed)


def _cells(way: str, done: Json) -> tuple[str, str, str, str, str]:
    if done["status"] != "made":
        word = "not possible" if done["status"] == "not_possible" else "failed"
        return WAY_WORDS[way], f"{word}: {done['reason']}", "", "", ""
    return (
        WAY_WORDS[way],
        done["words"],
        _full_match(done),
        _moved(done["metrics"]),
        _earliest(done["changed"]),
    )


def _full_match(done: Json) -> str:
    bound = numbers.rate_bound(done["full_match_flip_rate_below"])
    told = f" (below {bound})" if done["full_match_flips"] < done["repeated"] else ""
    return f"{numbers.counts(done['full_match_flips'], done['repeated'])} flipped{told}"


def _moved(metrics: Json) -> str:
    moved = {name: counts for name, counts in metrics.items() if counts["changed"]}
    return "; ".join(f"{name} {tell_moves(counts)}" for name, counts in moved.items()) or "none"


def tell_moves(counts: Json) -> str:
    """Which way a metric moved.

    >>> tell_moves({"changed": 3, "up": 1, "down": 1})
    '1 up, 1 down, 1 at the same value'
    """
    level = counts["changed"] - counts["up"] - counts["down"]
    parts = ((counts["up"], "up"), (counts["down"], "down"), (level, "at the same value"))
    return ", ".join(f"{count} {word}" for count, word in parts if count)


def _earliest(changed: list[Json]) -> str:
    found = [row["divergence"] for row in changed if row["divergence"] is not None]
    first = min(found, key=lambda divergence: divergence["index"], default=None)
    return "" if first is None else f"{first['unit']} {first['index']}"


def tell_divergence(row: Json) -> str:
    """Where a changed answer left the first one.

    >>> tell_divergence({"divergence": {"unit": "token", "index": 17, "ids": [260, None]}})
    'token 17: 260 / the end'
    >>> tell_divergence({"divergence": None, "finish_reason": ["stop", "length"]})
    'the text is the same, the end is not: stop / length'
    """
    found = row["divergence"]
    if found is None:
        first, again = row["finish_reason"]
        return f"the text is the same, the end is not: {first} / {again}"
    if found["unit"] != "token":
        return f"{found['unit']} {found['index']}"
    first, again = ("the end" if number is None else str(number) for number in found["ids"])
    return f"token {found['index']}: {first} / {again}"


def _changed_table(changed: list[tuple[str, str, Json]]) -> Table:
    rows = tuple(
        (
            name,
            WAY_WORDS[way],
            row["example_id"],
            tell_divergence(row),
            "; ".join(f"{metric} {first} -> {again}" for metric, (first, again) in row["metrics"].items()),
        )
        for name, way, row in changed[:_SHOWN]
    )
    more = f"{len(changed) - _SHOWN} more in the report's JSON" if len(changed) > _SHOWN else ""
    columns = ("arm", "way", "example", "first difference (first / again)", "metrics that moved")
    return Table("Answers that changed", columns, rows, note=more, names=3)
