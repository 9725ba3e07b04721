"""Offered tools: the two forms in which they come, and their names.

Chat servers write `{"type": "function", "function": {name, description, parameters}}`; many datasets write
the bare `{name, description, parameters}`. Whatever has another form has no name.
"""

from __future__ import annotations

from collections.abc import Mapping
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
