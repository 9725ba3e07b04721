"""One gold call against one predicted call, in pairs, without writing a path down.

Two leaves share a path exactly when the same keys and indices lead to them, so both values are walked side
by side. That is linear in their size, where printed paths are not: a long key would be written once for each
leaf below it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from faircall.records import ToolCall


class CallMatch(NamedTuple):
    """How a prediction meets its gold call; the five metrics need nothing else. Flags are 0 or 1."""

    parsed: int
    name: int
    arguments: int
    full: int
    matched: int
    gold_pairs: int
    predicted_pairs: int


def match_call(gold: ToolCall, predicted: ToolCall | None) -> CallMatch:
    """Compare a prediction (None: nothing parsed) with its gold call.

    >>> match_call(ToolCall("f", {"x": 1, "y": 2}), ToolCall("f", {"x": 1, "y": 2.0}))
    CallMatch(parsed=1, name=1, arguments=0, full=0, matched=1, gold_pairs=2, predicted_pairs=2)
    """
    gold_pairs = count_pairs(gold.arguments)
    if predicted is None:
        return CallMatch(0, 0, 0, 0, 0, gold_pairs, 0)
    predicted_pairs = count_pairs(predicted.arguments)
    matched = count_matched(gold.arguments, predicted.arguments)
    name = gold.name == predicted.name
    arguments = matched == gold_pairs == predicted_pairs
    return CallMatch(
        1, int(name), int(arguments), int(name and arguments), matched, gold_pairs, predicted_pairs
    )


def count_pairs(value: Any) -> int:
    """The number of pairs that `value` flattens to.

    >>> count_pairs({"a": [1, {}], "b": None}), count_pairs({})
    (3, 1)
    """
    leaves = 0
    pending = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, dict) and item:
            pending += item.values()
        elif isinstance(item, list) and item:
            pending += item
        else:
            leaves += 1
    return leaves


def count_matched(gold: Any, predicted: Any) -> int:
    """The number of pairs, path and value both, that two values share.

    >>> count_matched({"a": {"b": 1}}, {"a.b": 1}), count_matched({"t": ["x", "y"]}, {"t": ["x", "z"]})
    (0, 1)
    """
    matched = 0
    pending = [(gold, predicted)]
    while pending:
        left, right = pending.pop()
        if isinstance(left, dict) and isinstance(right, dict) and left and right:
            pending += [(member, right[key]) for key, member in left.items() if key in right]
        elif isinstance(left, list) and isinstance(right, list) and left and right:
            pending += zip(left, right, strict=False)
        else:
            matched += is_same_leaf(left, right)
    return matched


def is_same_leaf(left: Any, right: Any) -> bool:
    """Whether two leaves have one canonical spelling; 1, 1.0, true and "1" are four values (D6).

    >>> is_same_leaf(1, 1.0), is_same_leaf(0.0, -0.0), is_same_leaf({}, {}), is_same_leaf({}, [])
    (False, False, True, False)
    """
    if type(left) is not type(right):
        return False
    return bool(left == right) and (type(left) is not float or repr(left) == repr(right))
