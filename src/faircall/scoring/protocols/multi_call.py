"""`multi_call.v1`: a gold of no, one or several calls, met as a multiset; `multi_call_ordered.v1`: in order.

Names, arguments and whole calls are compared as multisets (or sequences). Pairs for argument F1 come from an
assignment of predicted to gold calls that makes the most whole calls right, then names, then pairs. On rows
with one gold call and one predicted call the components are those of the default protocol.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from faircall.canonical import spell
from faircall.errors import GoldMissing
from faircall.records import Example, Gold, Parsed, ToolCall
from faircall.scoring.match import CallMatch, count_matched, count_pairs
from faircall.scoring.protocols.assignment import assign
from faircall.scoring.protocols.protocol import (
    NO_CALL,
    NoCall,
    Protocol,
    TruthFault,
    cause_of_no_call,
    cause_of_parse,
    match_no_call,
    read_call,
    says_no_call,
)
from faircall.strict_json import JsonFault, decode
from faircall.tools import find_tool

Calls: TypeAlias = Sequence[ToolCall]
_Collect: TypeAlias = Callable[[Sequence[str]], Any]  # Counter: any order; tuple: this order


@dataclass(frozen=True, slots=True)
class CallList:
    """One or several gold calls."""

    calls: tuple[ToolCall, ...]

    def to_dict(self) -> dict[str, Any]:
        """`{"calls": [...]}`."""
        return {"calls": [call.to_dict() for call in self.calls]}


def read_truth(row: Mapping[str, Any]) -> Gold:
    """The gold of a row: a call, a list of calls (or the JSON text of either), or `should_call_tool: false`.

    >>> read_truth({"gold": []})
    NoCall()
    """
    value = row.get("gold")
    if isinstance(value, str):
        value = _decoded(value)
    if says_no_call(row):
        if value:
            raise TruthFault("has gold calls, and says that no tool should be called")
        return NO_CALL
    if value is None:
        raise TruthFault("has no gold; no call is written as an empty list")
    return load_truth({"calls": value if isinstance(value, list) else [value]})


def load_truth(value: Any) -> Gold:
    """`{"calls": [...]}` as a gold."""
    calls = value.get("calls") if isinstance(value, Mapping) else None
    if not isinstance(calls, list):
        raise TruthFault("is not an object with a list of calls")
    return CallList(tuple(read_call(call) for call in calls)) if calls else NO_CALL


def _decoded(text: str) -> Any:
    try:
        return decode(text)
    except JsonFault as fault:
        reason = "repeats a key" if fault.reason == "duplicate_key" else "is not valid JSON"
        raise TruthFault(f"{reason} (character {fault.offset + 1})") from None


def match_calls(gold: Calls, predicted: Calls | None, *, collect: _Collect = Counter) -> CallMatch:
    """Gold calls (one or more) against the calls of an answer; None is a malformed answer.

    >>> f, g = ToolCall("f", {"x": 1}), ToolCall("g", {"x": 2, "y": 3})
    >>> match_calls([f, g], [g, f])
    CallMatch(parsed=1, name=1, arguments=1, full=1, matched=3, gold_pairs=3, predicted_pairs=3)
    >>> match_calls([f, g], [f])
    CallMatch(parsed=1, name=0, arguments=0, full=0, matched=1, gold_pairs=3, predicted_pairs=1)
    """
    due = sum(count_pairs(call.arguments) for call in gold)
    if not predicted:
        return CallMatch(0, 0, 0, 0, 0, due, 0)
    sides = [_spellings(calls) for calls in (gold, predicted)]
    names, arguments, full = (
        int(collect(ours) == collect(theirs)) for ours, theirs in zip(*sides, strict=True)
    )
    pairs = _pair_up(gold, predicted, in_order=collect is tuple)
    matched = sum(count_matched(gold[a].arguments, predicted[b].arguments) for a, b in pairs)
    given = sum(count_pairs(call.arguments) for call in predicted)
    return CallMatch(1, names, arguments, full, matched, due, given)


def _spellings(calls: Calls) -> tuple[list[str], list[str], list[str]]:
    """Names, arguments and whole calls, each as text that is equal exactly for equal values."""
    names = [call.name for call in calls]
    arguments = [spell(call.arguments) for call in calls]
    return names, arguments, [spell([name, text]) for name, text in zip(names, arguments, strict=True)]


def _pair_up(gold: Calls, predicted: Calls, *, in_order: bool) -> list[tuple[int, int]]:
    if in_order or len(gold) == len(predicted) == 1:
        return [(place, place) for place in range(min(len(gold), len(predicted)))]
    return assign([[_merit(ours, theirs) for theirs in predicted] for ours in gold])


def _merit(gold: ToolCall, predicted: ToolCall) -> tuple[int, int, int]:
    """What a pair of calls is worth: the whole call, then the name, then pairs."""
    matched = count_matched(gold.arguments, predicted.arguments)
    whole = matched == count_pairs(gold.arguments) == count_pairs(predicted.arguments)
    same_name = gold.name == predicted.name
    return int(whole and same_name), int(same_name), matched


def _protocol(name: str, summary: str, collect: _Collect) -> Protocol:
    def match(example: Example, parsed: Parsed) -> CallMatch:
        gold = gold_of(example)
        if not gold:
            return match_no_call(parsed)
        return match_calls(gold, parsed.all_calls, collect=collect)

    return Protocol(name, summary, read_truth, load_truth, match, cause, facts)


def gold_of(example: Example) -> Calls:
    """The gold calls of an example, () where none is right."""
    truth = example.truth
    if isinstance(truth, NoCall):
        return ()
    if isinstance(truth, CallList):
        return truth.calls
    raise GoldMissing(
        f"example {example.example_id!r} has no gold calls", hint="a gold of no call is an empty list"
    )


def cause(example: Example, parsed: Parsed) -> str:
    """Why an answer is not right in full: the first that applies.

    Parse status and reason; `unwanted_call`, `no_call`, `missing_call`, `extra_call`, `unknown_tool`,
    `wrong_tool`, `call_order`, `wrong_arguments`.
    """
    gold, calls = gold_of(example), parsed.all_calls
    if calls is None or not gold:
        return cause_of_no_call(parsed) if not gold else cause_of_parse(parsed)
    if len(calls) != len(gold):
        return "no_call" if not calls else "missing_call" if len(calls) < len(gold) else "extra_call"
    if example.tools is not None and any(find_tool(example.tools, call.name) is None for call in calls):
        return "unknown_tool"
    names, _, whole = (
        list(map(Counter, side)) for side in zip(_spellings(gold), _spellings(calls), strict=True)
    )
    if names[0] != names[1]:
        return "wrong_tool"
    return "call_order" if whole[0] == whole[1] else "wrong_arguments"


def facts(examples: Sequence[Example], parsed: Sequence[Parsed]) -> dict[str, int]:
    """Calls due, made and right (whole, as multisets), and the rows where no call is right.

    Calls of malformed answers are not counted as made: nobody can say how many they are.
    """
    counts: Counter[str] = Counter()
    for example, found in zip(examples, parsed, strict=True):
        gold, calls = gold_of(example), found.all_calls
        due, made = (Counter(_spellings(side)[2]) for side in (gold, calls or ()))
        counts.update(gold_calls=due.total(), made_calls=made.total(), right_calls=(due & made).total())
        counts.update(no_call_rows=int(not gold), no_call_right=int(not gold and calls == ()))
        counts.update(malformed_rows=int(calls is None))
    return dict(counts)


PROTOCOL: Final = _protocol("multi_call.v1", "any number of calls, none included, in any order", Counter)
ORDERED: Final = _protocol(
    "multi_call_ordered.v1", "any number of calls, none included, in this order", tuple
)
