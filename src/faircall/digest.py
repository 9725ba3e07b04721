"""Digests: SHA-256 over canonical JSON, text or bytes, always as 64 hexadecimal digits."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from itertools import islice
from typing import Any, Final

from faircall.canonical import canonical_json

_LINES: Final = json.JSONEncoder(separators=("\n", ":"))  # of an array: its members, one to a line
_LINES_AT_ONCE: Final = 10_000


def sha256_bytes(data: bytes) -> str:
    """The SHA-256 of `data` in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def sha256_text(text: str) -> str:
    """The SHA-256 of `text` as UTF-8; lone surrogates are kept (surrogatepass), so every `str` has one."""
    return sha256_bytes(text.encode("utf-8", "surrogatepass"))


def sha256_json(value: Any) -> str:
    """The SHA-256 of the canonical JSON of `value`."""
    return sha256_bytes(canonical_json(value).encode("ascii"))


def sha256_lines(lines: Iterable[str]) -> str:
    """The SHA-256 of an ordered sequence: each line as JSON text, so no two sequences share one input."""
    digest, rest = hashlib.sha256(), iter(lines)
    while block := list(islice(rest, _LINES_AT_ONCE)):
        digest.update(f"{_LINES.encode(block)[1:-1]}\n".encode("ascii"))
    return digest.hexdigest()
