"""Random words that every version of every library draws alike.

The stream of a (seed, scope) is Philox4x64-10 with counter 0, its 128-bit key the first 16 bytes of the
SHA-256 of `faircall|seed|scope`, read as one little-endian number. Only raw 64-bit words are used, so the
stream depends on the cipher and not on a library's way of turning words into numbers.
"""

from __future__ import annotations

import hashlib

import numpy as np

from faircall.stats.arrays import IntArray

INDEX_STREAM = "philox4x64-10/sha256/lemire32"


def philox(*, seed: int, scope: str) -> np.random.Philox:
    """The bit generator of a seed and a scope (a slice name, "overall", ...). Seed 0 is a seed.

    >>> first, again = (philox(seed=42, scope="overall").random_raw() for _ in range(2))
    >>> first == again
    True
    """
    text = f"faircall|{seed}|{scope}".encode("utf-8", "surrogatepass")
    return np.random.Philox(key=int.from_bytes(hashlib.sha256(text).digest()[:16], "little"))


class IndexStream:
    """Uniform indices below `size`: multiply-shift with rejection (Lemire 2019), two 32-bit draws a word.

    The low half of a word is used before the high one. How many are taken at a time changes nothing.

    >>> together, apart = (IndexStream(7, seed=1, scope="x") for _ in range(2))
    >>> together.take(6).tolist() == apart.take(1).tolist() + apart.take(5).tolist()
    True
    """

    def __init__(self, size: int, *, seed: int, scope: str) -> None:
        """Start the stream; `size` lies between 1 and 2^32."""
        self._size = np.uint64(size)
        self._rejected_below = np.uint32(2**32 % size)
        self._words = philox(seed=seed, scope=scope)
        self._left: IntArray = np.empty(0, dtype=np.int64)

    def take(self, count: int) -> IntArray:
        """The next `count` indices."""
        indices = self._left
        while len(indices) < count:
            drawn = self._draw((count - len(indices) + 1) // 2)
            indices = np.concatenate((indices, drawn)) if len(indices) else drawn
        self._left = indices[count:].copy()
        return indices[:count]

    def _draw(self, words: int) -> IntArray:
        halves = self._words.random_raw(words).astype("<u8", copy=False).view("<u4")
        products = np.multiply(halves, self._size, dtype=np.uint64)
        remainders = products.astype(np.uint32)
        if remainders.min() < self._rejected_below:
            products = products[remainders >= self._rejected_below]
        indices: IntArray = (products >> np.uint64(32)).view(np.int64)
        return indices
