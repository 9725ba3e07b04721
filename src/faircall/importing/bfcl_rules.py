"""BFCL's accepted values in the form of `accepted_values.v1`: what its checker does, as rules in the data.

BFCL's checker (`ast_checker` of bfcl-eval 2026.3.23) takes text without case, blanks and the marks of
`DROPPED`, takes a whole number where the schema says float, compares lists member by member and objects key
by key, and lets an argument be left out when "" is among its values. The rest is compared exactly here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from faircall.importing.foreign import Fault

DROPPED: Final = " ,./-_*^"
TEXT: Final = {
    "kind": "text",
    "case": "fold",
    "space": "keep",
    "translate": {**dict.fromkeys(DROPPED, ""), "'": '"'},
}


def rules_of(accepted: Mapping[str, Any], *, types: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The accepted values of every argument with the rule that compares them.

    Args:
        accepted: BFCL's values, a list per argument, at every depth.
        types: the schema type per argument, where it is known.

    >>> rules_of({"days": [1, ""]})
    {'days': {'values': [1], 'optional': True}}
    """
    return {name: _rule(name, values, (types or {}).get(name)) for name, values in accepted.items()}


def _rule(name: str, values: Any, kind: Any) -> dict[str, Any]:
    if not isinstance(values, list):
        raise Fault(f"the accepted values of {name!r} are not a list")
    given = [value for value in values if value != ""]
    if not values:
        raise Fault(f"there is no accepted value for {name!r}")
    rule, written = _compare(given, kind)
    spec: dict[str, Any] = {"values": written} if rule is None else {"values": written, "rule": rule}
    return {**spec, "optional": True} if len(given) < len(values) else spec


def _compare(values: list[Any], kind: Any) -> tuple[Any, list[Any]]:
    """The rule for these values (None: exact) and the values as the rule takes them."""
    if values and all(isinstance(value, str) for value in values):
        return TEXT, values
    if values and all(isinstance(value, Mapping) for value in values):
        return "object", [rules_of(value) for value in values]
    if kind == "float" and all(type(value) in (int, float) for value in values):
        return "number", values
    if values and all(isinstance(value, list) for value in values):
        return _compare_lists(values)
    return None, values


def _compare_lists(values: list[list[Any]]) -> tuple[Any, list[Any]]:
    members = [member for value in values for member in value]
    if members and all(isinstance(member, Mapping) for member in members):
        return {"kind": "list", "items": "object"}, [
            [rules_of(member) for member in value] for value in values
        ]
    if members and all(isinstance(member, str) for member in members):
        return {"kind": "list", "items": TEXT}, values
    return None, values


def types_of(function: Any, name: str) -> dict[str, Any]:
    """The declared type of every argument of the function called `name`."""
    for declared in function if isinstance(function, list) else []:
        if isinstance(declared, Mapping) and declared.get("name") == name:
            parameters = declared.get("parameters")
            properties = parameters.get("properties") if isinstance(parameters, Mapping) else None
            known = properties.items() if isinstance(properties, Mapping) else ()
            return {key: schema.get("type") for key, schema in known if isinstance(schema, Mapping)}
    return {}
