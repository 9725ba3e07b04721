r"""RFC 8259 and nothing else (decisions D1 to D4): any text gives a value or a `JsonFault`.

Two tiers read the same language. The strict tier is the reference: it walks brackets and reads tokens with
its own stack, so depth costs no recursion and time is linear. The fast tier is msgspec where the text ends
with the value, else the standard library's scanner, with the gaps closed. Both accept less than the strict
tier; success of the fast tier is trusted, its failure is not: the strict tier decides every failure again.

>>> decode('{"a": [1, 2.5, "\\ud83d"]}')
{'a': [1, 2.5, '\ud83d']}
>>> decode_at('see {"a": 1} and more', 4)
({'a': 1}, 12)
"""

from __future__ import annotations

import re
from typing import Any

from faircall.strict_json.brackets import Walk, is_cut_off, walk
from faircall.strict_json.fast import ALWAYS_WITHIN, decode_fast, has_unique_keys, is_within_limits
from faircall.strict_json.faults import MAX_DEPTH, MAX_DIGITS, JsonFault, Reason
from faircall.strict_json.strict import decode_strictly

__all__ = [
    "ALWAYS_WITHIN",
    "MAX_DEPTH",
    "MAX_DIGITS",
    "JsonFault",
    "Reason",
    "Walk",
    "decode",
    "decode_at",
    "decode_strictly",
    "has_unique_keys",
    "is_cut_off",
    "is_within_limits",
    "walk",
]

_WHITESPACE = re.compile(r"[ \t\n\r]*")


def decode(text: str) -> Any:
    """The value of a whole text; only JSON whitespace may stand around it.

    Raises:
        JsonFault: `limit`, `unbalanced`, `bad_json` or `duplicate_key`.
    """
    value, end = decode_at(text, _skip_whitespace(text, 0))
    rest = _skip_whitespace(text, end)
    if rest != len(text):
        raise JsonFault("bad_json", rest)
    return value


def decode_at(text: str, start: int) -> tuple[Any, int]:
    """The first value that begins exactly at `start`, and the offset behind it; the rest is not looked at.

    Raises:
        JsonFault: the first that applies of `limit`, `unbalanced`, `bad_json`, `duplicate_key`.
    """
    found = decode_fast(text, start)
    return found if found is not None else decode_strictly(text, start)


def _skip_whitespace(text: str, start: int) -> int:
    match = _WHITESPACE.match(text, start)
    return match.end() if match else start
