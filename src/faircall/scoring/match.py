"""One gold call against one predicted call, in pairs, without writing a path down.

Two leaves share a path exactly when the same keys and indices lead to them, so both values are walked side
by side. That is linear in their size, where printed paths are not: a long key would be written once for each
leaf below it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final, NamedTuple

import msgspec

from faircall.records import ToolCall

_encode: Final = msgspec.json.Encoder(order="deterministic").encode
_UNSPELLABLE: Final = (ValueError, OverflowError, RecursionError)
_ABSENT: Final = object()


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
    """A gold call with what every prediction is held against; made once where there are many predictions.

    Attributes:
        spelling: of the arguments by msgspec, where it has one.
        nothing: the match of no call at all.
        perfect: the match of the gold call itself.
    """

    name: str
    arguments: Mapping[str, Any]
    spelling: bytes | None
    nothing: CallMatch
    perfect: CallMatch


def compile_gold(call: ToolCall) -> CompiledGold:
    """A gold call, ready to be matched with any number of predictions."""
    pairs = count_pairs(call.arguments)
    nothing, perfect = _miss(pairs), _count_as(True, pairs, pairs, pairs)
    return CompiledGold(call.name, call.arguments, _spell(call.arguments), nothing, perfect)


def match_compiled(gold: CompiledGold, predicted: ToolCall | None) -> CallMatch:
    """`match_call` with a compiled gold call."""
    if predicted is None:
        return gold.nothing
    gold_name, arguments, spelling, nothing, perfect = gold
    same_name = gold_name == predicted.name
    if same_name:
        try:
            if spelling == _encode(predicted.arguments):
                return perfect
        except _UNSPELLABLE:
            pass
    matched, pairs = _compare_pairs(arguments, predicted.arguments)
    return _count_as(same_name, matched, pairs, nothing.gold_pairs)


def match_call(gold: ToolCall, predicted: ToolCall | None) -> CallMatch:
    """Compare a prediction (None: nothing parsed) with its gold call.

    >>> match_call(ToolCall("f", {"x": 1, "y": 2}), ToolCall("f", {"x": 1, "y": 2.0}))
    CallMatch(parsed=1, name=1, arguments=0, full=0, matched=1, gold_pairs=2, predicted_pairs=2)
    """
    pairs = count_pairs(gold.arguments)
    if predicted is None:
        return _miss(pairs)
    matched, predicted_pairs = _compare_pairs(gold.arguments, predicted.arguments)
    return _count_as(gold.name == predicted.name, matched, predicted_pairs, pairs)


@lru_cache(maxsize=4096)
def _count_as(same_name: bool, matched: int, predicted_pairs: int, gold_pairs: int) -> CallMatch:
    """A call's match; few are distinct, and finding one takes a third of the time of making it."""
    name, arguments = int(same_name), int(matched == predicted_pairs == gold_pairs)
    return CallMatch(1, name, arguments, name and arguments, matched, gold_pairs, predicted_pairs)


@lru_cache(maxsize=1024)
def _miss(gold_pairs: int) -> CallMatch:
    return CallMatch(0, 0, 0, 0, 0, gold_pairs, 0)


def _compare_pairs(gold: Any, predicted: Any) -> tuple[int, int]:
    """The pairs that two objects (or two arrays) share, and all pairs of the second."""
    if not predicted:
        return int(not gold), 1
    matched = pairs = 0
    pending = [(gold, predicted)]
    for left, right in pending:  # grows while it is walked
        if type(right) is list:
            find, members = dict(enumerate(left)).get, enumerate(right)
        else:
            find, members = left.get, right.items()
        for key, value in members:
            other, kind = find(key, _ABSENT), type(value)
            if value and (kind is dict or kind is list):
                if type(other) is kind:
                    pending.append((other, value))
                else:
                    pairs += count_pairs(value)
            else:
                pairs += 1
                # Of equal values of one type only 0.0 and -0.0 are spelled in two ways.
                if type(other) is kind and other == value and (value or repr(other) == repr(value)):
                    matched += 1
    return matched, pairs


def _spell(value: Any) -> bytes | None:
    """A spelling that only equal values share; None where msgspec has none (lone surrogates)."""
    try:
        return _encode(value)
    except _UNSPELLABLE:
        return None


def count_pairs(value: Any) -> int:
    """The number of pairs that `value` flattens to.

    >>> count_pairs({"a": [1, {}], "b": None}), count_pairs({})
    (3, 1)
    """
    leaves = 0
    pending = [value]
    for item in pending:  # grows while it is walked
        kind = type(item)
        if kind is dict and item:
            pending += item.values()
        elif kind is list and item:
            pending += item
        else:
            leaves += 1
    return leaves


def count_matched(gold: Any, predicted: Any) -> int:
    """The number of pairs, path and value both, that two values share.

    >>> count_matched({"a": {"b": 1}}, {"a.b": 1}), count_matched({"t": ["x", "y"]}, {"t": ["x", "z"]})
    (0, 1)
    """
    return _compare_pairs([gold], [predicted])[0]


def is_same_leaf(left: Any, right: Any) -> bool:
    """Whether two leaves have one canonical spelling; 1, 1.0, true and "1" are four values (D6).

    >>> is_same_leaf(1, 1.0), is_same_leaf(0.0, -0.0), is_same_leaf({}, {}), is_same_leaf({}, [])
    (False, False, True, False)
    """
    if type(left) is not type(right):
        return False
    return bool(left == right) and (type(left) is not float or repr(left) == repr(right))


def is_equal(left: Any, right: Any) -> bool:
    """Whether two values have one canonical spelling (D6).

    >>> is_equal({"a": [1]}, {"a": [1]}), is_equal({"a": [1]}, {"a": [1.0]}), is_equal(1, True)
    (True, False, False)
    """
    if left != right or not left or type(left) not in (dict, list):
        return is_same_leaf(left, right)
    spelling = _spell(left)
    if spelling is None:
        return count_matched(left, right) == count_pairs(left) == count_pairs(right)
    return spelling == _spell(right)
