"""Accepted values per argument, as they stand in the data, and as tests.

An argument is a list of accepted values, or an object: `values`, `rule` (see `rules.py`), `optional` (it may
be left out) and `default` (to leave it out is to give this value).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from faircall.canonical import spell
from faircall.scoring.protocols.protocol import TruthFault
from faircall.scoring.protocols.rules import Test, make_test

_KEYS: Final = frozenset(("values", "rule", "optional", "default"))
_NONE: Final = object()


@dataclass(frozen=True, slots=True)
class Accepted:
    """What is accepted for one argument.

    Attributes:
        tests: one per accepted value.
        may_be_omitted: whether a call without the argument is right.
        default: the spelling of the value that leaving it out stands for, None where there is none.
    """

    tests: tuple[Test, ...]
    may_be_omitted: bool
    default: str | None = None

    def accepts(self, value: Any) -> bool:
        """Whether a value that was given is right."""
        if any(test(value) for test in self.tests):
            return True
        return self.may_be_omitted and self.default is not None and spell(value) == self.default


Arguments: TypeAlias = Mapping[str, Accepted]


def read_arguments(value: Mapping[str, Any], depth: int = 0) -> Arguments:
    """Every argument of a call (or member of an object).

    Raises:
        TruthFault: one of them cannot be used; it is named.

    >>> city = read_arguments({"city": ["Graz", "Graz, AT"]})["city"]
    >>> city.accepts("Graz"), city.accepts("graz"), city.may_be_omitted
    (True, False, False)
    """
    return {name: _read_argument(name, spec, depth) for name, spec in value.items()}


def _read_argument(name: str, spec: Any, depth: int) -> Accepted:
    try:
        return _accepted({"values": spec} if isinstance(spec, list) else spec, depth)
    except TruthFault as fault:
        raise TruthFault(f"{fault} (argument {name!r})") from None


def _accepted(spec: Any, depth: int) -> Accepted:
    if not isinstance(spec, Mapping) or not spec.keys() <= _KEYS:
        raise TruthFault(f"is neither a list of accepted values nor an object of {', '.join(sorted(_KEYS))}")
    rule, optional = spec.get("rule", "exact"), spec.get("optional", False)
    if not isinstance(optional, bool):
        raise TruthFault("has an optional that is neither true nor false")
    values = spec.get("values", [None] if _ignores(rule) else _NONE)
    if not isinstance(values, list) or not (values or optional):
        raise TruthFault("has no accepted value")
    tests = tuple(make_test(value, rule, depth) for value in values)
    default = spec.get("default", _NONE)
    stands_in = default is not _NONE and any(test(default) for test in tests)
    return Accepted(tests, optional or stands_in, None if default is _NONE else spell(default))


def _ignores(rule: Any) -> bool:
    return rule == "ignore" or (isinstance(rule, Mapping) and rule.get("kind") == "ignore")


def accepts_all(arguments: Arguments, given: Mapping[str, Any]) -> bool:
    """Whether all that was given is right, nothing is missing and nothing is too much."""
    if not given.keys() <= arguments.keys():
        return False
    return all(
        accepted.accepts(given[name]) if name in given else accepted.may_be_omitted
        for name, accepted in arguments.items()
    )
