"""Claims of one family that are decided in several comparisons: one Holm adjustment over all of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from faircall.stats.holm import holm_adjust


def hold_families(claims: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The claims, each family adjusted over every comparison in which it has a member.

    A claim keeps its verdict only while its adjusted p lies below the two-sided level; a family grows when
    comparisons are added, so an adjusted p never falls and no lost verdict comes back.
    """
    held = [dict(claim) for claim in claims]
    families: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for claim in held:
        if claim.get("family") is not None:
            families[claim["family"]].append(claim)
    for members in families.values():
        for claim, adjusted in zip(members, holm_adjust([_two_sided(one) for one in members]), strict=True):
            claim["p_holm"] = adjusted
            if claim["verdict"] == "established" and not adjusted < _level(claim):
                claim["verdict"] = "not_established"
    return held


def _two_sided(claim: Mapping[str, Any]) -> float:
    if claim["p"] is None:
        return 1.0
    p: float = claim["p"]
    return p if claim["kind"] == "superiority" else min(1.0, 2.0 * p)


def _level(claim: Mapping[str, Any]) -> float:
    alpha: float = claim["alpha"]
    return alpha if claim["kind"] == "superiority" else 2.0 * alpha
