"""Fixed-count splits from a seed: groups are never divided between splits, tools only if that is allowed.

Order comes from SHA-256 of seed and group, not from the order of the file: the same rows in another order, or
more train rows, leave the test split as it was.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from faircall.digest import sha256_json
from faircall.importing.rows import Candidate

FILL_ORDER: Final = ("test", "validation", "train")


def assign_splits(
    candidates: Sequence[Candidate], *, counts: Mapping[str, int], seed: int, split_by: str
) -> dict[str, str]:
    """The split of every example that is taken: example id -> split. What is not taken is not in the mapping.

    Units (groups, or with `split_by` "tool" all groups that share gold tools) are taken in seeded order; each
    goes to the first of test, validation and train that still needs examples. What a unit has beyond the need
    of its split is left out, so counts are exact and no unit stands on two sides.
    """
    need = {split: counts.get(split, 0) for split in FILL_ORDER}
    chosen: dict[str, str] = {}
    for unit in _units(candidates, seed=seed, split_by=split_by):
        split = next((name for name in FILL_ORDER if need[name] > 0), None)
        if split is None:
            break
        for candidate in unit[: need[split]]:
            chosen[candidate.example.example_id] = split
        need[split] -= min(need[split], len(unit))
    return chosen


def _units(candidates: Sequence[Candidate], *, seed: int, split_by: str) -> list[list[Candidate]]:
    """Candidates that must stay together, in seeded order inside and out."""
    groups: dict[str, list[Candidate]] = {}
    for candidate in candidates:
        groups.setdefault(candidate.group, []).append(candidate)
    ordered = sorted(groups, key=lambda group: sha256_json([seed, group]))
    if split_by == "example":
        return [groups[group] for group in ordered]
    owner = _connect([{_gold_tool(one) for one in groups[group]} for group in ordered])
    units: dict[str, list[Candidate]] = {}
    for group in ordered:
        units.setdefault(owner[_gold_tool(groups[group][0])], []).extend(groups[group])
    return [units[name] for name in sorted(units, key=lambda name: sha256_json([seed, name]))]


def _gold_tool(candidate: Candidate) -> str:
    gold = candidate.example.gold
    return gold.name if gold else ""


def _connect(sets: Iterable[set[str]]) -> dict[str, str]:
    """Every name with the first name of its component; names of one set belong together.

    >>> _connect([{"b", "c"}, {"a"}, {"c", "d"}])
    {'b': 'b', 'c': 'b', 'a': 'a', 'd': 'b'}
    """
    parent: dict[str, str] = {}

    def find(name: str) -> str:
        while parent.setdefault(name, name) != name:
            parent[name] = name = parent[parent[name]]
        return name

    for names in sets:
        first, *others = sorted(names)
        for other in [first, *others]:
            low, high = sorted((find(first), find(other)))
            parent[high] = low
    return {name: find(name) for name in parent}
