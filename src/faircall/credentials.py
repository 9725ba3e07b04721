"""Texts that look like credentials: refused in configs, masked in whatever is printed or stored.

Keys come from the environment only. The patterns are the published prefixes of common providers, private key
blocks, bearer headers and addresses with a password; a key that is merely long is not recognised.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

MASK: Final = "[redacted]"

_CREDENTIAL: Final = re.compile(
    r"\bsk-[A-Za-z0-9_-]{16,}"
    r"|\bhf_[A-Za-z0-9]{16,}"
    r"|\bgh[oprsu]_[A-Za-z0-9]{20,}"
    r"|\bgithub_pat_[A-Za-z0-9_]{20,}"
    r"|\bxox[abeprs]-[A-Za-z0-9-]{10,}"
    r"|\bAKIA[0-9A-Z]{16}\b"
    r"|\bAIza[0-9A-Za-z_-]{30,}"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----"
    r"|(?i:\bbearer\s+)[A-Za-z0-9._~+/=-]{16,}"
    r"|(?<=://)[^/\s:@]+:[^/\s@]+(?=@)"
)
_SECRET_NAME: Final = re.compile(r"(?i)^(.*[_-])?(api_?-?key|access_?-?token|auth_?-?token|password|secret)$")


def redact(text: str) -> str:
    """`text` with everything that looks like a credential masked.

    >>> redact("401 for key sk-abcdefghijklmnop1234")
    '401 for key [redacted]'
    """
    return _CREDENTIAL.sub(MASK, text)


def find_credentials(value: Any, *, path: str = "") -> Iterator[str]:
    """The dotted paths under which a JSON-like value holds what looks like a credential, or is named as one.

    >>> list(find_credentials({"server": {"api_key": "x"}, "note": "hf_abcdefghijklmnopqrst"}))
    ['server.api_key', 'note']
    """
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _find_in_entry(str(key), item, f"{path}.{key}" if path else str(key))
    elif isinstance(value, (list, tuple)):
        for index, item in enumerate(value):
            yield from find_credentials(item, path=f"{path}[{index}]")
    elif isinstance(value, str) and _CREDENTIAL.search(value):
        yield path


def _find_in_entry(key: str, item: Any, path: str) -> Iterator[str]:
    if isinstance(item, str) and item and _SECRET_NAME.match(key):
        yield path
    else:
        yield from find_credentials(item, path=path)
