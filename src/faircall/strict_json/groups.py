"""Many texts in groups: whatever is joined from one stays in the processor's cache while it is looked at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

GROUP_SIZE: Final = 1 << 16
"""Bytes or characters that are looked at together."""


def in_groups(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    """Consecutive texts that are about `GROUP_SIZE` characters long, where most are of one length.

    >>> [len(group) for group in in_groups(["x" * 20_000] * 7)]
    [3, 3, 1]
    """
    if texts:
        usual = max(len(texts[0]), len(texts[len(texts) // 2]), len(texts[-1]))
        step = max(1, GROUP_SIZE // (usual + 1))
        for at in range(0, len(texts), step):
            yield texts[at : at + step]
