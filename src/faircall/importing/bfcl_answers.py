"""BFCL's accepted values as those of `accepted_values.v1`: what its checker does, written into the data.

Read from `bfcl_eval/eval_checker/ast_eval/ast_checker.py` of bfcl-eval 2026.3.23. The declared type of an
argument decides: texts are compared without case and without some punctuation, whole numbers may stand for
floats, objects have accepted values per key. Where the accepted values have another type than the declared
one, BFCL takes them for names of variables and compares exactly. `docs/bfcl.md` has what is left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from faircall.tools import declaration, tool_name

OMITTED: Final = ""
"""Among the accepted values it says that the argument may be left out."""

TEXT_RULE: Final[Mapping[str, Any]] = {
    "kind": "text",
    "case": "fold",
    "space": "keep",
    "translate": {**dict.fromkeys(" ,./-_*^", ""), "'": '"'},
}
_KINDS: Final[Mapping[str, str]] = {
    "string": "text", "String": "text", "any": "text", "integer": "whole", "float": "number",
    "boolean": "boolean", "array": "list", "tuple": "list", "dict": "object",
}  # fmt: skip
_KIND_OF: Final[Mapping[type, str]] = {
    str: "text", bool: "boolean", int: "whole", float: "number", list: "list", dict: "object",
}  # fmt: skip


def accepted_form(
    name: str, answers: Mapping[str, Any], tools: Sequence[Mapping[str, Any]] | None
) -> dict[str, Any]:
    """The field `accepted` of a row.

    Args:
        name: the gold function.
        answers: argument -> accepted values, as BFCL writes them; every one a list.
        tools: the offered functions, whose types decide.

    >>> accepted_form("f", {"x": [1, ""]}, None)
    {'name': 'f', 'arguments': {'x': {'values': [1], 'optional': True}}}
    """
    declared = _parameters(name, tools or ()).get("properties")
    types = declared if isinstance(declared, Mapping) else {}
    required = required_arguments(name, tools or ())
    arguments = {
        key: _argument(values, types.get(key), required=key in required) for key, values in answers.items()
    }
    return {"name": name, "arguments": arguments}


def required_arguments(name: str, tools: Sequence[Mapping[str, Any]]) -> frozenset[str]:
    """The arguments that BFCL demands whatever the accepted values say of leaving them out."""
    required = _parameters(name, tools).get("required")
    return (
        frozenset(key for key in required if isinstance(key, str))
        if isinstance(required, list)
        else frozenset()
    )


def _parameters(name: str, tools: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    tool = next((declaration(tool) for tool in tools if tool_name(tool) == name), {})
    parameters = tool.get("parameters")
    return parameters if isinstance(parameters, Mapping) else {}


def _argument(values: Sequence[Any], schema: Any, *, required: bool = False) -> dict[str, Any]:
    optional = {"optional": True} if may_be_omitted(values) and not required else {}
    known = [value for value in values if not _is_omitted(value)]
    found = _KIND_OF.get(type(known[0]), "other") if known else None
    declared = _KINDS.get(_type_of(schema) or "", found)
    if declared == "text" and found in ("text", None):
        # The mark of an argument that may be left out is an accepted text, too.
        texts = [value for value in values if isinstance(value, str)]
        return {"values": texts, "rule": TEXT_RULE, **optional}
    if declared != found:
        # The mark is compared like any value where a text can be right at all.
        return {"values": list(values) if "text" in (declared, found) else known, **optional}
    return {**_of_kind(found, known, schema), **optional}


def _of_kind(kind: str | None, known: list[Any], schema: Any) -> dict[str, Any]:
    """Accepted values of the declared type."""
    if kind == "number":
        return {"values": known, "rule": "number"}
    if kind == "object" and all(map(holds_answers, known)):
        return {"values": [_members(value) for value in known], "rule": "object"}
    if kind == "list" and all(isinstance(value, list) for value in known):
        return _lists(known, _type_of(schema.get("items") if isinstance(schema, Mapping) else None))
    return {"values": known}


def _lists(known: list[list[Any]], item_type: str | None) -> dict[str, Any]:
    items = [item for value in known for item in value]
    if items and all(isinstance(item, str) for item in items):
        return {"values": known, "rule": {"kind": "list", "items": TEXT_RULE}}
    if items and all(map(holds_answers, items)):
        members = [[_members(item) for item in value] for value in known]
        return {"values": members, "rule": {"kind": "list", "items": "object"}}
    if item_type == "float" and items and all(type(item) is int for item in items):
        return {"values": known, "rule": {"kind": "list", "items": "number"}}
    return {"values": known}


def _members(value: Mapping[str, Any]) -> dict[str, Any]:
    """An object: accepted values per key, of no declared type."""
    return {key: _member(values) for key, values in value.items()}


def _member(values: Sequence[Any]) -> dict[str, Any]:
    spec = _argument(values, None)
    known = [value for value in values if not _is_omitted(value)]
    if known and all(type(value) in (int, float) for value in known):
        return {**spec, "rule": "number"}
    return spec if len({type(value) for value in known}) < 2 else _exactly(values, known)


def _exactly(values: Sequence[Any], known: list[Any]) -> dict[str, Any]:
    """Values of several types: no rule fits them all."""
    return {"values": known, **({"optional": True} if may_be_omitted(values) else {})}


def may_be_omitted(values: Any) -> bool:
    """Whether the accepted values hold the mark of an argument that may be left out.

    >>> may_be_omitted(["km", ""]), may_be_omitted([0, False])
    (True, False)
    """
    return isinstance(values, list) and any(_is_omitted(value) for value in values)


def holds_answers(value: Any) -> bool:
    """Whether an object has accepted values at every key; one that does not is a value itself.

    >>> holds_answers({"lat": [48.2], "lon": [16.4]}), holds_answers({"lat": 48.2, "lon": 16.4})
    (True, False)
    """
    return isinstance(value, Mapping) and all(isinstance(member, list) for member in value.values())


def _is_omitted(value: Any) -> bool:
    return isinstance(value, str) and value == OMITTED


def _type_of(schema: Any) -> str | None:
    kind = schema.get("type") if isinstance(schema, Mapping) else None
    return kind if isinstance(kind, str) else None
