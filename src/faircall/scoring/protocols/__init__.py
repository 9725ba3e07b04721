"""Protocols: how a gold and what was read become the components of the five metrics. One file each.

    row of a file --> Protocol.read_truth --> Gold
    Example, Parsed --> Protocol.match --> CallMatch --> the five components; totals and reports only add

The default takes one call and compares exactly. The others ask the same five questions of other golds; the
name stands in the identity, and arms under two protocols are never compared.
"""

from __future__ import annotations

from typing import Final

from faircall.errors import ConfigError
from faircall.registry import Registry
from faircall.scoring.protocols.protocol import NO_CALL, NoCall, Protocol, TruthFault
from faircall.scoring.protocols.single_call import METRIC_PROTOCOL

__all__ = ["METRIC_PROTOCOL", "NO_CALL", "PROTOCOLS", "NoCall", "Protocol", "TruthFault", "get"]

_HERE: Final = "faircall.scoring.protocols"

PROTOCOLS: Final[Registry[Protocol]] = Registry(
    "protocol",
    builtin={
        METRIC_PROTOCOL: f"{_HERE}.single_call:PROTOCOL",
        "multi_call.v1": f"{_HERE}.multi_call:PROTOCOL",
        "multi_call_ordered.v1": f"{_HERE}.multi_call:ORDERED",
        "accepted_values.v1": f"{_HERE}.accepted_values:PROTOCOL",
    },
    entry_points="faircall.protocols",
)


def get(name: str) -> Protocol:
    """The protocol called `name`.

    >>> get("multi_call.v1").summary
    'any number of calls, none included, in any order'

    Raises:
        ConfigError: there is none, or an installed package names something else by it.
    """
    found = PROTOCOLS.get(name)
    if not isinstance(found, Protocol):
        kind = type(found).__name__
        raise ConfigError(f"protocol {name!r} is a {kind}, not a Protocol", hint="see docs/protocols.md")
    return found
