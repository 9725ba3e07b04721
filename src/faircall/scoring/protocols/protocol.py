"""What a protocol is, and the gold that says "no call"."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from faircall.records import Example, Gold, Parsed, ToolCall
from faircall.scoring.match import CallMatch, count_pairs


class TruthFault(ValueError):
    """Why the gold of a row cannot be used under a protocol; the message completes "the row ..."."""


@dataclass(frozen=True, slots=True)
class NoCall:
    """A gold that no call is right for."""

    def to_dict(self) -> dict[str, Any]:
        """`{"calls": []}`."""
        return {"calls": []}


NO_CALL: Final = NoCall()


@dataclass(frozen=True, slots=True)
class Protocol:
    """One declared way to score. The name carries the version; what it computes never changes under it.

    Attributes:
        name: as it stands in the identity and after `--protocol`.
        summary: one line for people.
        read_truth: the gold of a row from its fields (`gold`, `accepted`, `should_call_tool`); a field that
            the row lacks is None. Raises TruthFault.
        load_truth: the gold from its JSON form, the other way of `Gold.to_dict`. Raises TruthFault.
        match: how one answer meets its gold: counts from which the five components follow.
        cause: why an answer is not right in full; asked for misses only.
        facts: counts over all rows for the diagnosis.
    """

    name: str
    summary: str
    read_truth: Callable[[Mapping[str, Any]], Gold]
    load_truth: Callable[[Any], Gold]
    match: Callable[[Example, Parsed], CallMatch]
    cause: Callable[[Example, Parsed], str]
    facts: Callable[[Sequence[Example], Sequence[Parsed]], Mapping[str, Any]] = lambda examples, parsed: {}


def match_no_call(parsed: Parsed) -> CallMatch:
    """An answer where no call is right: it must be well-formed and make none.

    "No call" counts as one pair, so that a call too many costs pairs, and malformed output finds none.

    >>> match_no_call(Parsed(None, "no_json", "no_bracket", calls=()))
    CallMatch(parsed=1, name=1, arguments=1, full=1, matched=1, gold_pairs=1, predicted_pairs=1)
    >>> match_no_call(Parsed(None, "invalid_json", "bad_json")).full
    0
    """
    calls = parsed.all_calls
    if calls is None:
        return CallMatch(0, 0, 0, 0, 0, 1, 0)
    if not calls:
        return CallMatch(1, 1, 1, 1, 1, 1, 1)
    return CallMatch(1, 0, 0, 0, 0, 1, sum(count_pairs(call.arguments) for call in calls))


def cause_of_no_call(parsed: Parsed) -> str:
    """Why an answer is wrong where no call is right."""
    return "unwanted_call" if parsed.all_calls else cause_of_parse(parsed)


def cause_of_parse(parsed: Parsed) -> str:
    """The cause of an answer without a call, as in the default protocol."""
    return f"{parsed.status}:{parsed.reason}"


def read_call(value: Any) -> ToolCall:
    """One call of a gold.

    Raises:
        TruthFault: the value is no call.
    """
    if not isinstance(value, Mapping) or value.keys() != {"name", "arguments"}:
        raise TruthFault("holds a call that does not have exactly the keys name and arguments")
    if not isinstance(value["name"], str) or not value["name"]:
        raise TruthFault("holds a call whose name is not a non-empty string")
    if not isinstance(value["arguments"], Mapping):
        raise TruthFault("holds a call whose arguments are not an object")
    return ToolCall(value["name"], value["arguments"])


def says_no_call(row: Mapping[str, Any]) -> bool:
    """Whether a row declares that no call is right.

    Raises:
        TruthFault: `should_call_tool` is not a boolean.
    """
    flag = row.get("should_call_tool")
    if flag is not None and not isinstance(flag, bool):
        raise TruthFault("has a should_call_tool that is neither true nor false")
    return flag is False
