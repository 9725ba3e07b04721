"""Holm's step-down adjustment (Holm 1979): the family-wise error holds whatever the dependence."""

from __future__ import annotations

from collections.abc import Sequence


def holm_adjust(p_values: Sequence[float]) -> list[float]:
    """Adjusted p-values in the order given, each at most 1.

    >>> [round(p, 3) for p in holm_adjust([0.001, 0.013, 0.021, 0.04, 0.2])]
    [0.005, 0.052, 0.063, 0.08, 0.2]
    """
    adjusted, running = [0.0] * len(p_values), 0.0
    for rank, place in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        running = max(running, min(1.0, (len(p_values) - rank) * p_values[place]))
        adjusted[place] = running
    return adjusted
