"""What an offered tool's schema says of a parameter's type, for protocols that write values without one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from faircall.strict_json import JsonFault, decode
from faircall.tools import argument_schema, declaration

_SAME_AS: Final = {"dict": "object", "float": "number", "tuple": "array"}
_KNOWN: Final = frozenset(("string", "integer", "number", "boolean", "null", "object", "array"))
_TEMPLATE_WORDS: Final = {"True": True, "False": False, "None": None}


class AmbiguousType(ValueError):
    """The schema does not settle which value a text stands for."""


def value_of(text: str, types: frozenset[str]) -> Any:
    """The one value that `text` can be under `types`.

    A text that is a value of some declared type and could also be the declared string is ambiguous, as is
    one that is no value of any of them. `True`, `False` and `None` are read as the template writes them.

    >>> value_of("12", frozenset(["integer"])), value_of("12", frozenset(["string"]))
    (12, '12')
    >>> value_of("12", frozenset(["integer", "string"]))
    Traceback (most recent call last):
        ...
    faircall.parsing.readers.offered_types.AmbiguousType
    """
    others = types - {"string"}
    readable, value = _read_as(text, others)
    if readable == ("string" in types):
        raise AmbiguousType
    return value if readable else text


def parameter_types(
    tools: Sequence[Mapping[str, Any]] | None, *, tool: str, parameter: str
) -> frozenset[str]:
    """The JSON types that the offered `tool` allows for `parameter`; empty where that is not known."""
    for offered in tools or ():
        function = declaration(offered)
        if function.get("name") == tool:
            schema = _mapping(_mapping(_schema_of(function)).get("properties")).get(parameter)
            return _types_of(schema)
    return frozenset()


def _schema_of(function: Mapping[str, Any]) -> Any:
    """The parameter schema; xLAM's form holds the properties at once."""
    schema = argument_schema(function)
    if isinstance(schema, Mapping) and "properties" not in schema:
        return {"properties": schema}
    return schema


def _types_of(schema: Any) -> frozenset[str]:
    """Declared types, else those of `enum`/`const` values, else those of `anyOf`/`oneOf` branches."""
    schema = _mapping(schema)
    declared = schema.get("type")
    if declared is not None:
        named = declared if isinstance(declared, list) else [declared]
        types = [_SAME_AS.get(name, name) if isinstance(name, str) else "" for name in named]
    elif isinstance(schema.get("enum"), list):
        types = [_type_of(value) for value in schema["enum"]]
    elif "const" in schema:
        types = [_type_of(schema["const"])]
    else:
        return _types_of_branches(schema)
    return frozenset(types) if _KNOWN.issuperset(types) else frozenset()


def _types_of_branches(schema: Mapping[str, Any]) -> frozenset[str]:
    """The union over `anyOf`/`oneOf`, one level deep; nothing when a branch is unclear."""
    branches = schema.get("anyOf", schema.get("oneOf"))
    if not isinstance(branches, list) or any("type" not in _mapping(branch) for branch in branches):
        return frozenset()
    found = [_types_of({"type": branch["type"]}) for branch in branches]
    return frozenset().union(*found) if all(found) else frozenset()


def _read_as(text: str, types: frozenset[str]) -> tuple[bool, Any]:
    stripped = text.strip(" \t\r\n")
    try:
        value = _TEMPLATE_WORDS[stripped] if stripped in _TEMPLATE_WORDS else decode(stripped)
    except JsonFault:
        return False, None
    kind = _type_of(value)
    return kind in types or (kind == "integer" and "number" in types), value


def _type_of(value: Any) -> str:
    names = {str: "string", bool: "boolean", int: "integer", float: "number", dict: "object", list: "array"}
    return "null" if value is None else names.get(type(value), "")


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
