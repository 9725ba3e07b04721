"""JSON Schema validity (Draft 2020-12) of predicted arguments against the tool's own schema.

Schemas are data from strangers: nothing is fetched for a `$ref`, the work on one call is bounded, a regular
expression is only run where even its worst case is short, and what a schema breaks is counted, never raised.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from threading import local
from typing import Any, Final, Literal, TypeAlias

import msgspec

from faircall.canonical import canonical_json
from faircall.records import MetricValue, ToolCall
from faircall.scoring.backtracking import is_search_bounded
from faircall.strict_json import decode
from faircall.tools import argument_schema, find_tool

MAX_STEPS: Final = 20_000
"""Keyword evaluations that one call may cost before its schema is counted as unusable."""

SHOWN_CHARS: Final = 200

Verdict: TypeAlias = Literal["valid", "invalid", "no_schema", "unknown_tool", "unusable_schema"]
_Check: TypeAlias = Callable[[Any], "tuple[Verdict, Any]"]  # the verdict, and the first violation


class _TooMuch(Exception):
    """The schema asks for more work than one call may cost."""


def describe_validity(verdicts: Counter[Verdict]) -> dict[str, Any]:
    """Valid calls over parsed calls whose tool has a usable schema, and what was left out of both.

    Keys: value, numerator, denominator; no_schema, unknown_tool, unusable_schema (counts of parsed calls).
    """
    rate = MetricValue(verdicts["valid"], verdicts["valid"] + verdicts["invalid"])
    left_out: tuple[Verdict, ...] = ("no_schema", "unknown_tool", "unusable_schema")
    return {**rate.to_dict(), **{name: verdicts[name] for name in left_out}}


def validity(tools: Iterable[Any] | None, call: ToolCall) -> Verdict:
    """Hold the arguments of a call against the schema of the offered tool that it names."""
    return _judge(tools, call)[0]


def first_violation(tools: Iterable[Any] | None, call: ToolCall) -> str | None:
    """Where and how the arguments of a call break the schema of its tool first; None when they do not.

    >>> tools = [{"name": "f", "parameters": {"properties": {"x": {"type": "string"}}}}]
    >>> first_violation(tools, ToolCall("f", {"x": 1}))
    "$.x: 1 is not of type 'string'"
    """
    error = _judge(tools, call)[1]
    return None if error is None else f"{error.json_path}: {error.message}"[:SHOWN_CHARS]


def _judge(tools: Iterable[Any] | None, call: ToolCall) -> tuple[Verdict, Any]:
    if tools is None:
        return "no_schema", None
    tool = find_tool(tools, call.name)
    if tool is None:
        return "unknown_tool", None
    schema = argument_schema(tool)
    if schema is None:
        return "no_schema", None
    if not isinstance(schema, Mapping):
        return "unusable_schema", None
    return _checker(_spell(schema))(call.arguments)


def _spell(schema: Mapping[str, Any]) -> bytes:
    """JSON that only equal schemas share; the fast spelling where there is one."""
    try:
        return msgspec.json.encode(schema)
    except (ValueError, OverflowError, RecursionError):
        return canonical_json(schema).encode()


@lru_cache(maxsize=1024)
def _checker(schema_json: bytes) -> _Check:
    """A compiled schema, once per content."""
    from jsonschema import Draft202012Validator
    from referencing import Registry

    validator_class, steps = _bounded_validator()
    schema = decode(schema_json.decode())
    try:
        Draft202012Validator.check_schema(schema)
    except Exception:  # whatever a hostile schema breaks in the validator is the schema's fault
        return _is_unusable
    validator = validator_class(schema, registry=Registry())

    def check(arguments: Any) -> tuple[Verdict, Any]:
        steps.left = MAX_STEPS
        try:
            error = next(iter(validator.iter_errors(arguments)), None)
        except Exception:  # unresolvable or endless references, numbers that overflow, too much work
            return "unusable_schema", None
        return ("valid", None) if error is None else ("invalid", error)

    return check


@lru_cache(maxsize=1)
def _bounded_validator() -> tuple[Any, _Steps]:
    """Draft 2020-12 at a price, and the budget that pays it: a class for each schema would be heavy."""
    from jsonschema import Draft202012Validator, validators

    steps = _Steps()
    keywords = {name: steps.counted(check) for name, check in Draft202012Validator.VALIDATORS.items()}
    keywords["pattern"] = _bounded_pattern(keywords["pattern"])
    keywords["patternProperties"] = _bounded_pattern_properties(keywords["patternProperties"])
    return validators.extend(Draft202012Validator, keywords), steps  # type: ignore[no-untyped-call]


def _is_unusable(_: Any) -> tuple[Verdict, Any]:
    return "unusable_schema", None


class _Steps(local):
    """A budget that all keywords share while one call is looked at; each thread has its own."""

    def __init__(self) -> None:
        self.left = MAX_STEPS

    def counted(self, check: Callable[..., Any]) -> Callable[..., Iterator[Any]]:
        """`check`, at the price of one step."""

        def run(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[Any]:
            self.left -= 1
            if self.left < 0:
                raise _TooMuch
            yield from check(validator, value, instance, schema) or ()

        return run


def _bounded_pattern(check: Callable[..., Iterator[Any]]) -> Callable[..., Iterator[Any]]:
    def run(validator: Any, pattern: Any, instance: Any, schema: Any) -> Iterator[Any]:
        if isinstance(instance, str) and not is_search_bounded(pattern, len(instance)):
            raise _TooMuch
        yield from check(validator, pattern, instance, schema)

    return run


def _bounded_pattern_properties(check: Callable[..., Iterator[Any]]) -> Callable[..., Iterator[Any]]:
    def run(validator: Any, patterns: Any, instance: Any, schema: Any) -> Iterator[Any]:
        if isinstance(instance, dict):
            longest = max((len(key) for key in instance), default=0)
            if not all(is_search_bounded(pattern, longest) for pattern in patterns):
                raise _TooMuch
        yield from check(validator, patterns, instance, schema)

    return run
