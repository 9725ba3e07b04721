"""The repeat check: generate some prompts again, and say how often a token could have flipped at most."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

from faircall.digest import sha256_text
from faircall.generating.backend import Backend
from faircall.records import Generation, Prompt

_LEVEL: Final = 0.95


def choose_prompts(prompts: Sequence[Prompt], count: int) -> list[Prompt]:
    """`count` prompts in the order of the SHA-256 of their ids: the same for everybody, chosen by nobody."""
    return sorted(prompts, key=lambda prompt: sha256_text(f"repeat-check|{prompt.example_id}"))[:count]


def check_repeats(
    backend: Backend, prompts: Sequence[Prompt], *, earlier: Mapping[str, Generation], count: int
) -> dict[str, Any]:
    """Generate `count` prompts again and compare with the earlier answers, text and finish reason alike."""
    chosen = choose_prompts(prompts, count)
    changed = [p.example_id for p in chosen if not _same(backend.generate(p), earlier[p.example_id])]
    return {
        "repeated": len(chosen),
        "identical": len(chosen) - len(changed),
        "changed": changed,
        "flip_rate_below": flip_rate_bound(len(changed), len(chosen)),
        "level": _LEVEL,
        "method": "one-sided Clopper-Pearson",
        "words": describe_repeats(len(changed), len(chosen)),
    }


def describe_repeats(changed: int, repeated: int) -> str:
    """The check in words.

    >>> describe_repeats(0, 59)
    '59/59 identical (flip rate below 5%)'
    """
    percent = math.ceil(100 * flip_rate_bound(changed, repeated))
    return f"{repeated - changed}/{repeated} identical (flip rate below {percent}%)"


def flip_rate_bound(changed: int, repeated: int) -> float:
    """Upper 95% bound of the flip rate: at this rate so few flips have probability .05 (Clopper-Pearson).

    >>> round(flip_rate_bound(0, 59), 4)
    0.0495
    """
    if changed >= repeated:
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(60):  # halving the interval 60 times exhausts a double
        middle = (low + high) / 2
        if _at_most(changed, repeated, middle) > 1 - _LEVEL:
            low = middle
        else:
            high = middle
    return high


def _at_most(changed: int, repeated: int, rate: float) -> float:
    """Probability of at most `changed` flips among `repeated`."""
    return sum(math.comb(repeated, k) * rate**k * (1 - rate) ** (repeated - k) for k in range(changed + 1))


def _same(one: Generation, other: Generation) -> bool:
    return (one.raw_text, one.finish_reason, one.failure) == (
        other.raw_text,
        other.finish_reason,
        other.failure,
    )
