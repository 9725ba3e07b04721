"""A step: one request that a gold call answers, before it has an id."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from faircall.records import ToolCall


@dataclass(frozen=True, slots=True)
class Step:
    """What a row asks, offers and answers at one point. `messages` end where the gold call belongs."""

    gold: ToolCall
    tools: tuple[Mapping[str, Any], ...] | None
    query: str | None
    messages: tuple[Mapping[str, Any], ...] | None
