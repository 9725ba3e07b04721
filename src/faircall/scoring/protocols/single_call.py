"""`faircall.call_metrics.v1`, the default: one gold call, compared exactly."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from faircall.errors import GoldMissing
from faircall.records import Example, Parsed, ToolCall
from faircall.scoring.call_metrics import METRIC_PROTOCOL
from faircall.scoring.causes import cause_of_miss
from faircall.scoring.match import CallMatch, match_call
from faircall.scoring.protocols.protocol import Protocol, read_call

__all__ = ["METRIC_PROTOCOL", "PROTOCOL", "gold_of"]


def gold_of(example: Example) -> ToolCall:
    """The gold call of an example.

    Raises:
        GoldMissing: there is none.
    """
    if example.gold is None:
        raise GoldMissing(
            f"example {example.example_id!r} has no gold call", hint="`faircall check` needs no gold"
        )
    return example.gold


def match(example: Example, parsed: Parsed) -> CallMatch:
    """The only call against the gold call."""
    return match_call(gold_of(example), parsed.call)


def read_truth(row: Mapping[str, Any]) -> ToolCall:
    """The gold call of a row."""
    return read_call(row.get("gold"))


PROTOCOL: Final = Protocol(
    name=METRIC_PROTOCOL,
    summary="one call, compared exactly (the default)",
    read_truth=read_truth,
    load_truth=read_call,
    match=match,
    cause=cause_of_miss,
)
