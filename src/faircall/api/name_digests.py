"""64 bits of each name, so that names can be told apart without being held."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import shake_256
from typing import TYPE_CHECKING, Final

import numpy as np

from faircall.digest import sha256_text

if TYPE_CHECKING:
    from faircall.records import IntArray

_LONGEST: Final = 64
"""Letters of the names that are digested as they are; of a longer one it is its SHA-256."""
_WEIGHTS: Final = np.frombuffer(shake_256(b"faircall.names").digest(8 * _LONGEST + 8), dtype="<u8") | 1


def digest_names(names: Sequence[str]) -> IntArray:
    """The digest of each name, shape (names,): the same in every process, whatever names stand beside it.

    It is the sum of the letters, each times a weight of its place (multilinear hashing, Carter and Wegman
    1979), and of the length. Of names that do not know the weights two share a digest once in 2^43 or less.

    >>> first, second, again = digest_names(["row-1", "row-2", "row-1"]).tolist()
    >>> first == again, first == second
    (True, False)
    """
    if not names:
        return np.zeros(0, dtype=np.int64)
    lengths = np.fromiter(map(len, names), dtype=np.uint64, count=len(names))
    if lengths.max() > _LONGEST:
        names = [name if len(name) <= _LONGEST else sha256_text(name) for name in names]
    spelt = np.array(names)
    letters = spelt.view(np.uint32).reshape(len(names), spelt.itemsize // 4).astype(np.uint64)
    digests: IntArray = (letters @ _WEIGHTS[: letters.shape[1]] + lengths * _WEIGHTS[-1]).view(np.int64)
    return digests
