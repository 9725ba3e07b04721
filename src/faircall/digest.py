"""Digests: SHA-256 over canonical JSON, text or bytes, always as 64 hexadecimal digits."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

from faircall.canonical import canonical_json


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
    digest = hashlib.sha256()
    for line in lines:
        digest.update(canonical_json(line).encode("ascii"))
        digest.update(b"\n")
    return digest.hexdigest()
