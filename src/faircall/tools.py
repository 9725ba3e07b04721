"""Offered tools: the two forms in which they come, and their names.

Chat servers write `{"type": "function", "function": {name, description, parameters}}`; many datasets write
the bare `{name, description, parameters}`. Whatever has another form has no name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any


def declaration(tool: Any) -> Mapping[str, Any]:
    """The bare form of a tool; empty when it has neither form.

    >>> declaration({"type": "function", "function": {"name": "wx"}})
    {'name': 'wx'}
    """
    if not isinstance(tool, Mapping):
        return {}
    inner = tool.get("function")
    return inner if isinstance(inner, Mapping) else tool


def tool_name(tool: Any) -> str | None:
    """The name of a tool, None when it has none.

    >>> tool_name({"name": "wx"}), tool_name({"title": "wx"})
    ('wx', None)
    """
    name = declaration(tool).get("name")
    return name if isinstance(name, str) and name else None


def find_tool(tools: Iterable[Any], name: str) -> Mapping[str, Any] | None:
    """The first offered tool called `name`, in its bare form."""
    for tool in tools:
        if tool_name(tool) == name:
            return declaration(tool)
    return None


def argument_schema(tool: Mapping[str, Any]) -> Any:
    """The schema of a bare tool's arguments, under OpenAI's or Anthropic's key; None without one.

    >>> argument_schema({"name": "wx", "input_schema": {"type": "object"}})
    {'type': 'object'}
    """
    return tool.get("parameters", tool.get("input_schema"))


def declared_arguments(tool: Mapping[str, Any]) -> frozenset[str] | None:
    """The argument names that a tool's schema declares; None when it lists none to hold a call against.

    >>> sorted(declared_arguments({"parameters": {"properties": {"city": {}, "unit": {}}}}))
    ['city', 'unit']
    """
    parameters = argument_schema(tool)
    properties = parameters.get("properties") if isinstance(parameters, Mapping) else None
    return frozenset(properties) if isinstance(properties, Mapping) else None
