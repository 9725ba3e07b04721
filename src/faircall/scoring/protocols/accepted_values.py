"""`accepted_values.v1`: one call whose arguments may take several values, by rules that stand in the data.

A row may also say that no call is right. Pairs are counted per top-level argument: those that are due (not
to be omitted, or given) against those that were given; an object without arguments is one pair, as ever.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from faircall.errors import GoldMissing
from faircall.records import Example, Gold, Parsed, ToolCall
from faircall.scoring.causes import invented_arguments
from faircall.scoring.match import CallMatch
from faircall.scoring.protocols.arguments import Arguments, read_arguments
from faircall.scoring.protocols.protocol import (
    NO_CALL,
    NoCall,
    Protocol,
    TruthFault,
    cause_of_no_call,
    cause_of_parse,
    match_no_call,
    says_no_call,
)
from faircall.tools import find_tool

_FORM: Final = '{"name": ..., "arguments": {ARGUMENT: [VALUE, ...] or {"values": [...], "rule": ...}}}'


@dataclass(frozen=True, slots=True)
class AcceptedCall:
    """A gold with accepted values; `written` is its JSON form, `arguments` what that means."""

    written: Mapping[str, Any]
    name: str
    arguments: Arguments = field(repr=False, compare=False)

    def to_dict(self) -> dict[str, Any]:
        """The JSON form, as it stands in the data."""
        return dict(self.written)


def read_truth(row: Mapping[str, Any]) -> Gold:
    """The gold of a row: its field `accepted`, or no call where `should_call_tool` is false.

    >>> read_truth({"accepted": {"name": "wx", "arguments": {"city": ["Graz"]}}}).name
    'wx'
    """
    value = row.get("accepted")
    if says_no_call(row):
        if value is not None:
            raise TruthFault("has accepted values, and says that no tool should be called")
        return NO_CALL
    if value is None:
        raise TruthFault("has no accepted values")
    return load_truth(value)


def load_truth(value: Any) -> Gold:
    """The JSON form as a gold."""
    if isinstance(value, Mapping) and value.keys() == {"calls"} and value["calls"] == []:
        return NO_CALL
    if not isinstance(value, Mapping) or value.keys() != {"name", "arguments"}:
        raise TruthFault(f"has accepted values that are not {_FORM}")
    name, arguments = value["name"], value["arguments"]
    if not isinstance(name, str) or not name or not isinstance(arguments, Mapping):
        raise TruthFault(f"has accepted values that are not {_FORM}")
    return AcceptedCall(value, name, read_arguments(arguments))


def match(example: Example, parsed: Parsed) -> CallMatch:
    """The only call of an answer against what is accepted."""
    gold = _gold_of(example)
    return match_no_call(parsed) if gold is None else match_accepted(gold, parsed.call)


def match_accepted(gold: AcceptedCall, call: ToolCall | None) -> CallMatch:
    """One call, or None where nothing parsed.

    >>> gold = load_truth({"name": "f", "arguments": {"x": [1, 2], "y": {"values": [3], "optional": True}}})
    >>> match_accepted(gold, ToolCall("f", {"x": 2}))
    CallMatch(parsed=1, name=1, arguments=1, full=1, matched=1, gold_pairs=1, predicted_pairs=1)
    >>> match_accepted(gold, ToolCall("f", {"x": 2, "y": 4}))
    CallMatch(parsed=1, name=1, arguments=0, full=0, matched=1, gold_pairs=2, predicted_pairs=2)
    """
    given = {} if call is None else call.arguments
    due = [name for name, accepted in gold.arguments.items() if name in given or not accepted.may_be_omitted]
    gold_pairs = len(due) or 1
    if call is None:
        return CallMatch(0, 0, 0, 0, 0, gold_pairs, 0)
    right = sum(name in given and gold.arguments[name].accepts(given[name]) for name in due)
    matched = right if due or given else 1
    predicted_pairs = len(given) or 1
    arguments = matched == gold_pairs == predicted_pairs
    name = call.name == gold.name
    return CallMatch(
        1, int(name), int(arguments), int(name and arguments), matched, gold_pairs, predicted_pairs
    )


def cause(example: Example, parsed: Parsed) -> str:
    """Why an answer is not right in full, in the words of the default protocol; the first that applies."""
    gold, call = _gold_of(example), parsed.call
    if gold is None:
        return cause_of_no_call(parsed)
    if call is None:
        return cause_of_parse(parsed)
    if example.tools is not None and find_tool(example.tools, call.name) is None:
        return "unknown_tool"
    if call.name != gold.name:
        return "wrong_tool"
    if any(name not in call.arguments and not a.may_be_omitted for name, a in gold.arguments.items()):
        return "missing_argument"
    unexpected = call.arguments.keys() - gold.arguments.keys()
    if unexpected:
        invented = unexpected & invented_arguments(example, call)
        return "unexpected_argument:invented" if invented else "unexpected_argument"
    return "wrong_value"


def facts(examples: Sequence[Example], parsed: Sequence[Parsed]) -> dict[str, int]:
    """Rows where no call is right, and how many of them were answered so."""
    counts: Counter[str] = Counter()
    for example, found in zip(examples, parsed, strict=True):
        no_call = _gold_of(example) is None
        counts.update(no_call_rows=int(no_call), no_call_right=int(no_call and found.all_calls == ()))
    return dict(counts)


def _gold_of(example: Example) -> AcceptedCall | None:
    """What is accepted; None where no call is right."""
    truth = example.truth
    if isinstance(truth, NoCall):
        return None
    if isinstance(truth, AcceptedCall):
        return truth
    raise GoldMissing(
        f"example {example.example_id!r} has no accepted values", hint="see docs/protocols.md for their form"
    )


PROTOCOL: Final = Protocol(
    name="accepted_values.v1",
    summary="one call, several accepted values per argument, rules in the data",
    read_truth=read_truth,
    load_truth=load_truth,
    match=match,
    cause=cause,
    facts=facts,
)
