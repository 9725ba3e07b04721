"""Canonical JSON (decision D6): one byte string per JSON value."""

from __future__ import annotations

import json
from typing import Any


def canonical_json(value: Any) -> str:
    r"""The one spelling of a JSON value: sorted keys, compact separators, ASCII.

    Byte for byte what `json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)`
    writes. Integers are exact at any size, floats are Python's shortest repr.

    Raises:
        ValueError: NaN or an infinity.
        TypeError: a key that is not a string, or a value that JSON does not have.

    >>> canonical_json({"b": 1e16, "a": ["é", None]})
    '{"a":["\\u00e9",null],"b":1e+16}'
    >>> [canonical_json(v) for v in (1, 1.0, True, "1")]
    ['1', '1.0', 'true', '"1"']
    """
    _refuse_foreign_keys(value)
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def _refuse_foreign_keys(value: Any) -> None:
    """`json.dumps` would quietly turn `{1: 2}` into `{"1": 2}`; two values must not share a spelling."""
    pending = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, dict):
            for key in item:
                if not isinstance(key, str):
                    raise TypeError(f"object keys must be strings, got {type(key).__name__}: {key!r}")
            pending.extend(item.values())
        elif isinstance(item, (list, tuple)):
            pending.extend(item)
