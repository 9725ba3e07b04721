"""Argument objects as pairs of a path and a canonical value: the grain of `argument_f1`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from faircall.canonical import canonical_json, spell

ROOT_PATH: Final = "<root>"
_QUOTED_KEY_MARKS: Final = frozenset('.[]"<')


def flatten_arguments(arguments: Mapping[str, Any]) -> dict[str, str]:
    """Every leaf of `arguments` by its path; empty objects and arrays are leaves.

    Paths are injective (decision D7): a key that is empty or holds one of `. [ ] " <` is printed as a JSON
    string in square brackets. No arguments at all are the one pair `<root>: {}`.

    Raises:
        TypeError: a key that is not a string, or a value that JSON does not have.
        ValueError: NaN or an infinity.

    >>> flatten_arguments({"city": "Paris", "filters": {"tags": ["quiet"]}, "options": {}})
    {'city': '"Paris"', 'filters.tags[0]': '"quiet"', 'options': '{}'}
    >>> flatten_arguments({"a.b": 1, "a": {"b": 2}})
    {'["a.b"]': '1', 'a.b': '2'}
    >>> flatten_arguments({})
    {'<root>': '{}'}
    """
    if not arguments:
        return {ROOT_PATH: "{}"}
    pairs: dict[str, str] = {}
    pending: list[tuple[str, Any]] = [("", arguments)]
    while pending:
        path, value = pending.pop()
        if isinstance(value, Mapping) and value:
            pending += reversed([(extend_path(path, key), member) for key, member in value.items()])
        elif isinstance(value, (list, tuple)) and value:
            pending += reversed([(f"{path}[{index}]", member) for index, member in enumerate(value)])
        else:
            pairs[path] = canonical_json(value)
    return pairs


def extend_path(path: str, key: str) -> str:
    r"""The printed path of member `key` of the object at `path` ("" is the arguments object itself).

    >>> extend_path("", "a"), extend_path("a", "b"), extend_path("a", "b.c"), extend_path("a", "")
    ('a', 'a.b', 'a["b.c"]', 'a[""]')
    """
    if not isinstance(key, str):
        raise TypeError(f"object keys must be strings, got {type(key).__name__}: {key!r}")
    if not key or not _QUOTED_KEY_MARKS.isdisjoint(key):
        return f"{path}[{spell(key)}]"
    return f"{path}.{key}" if path else key
