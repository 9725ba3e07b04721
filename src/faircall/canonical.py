"""Canonical JSON (decision D6): one byte string per JSON value."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)

_LEAVES = frozenset((str, int, float, bool, type(None)))


def canonical_json(value: Any) -> str:
    r"""The one spelling of a JSON value: sorted keys, compact separators, ASCII.

    Byte for byte what `json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)`
    writes. Integers are exact at any size, floats are Python's shortest repr.

    Raises:
        ValueError: NaN, an infinity, or a value that contains itself.
        TypeError: a key that is not a string, or a value that JSON does not have.

    >>> canonical_json({"b": 1e16, "a": ["é", None]})
    '{"a":["\\u00e9",null],"b":1e+16}'
    >>> [canonical_json(v) for v in (1, 1.0, True, "1")]
    ['1', '1.0', 'true', '"1"']
    """
    text = spell(value)
    _refuse_foreign_keys(value)
    return text


def spell(value: Any) -> str:
    """`canonical_json` of a value that a JSON reader made, whose keys are strings without a look."""
    try:
        return _ENCODER.encode(value)
    except (RecursionError, ValueError):
        # A caller deep in its own stack, or a low `sys.set_int_max_str_digits`: same bytes, another way.
        return "".join(_pieces(value))


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
        elif isinstance(item, (list, tuple)) and not _LEAVES.issuperset(map(type, item)):
            pending.extend(item)


class _Written(str):
    """Text that is JSON already, among values that are still to be written."""

    __slots__ = ()


_CLOSERS = frozenset("}]")


def _pieces(value: Any) -> Iterator[str]:
    pending, path = [value], dict[int, None]()
    while pending:
        item = pending.pop()
        if isinstance(item, _Written):
            if item in _CLOSERS:
                path.popitem()
            yield item
        elif isinstance(item, dict):
            _enter(item, path)
            yield "{"
            pending.append(_Written("}"))
            for rank, key in reversed(list(enumerate(sorted(item)))):
                pending += (item[key], _Written(("," if rank else "") + _ENCODER.encode(key) + ":"))
        elif isinstance(item, (list, tuple)):
            _enter(item, path)
            yield "["
            pending.append(_Written("]"))
            for rank, member in reversed(list(enumerate(item))):
                pending += (member, _Written("," if rank else ""))
        elif isinstance(item, int) and not isinstance(item, bool):
            yield _digits(item)
        else:
            yield _ENCODER.encode(item)


def _enter(container: Any, path: dict[int, None]) -> None:
    if id(container) in path:
        raise ValueError("the value contains itself")
    path[id(container)] = None


def _digits(number: int) -> str:
    """Decimal digits in parts that the lowest digit limit of Python (640) lets through."""
    parts: list[str] = []
    rest = abs(number)
    while rest >= 10**600:
        rest, part = divmod(rest, 10**600)
        parts.append(f"{part:0600d}")
    return ("-" if number < 0 else "") + str(rest) + "".join(reversed(parts))
