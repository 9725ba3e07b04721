"""How much a difference rests on: the roots that differ, and the test that each p belongs to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from faircall.records import HEADLINE
from faircall.reporting import numbers
from faircall.stats.evidence import MINIMUM_DISCORDANT_ROOTS
from faircall.stats.p_names import name_claim_test

Json = Mapping[str, Any]


def tell_few(comparison: Json) -> str | None:
    """The sentence beside a verdict that rests on fewer discordant roots than the minimum evidence.

    >>> delta = {"discordant_roots": 4}
    >>> scope = {"examples": 60, "roots": 60, "metrics": {"full_call_exact_match": delta}}
    >>> tell_few({"overall": scope})
    'only 4 of 60 examples differ between the arms: fewer than ten, the minimum evidence'
    """
    scope = comparison["overall"]
    found = scope["metrics"][HEADLINE]["discordant_roots"]
    words = few_words(scope)
    return None if words is None else words.format(found=found, roots=scope["roots"])


def few_words(scope: Json) -> str | None:
    """The same sentence with places for its numbers, `found` and `roots`; None where enough roots differ."""
    found = scope["metrics"][HEADLINE]["discordant_roots"]
    if found >= MINIMUM_DISCORDANT_ROOTS:
        return None
    noun = "example" if scope["roots"] == scope["examples"] else "root"
    nouns = noun if scope["roots"] == 1 else f"{noun}s"
    verb = "differs" if found == 1 else "differ"
    told = f"{{found}} of {{roots}} {nouns} {verb} between the arms: fewer than ten, the minimum evidence"
    return f"only {told}" if found else told


def claim_p(claim: Json) -> float | None:
    """The p that a claim is held to: the adjusted one where it belongs to a family."""
    p: float | None = claim["p_holm"] if claim.get("family") is not None else claim["p"]
    return p


def tell_p(claim: Json) -> str:
    """The p of a claim with its test.

    >>> tell_p({"p": 0.0455, "interval": {"method": "tango"}})
    '0.045 (Tango)'
    """
    return f"{numbers.p_value(claim_p(claim))} ({name_claim_test(claim)})"
