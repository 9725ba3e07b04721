"""Values of any type: reading one under a key, telling two apart, and writing one as text.

Two values are the same class exactly when their canonical JSON is the same, so `True`, `1`, `1.0` and `"1"`
are four classes. Values that JSON does not have are told apart by type and `repr`.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from enum import Enum
from typing import Any, Final

from faircall.canonical import canonical_json


class Missing(Enum):
    """The type of `MISSING`."""

    MISSING = "missing"


MISSING: Final = Missing.MISSING
"""Stands where a row has no value under the key; reads as empty text and is no class of its own."""


def value_under(row: Any, key: str | None) -> Any:
    """The value that a metric compares: the row itself without a key, else what the row holds under it.

    A row that is not an object has no keys and is compared as it is; None and an object without the key
    give `MISSING`.

    >>> value_under({"tool": "click"}, "tool"), value_under("click", "tool"), value_under({}, "tool")
    ('click', 'click', <Missing.MISSING: 'missing'>)
    """
    if key is None:
        return row
    try:
        return row[key]
    except KeyError:
        return MISSING
    except (IndexError, TypeError):
        return MISSING if row is None else row


def identity(value: Any) -> Hashable:
    """A hashable stand-in that is equal for two values exactly when they are the same class.

    >>> len({identity(value) for value in (True, 1, 1.0, "1", None, "null", [1], [True])})
    8
    >>> identity({"a": 1, "b": 2}) == identity({"b": 2, "a": 1})
    True
    """
    if isinstance(value, str):
        return str(value)
    if value is None or value is MISSING or isinstance(value, bool):
        return (type(value), value)
    if isinstance(value, int):
        return (int, int(value))
    return _structure_identity(_plain(value))


def same_class(left: Any, right: Any) -> bool:
    """Whether two values are one class, by type and value.

    >>> same_class(1, True), same_class(1, 1.0), same_class("1", "1")
    (False, False, True)
    """
    return identity(left) == identity(right)


def text_of(value: Any) -> str:
    """The text of a value: a string as it is, `MISSING` as "", anything else as canonical JSON.

    >>> [text_of(value) for value in ("a b", 42, True, None, {"b": 1, "a": [2]})]
    ['a b', '42', 'true', 'null', '{"a":[2],"b":1}']
    """
    if isinstance(value, str):
        return str(value)
    if value is MISSING:
        return ""
    try:
        return canonical_json(_plain(value))
    except (TypeError, ValueError, RecursionError):
        return str(value)


def json_ready(value: Any) -> Any:
    """The value with everything that JSON does not have (dates, NaN, sets) replaced by its text.

    >>> json_ready({1: float("nan"), "a": [1, {2}]})
    {'1': 'nan', 'a': [1, '{2}']}
    """
    if isinstance(value, Mapping):
        return {text_of(key): json_ready(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [json_ready(item) for item in value]
    plain = _plain(value)
    if plain is None or isinstance(plain, (str, bool, int)):
        return plain
    return plain if isinstance(plain, float) and math.isfinite(plain) else text_of(plain)


def class_names(values: Sequence[Any]) -> list[str]:
    """One distinct name per class: its text, in JSON quotes where a string and another value share one.

    >>> class_names(["click", 1, "1", True])
    ['click', '1', '"1"', 'true']
    """
    taken = {text_of(value) for value in values if not isinstance(value, str)}
    return [
        canonical_json(value) if isinstance(value, str) and value in taken else text_of(value)
        for value in values
    ]


def _plain(value: Any) -> Any:
    """A numpy scalar as the Python value that it stands for."""
    item = getattr(value, "item", None)
    return item() if callable(item) and getattr(value, "ndim", None) == 0 else value


def _structure_identity(value: Any) -> Hashable:
    if isinstance(value, (str, bool, int)) or value is None:
        return identity(value)
    try:
        return ("json", canonical_json(value))
    except (TypeError, ValueError, RecursionError):
        return (type(value), repr(value))
