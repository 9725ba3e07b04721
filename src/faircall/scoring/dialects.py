"""Tool schemas in BFCL's dialect, in JSON Schema's words, so that one validator serves both.

BFCL writes Python's names of types (`dict`, `float`, `tuple`, `any`), and those of Java and JavaScript in the
categories of these languages. Only what stands where a schema stands is translated: a property called `type`,
a default or an accepted value is left as it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from faircall.tools import argument_schema, declaration

DIALECTS: Final = ("auto", "json_schema", "bfcl")
MAX_DEPTH: Final = 64
"""Levels of nested schemas that are translated; deeper ones stay as they are."""

_TYPES: Final[Mapping[str, str]] = {
    "dict": "object", "HashMap": "object", "Hashtable": "object", "float": "number", "double": "number",
    "tuple": "array", "list": "array", "Array": "array", "ArrayList": "array", "Queue": "array",
    "Stack": "array", "Set": "array", "byte": "integer", "short": "integer", "long": "integer",
    "Bigint": "integer", "char": "string", "String": "string", "Boolean": "boolean", "bool": "boolean",
}  # fmt: skip
_UNTYPED: Final = ("any", "Any", "")
_OF_SCHEMAS: Final = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")
_SCHEMAS: Final = (
    "items", "additionalProperties", "prefixItems", "anyOf", "oneOf", "allOf", "not", "if", "then", "else",
    "contains", "propertyNames", "unevaluatedProperties", "unevaluatedItems",
)  # fmt: skip


def in_dialect(tools: Sequence[Mapping[str, Any]], dialect: str) -> tuple[Mapping[str, Any], ...]:
    """Tools as the validator takes them.

    Args:
        tools: bare or in the form of chat servers.
        dialect: `json_schema`: as they are; `bfcl`: every one translated; `auto`: those translated whose
            schema calls itself a `dict`, which JSON Schema has no word for.

    >>> schema = {"type": "dict", "properties": {"x": {"type": "any"}}}
    >>> in_dialect([{"name": "f", "parameters": schema}], "auto")
    ({'name': 'f', 'parameters': {'type': 'object', 'properties': {'x': {}}}},)
    """
    return tuple(_translated(tool) if _is_meant(tool, dialect) else tool for tool in tools)


def _is_meant(tool: Mapping[str, Any], dialect: str) -> bool:
    parameters = argument_schema(declaration(tool))
    if dialect == "json_schema" or not isinstance(parameters, Mapping):
        return False
    return dialect == "bfcl" or parameters.get("type") == "dict"


def _translated(tool: Mapping[str, Any]) -> Mapping[str, Any]:
    bare = declaration(tool)
    return {**bare, "parameters": _schema(argument_schema(bare))}


def _schema(value: Any, depth: int = 0) -> Any:
    if isinstance(value, list):
        return [_schema(member, depth + 1) for member in value]
    if not isinstance(value, Mapping) or depth > MAX_DEPTH:
        return value
    found = {key: _part(key, member, depth) for key, member in value.items()}
    kind = found.get("type")
    if isinstance(kind, str) and kind in _UNTYPED:
        del found["type"]
    elif isinstance(kind, str):
        found["type"] = _TYPES.get(kind, kind)
    return found


def _part(key: str, value: Any, depth: int) -> Any:
    if key in _OF_SCHEMAS and isinstance(value, Mapping):
        return {name: _schema(schema, depth + 1) for name, schema in value.items()}
    return _schema(value, depth + 1) if key in _SCHEMAS else value
