"""One gold call against one predicted call, in pairs, without writing a path down.

Two leaves share a path exactly when the same keys and indices lead to them, so both values are walked side
by side. That is linear in their size, where printed paths are not: a long key would be written once for each
leaf below it.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import msgspec

from faircall.records import ToolCall

_encode: Final = msgspec.json.Encoder(order="deterministic").encode
_CONTAINERS: Final = frozenset((dict, list))


class CallMatch(NamedTuple):
    """How a prediction meets its gold call; the five metrics need nothing else. Flags are 0 or 1."""

    parsed: int
    name: int
    arguments: int
    full: int
    matched: int
    gold_pairs: int
    predicted_pairs: int


class CompiledGold(NamedTuple):
    """A gold call with what every prediction is held against; made once where there are many."""

    call: ToolCall
    pairs: int
    spelling: bytes | None


def compile_gold(call: ToolCall) -> CompiledGold:
    """A gold call, ready to be matched."""
    return CompiledGold(call, count_pairs(call.arguments), _spell_fast(call.arguments))


def match_call(gold: ToolCall, predicted: ToolCall | None) -> CallMatch:
    """Compare a prediction (None: nothing parsed) with its gold call.

    >>> match_call(ToolCall("f", {"x": 1, "y": 2}), ToolCall("f", {"x": 1, "y": 2.0}))
    CallMatch(parsed=1, name=1, arguments=0, full=0, matched=1, gold_pairs=2, predicted_pairs=2)
    """
    return match_compiled(compile_gold(gold), predicted)


def match_compiled(gold: CompiledGold, predicted: ToolCall | None) -> CallMatch:
    """`match_call` with a compiled gold call."""
    if predicted is None:
        return CallMatch(0, 0, 0, 0, 0, gold.pairs, 0)
    name = int(gold.call.name == predicted.name)
    if gold.spelling is not None and gold.spelling == _spell_fast(predicted.arguments):
        return CallMatch(1, name, 1, name, gold.pairs, gold.pairs, gold.pairs)
    predicted_pairs = count_pairs(predicted.arguments)
    matched = count_matched(gold.call.arguments, predicted.arguments)
    arguments = int(matched == gold.pairs == predicted_pairs)
    return CallMatch(1, name, arguments, name and arguments, matched, gold.pairs, predicted_pairs)


def _spell_fast(value: Any) -> bytes | None:
    """A spelling that only equal values share; None where msgspec has none (lone surrogates)."""
    try:
        return _encode(value)
    except (ValueError, OverflowError, RecursionError):
        return None


def count_pairs(value: Any) -> int:
    """The number of pairs that `value` flattens to.

    >>> count_pairs({"a": [1, {}], "b": None}), count_pairs({})
    (3, 1)
    """
    leaves = 0
    pending = [value]
    for item in pending:  # grows while it is walked
        if item and type(item) in _CONTAINERS:
            pending += item.values() if type(item) is dict else item
        else:
            leaves += 1
    return leaves


def count_matched(gold: Any, predicted: Any) -> int:
    """The number of pairs, path and value both, that two values share.

    >>> count_matched({"a": {"b": 1}}, {"a.b": 1}), count_matched({"t": ["x", "y"]}, {"t": ["x", "z"]})
    (0, 1)
    """
    matched = 0
    pending = [[(gold, predicted)]]
    for pairs in pending:  # grows while it is walked
        for left, right in pairs:
            if type(left) is not type(right):
                continue
            if left and right and type(left) in _CONTAINERS:
                pending.append(_pair_members(left, right))
            else:
                matched += left == right and (type(left) is not float or repr(left) == repr(right))
    return matched


def _pair_members(left: Any, right: Any) -> list[tuple[Any, Any]]:
    """What two arrays or two objects have under the same index or key."""
    if type(left) is list:
        return list(zip(left, right, strict=False))
    return [(member, right[key]) for key, member in left.items() if key in right]


def is_same_leaf(left: Any, right: Any) -> bool:
    """Whether two leaves have one canonical spelling; 1, 1.0, true and "1" are four values (D6).

    >>> is_same_leaf(1, 1.0), is_same_leaf(0.0, -0.0), is_same_leaf({}, {}), is_same_leaf({}, [])
    (False, False, True, False)
    """
    if type(left) is not type(right):
        return False
    return bool(left == right) and (type(left) is not float or repr(left) == repr(right))
