"""What an experiment compares: the arms and pairs that a config declares, or all of them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import TypeAlias

from faircall.config.schema import Claim, ConfigFile

Pair: TypeAlias = tuple[str, str]


def arms_of(config: ConfigFile) -> tuple[str, ...]:
    """The arms of the experiment, the reference first; every arm of the config when none is declared."""
    declared = config.experiment.arms if config.experiment else ()
    return declared or tuple(config.arms)


def pairs_of(config: ConfigFile, arms: Sequence[str]) -> list[Pair]:
    """Baseline and candidate of each comparison: the declared ones, or every pair."""
    declared = config.experiment.pairs if config.experiment else ()
    return list(declared) or every_pair(config, arms)


def every_pair(config: ConfigFile, arms: Sequence[str]) -> list[Pair]:
    """All pairs in the order of `arms`, and those that only a claim names."""
    named = ((claim.baseline, claim.candidate) for claim in config.claims)
    asked = [(first, second) for first, second in named if first in arms and second in arms]
    return list(dict.fromkeys([*combinations(arms, 2), *((str(one), str(two)) for one, two in asked)]))


def is_about(claim: Claim, pair: Pair, *, reference: str) -> bool:
    """Whether a claim is decided in a comparison.

    Without a baseline it is about the reference arm, without a candidate about every other one.
    """
    baseline, candidate = pair
    return (claim.baseline or reference) == baseline and claim.candidate in (None, candidate)
