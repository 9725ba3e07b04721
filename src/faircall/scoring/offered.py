"""Offered tools: the one that a call names, and what its schema declares."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from faircall.tools import declaration, tool_name


def find_tool(tools: Iterable[Any], name: str) -> Mapping[str, Any] | None:
    """The first offered tool called `name`, in its bare form."""
    for tool in tools:
        if tool_name(tool) == name:
            return declaration(tool)
    return None


def declared_arguments(tool: Mapping[str, Any]) -> frozenset[str] | None:
    """The argument names that a tool's schema declares; None when it lists none to hold a call against.

    >>> sorted(declared_arguments({"parameters": {"properties": {"city": {}, "unit": {}}}}))
    ['city', 'unit']
    """
    parameters = tool.get("parameters")
    properties = parameters.get("properties") if isinstance(parameters, Mapping) else None
    return frozenset(properties) if isinstance(properties, Mapping) else None
