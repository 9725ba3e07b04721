"""Rules for one value: each turns an accepted value into a test, so that comparing is only asking it.

A rule stands in the data, as a name or as an object: `"text"`, `{"kind": "number", "absolute": 0.01}`,
`{"kind": "list", "items": "text"}`. Whatever it has beyond what its kind knows is a fault, and nothing that
a model wrote can make a test raise or run long.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, Final, TypeAlias

from faircall.canonical import spell
from faircall.scoring.backtracking import is_search_bounded
from faircall.scoring.protocols.dates import read_date, require_formats
from faircall.scoring.protocols.protocol import TruthFault
from faircall.scoring.protocols.text_form import MAX_TRANSLATIONS, plain_text

Test: TypeAlias = Callable[[Any], bool]
Rule: TypeAlias = Mapping[str, Any]
Maker: TypeAlias = Callable[[Any, Rule, int], Test]

MAX_DEPTH: Final = 32
"""Levels of nested rules; deeper ones are refused."""
MAX_PATTERN_CHARS: Final = 1_000
MIN_TEXT_CHARS: Final = 100
"""A pattern must be quick on texts of this length; on longer ones it may say no where it would be slow."""


def make_test(accepted: Any, rule: str | Rule, depth: int = 0) -> Test:
    """The test that a rule makes of an accepted value.

    Args:
        accepted: the accepted value.
        rule: a name, or an object with a kind and its options.
        depth: levels of rules above this one.

    Raises:
        TruthFault: the rule does not exist or does not fit the value, or there are too many levels.

    >>> is_near = make_test(3, {"kind": "number", "absolute": 0.5})
    >>> is_near(3.4), is_near("3"), is_near(True)
    (True, False, False)
    >>> make_test(["a", "b"], "set")(["b", "a", "a"])
    True
    """
    if depth > MAX_DEPTH:
        raise TruthFault(f"nests rules deeper than {MAX_DEPTH} levels")
    spelt = {"kind": rule} if isinstance(rule, str) else rule
    kind = spelt.get("kind") if isinstance(spelt, Mapping) else None
    if not isinstance(kind, str) or kind not in RULES:
        raise TruthFault(f"names a rule {kind!r} that is none of {', '.join(RULES)}")
    maker, options = RULES[kind]
    unknown = sorted(spelt.keys() - {"kind", *options})
    if unknown:
        raise TruthFault(f"gives the rule {kind!r} an option {unknown[0]!r} that it does not have")
    return maker(accepted, spelt, depth)


def _exact(accepted: Any, rule: Rule, depth: int) -> Test:
    spelling = spell(accepted)
    return lambda value: spell(value) == spelling


def _number(accepted: Any, rule: Rule, depth: int) -> Test:
    if not _is_number(accepted):
        raise TruthFault("has an accepted value for the rule 'number' that is no number")
    centre = Fraction(accepted)
    reach = _tolerance(rule, "absolute") + _tolerance(rule, "relative") * abs(centre)
    return lambda value: _is_number(value) and abs(Fraction(value) - centre) <= reach


def _is_number(value: Any) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, int) and not isinstance(value, bool)


def _tolerance(rule: Rule, key: str) -> Fraction:
    given = rule.get(key, 0)
    if not _is_number(given) or given < 0:
        raise TruthFault(f"has a tolerance {key!r} that is no number of at least 0")
    return Fraction(given)


def _text(accepted: Any, rule: Rule, depth: int) -> Test:
    case, space, translate = (
        rule.get("case", "fold"),
        rule.get("space", "collapse"),
        rule.get("translate", {}),
    )
    if case not in ("fold", "keep") or space not in ("collapse", "keep"):
        raise TruthFault(
            "has a text rule whose case is not fold or keep, or whose space is not collapse or keep"
        )
    table = _translation(translate)
    _require_text(accepted, "text")
    wanted = plain_text(accepted, case=case, space=space, table=table)
    return lambda value: (
        isinstance(value, str) and plain_text(value, case=case, space=space, table=table) == wanted
    )


def _translation(translate: Any) -> dict[int, str]:
    pairs = translate.items() if isinstance(translate, Mapping) else ()
    fits = all(len(key) == 1 and isinstance(to, str) and len(to) <= 1 for key, to in pairs)
    if not isinstance(translate, Mapping) or not fits or len(translate) > MAX_TRANSLATIONS:
        raise TruthFault("has a text rule whose translate is not an object of single characters")
    return {ord(key): to for key, to in translate.items()}


def _require_text(accepted: Any, kind: str) -> None:
    if not isinstance(accepted, str):
        raise TruthFault(f"has an accepted value for the rule {kind!r} that is no text")


def _regex(accepted: Any, rule: Rule, depth: int) -> Test:
    _require_text(accepted, "regex")
    pattern = f"^(?:{accepted})$"
    try:
        bounded = len(accepted) <= MAX_PATTERN_CHARS and is_search_bounded(pattern, MIN_TEXT_CHARS)
        search = re.compile(accepted).fullmatch
    except (re.error, RecursionError, OverflowError):
        raise TruthFault(f"has a pattern {accepted[:40]!r} that is no regular expression") from None
    if not bounded:
        raise TruthFault(f"has a pattern {accepted[:40]!r} that may take very long")
    return lambda value: (
        isinstance(value, str) and is_search_bounded(pattern, len(value)) and search(value) is not None
    )


def _date(accepted: Any, rule: Rule, depth: int) -> Test:
    formats = require_formats(rule.get("formats", ["iso"]))
    _require_text(accepted, "date")
    wanted = read_date(accepted, formats)
    if wanted is None:
        raise TruthFault(f"has a date {accepted[:40]!r} that is in none of its formats")
    return lambda value: isinstance(value, str) and read_date(value, formats) == wanted


def _ignore(accepted: Any, rule: Rule, depth: int) -> Test:
    return lambda value: True


def _list(accepted: Any, rule: Rule, depth: int) -> Test:
    tests = _member_tests(accepted, rule, depth, kind="list")
    return lambda value: (
        isinstance(value, list)
        and len(value) == len(tests)
        and all(test(member) for test, member in zip(tests, value, strict=True))
    )


def _set(accepted: Any, rule: Rule, depth: int) -> Test:
    """Order and repetition do not count: each member is accepted, and each accepted one is there."""
    tests = _member_tests(accepted, rule, depth, kind="set")

    def is_same_set(value: Any) -> bool:
        if not isinstance(value, list):
            return False
        members = {spell(member): member for member in value}.values()
        return all(any(test(member) for test in tests) for member in members) and all(
            any(test(member) for member in members) for test in tests
        )

    return is_same_set


def _member_tests(accepted: Any, rule: Rule, depth: int, *, kind: str) -> list[Test]:
    if not isinstance(accepted, list):
        raise TruthFault(f"has an accepted value for the rule {kind!r} that is no list")
    return [make_test(member, rule.get("items", "exact"), depth + 1) for member in accepted]


def _object(accepted: Any, rule: Rule, depth: int) -> Test:
    """An object whose members have accepted values of their own, as the arguments of a call have."""
    from faircall.scoring.protocols.arguments import accepts_all, read_arguments

    if not isinstance(accepted, Mapping):
        raise TruthFault("has an accepted value for the rule 'object' that is no object")
    members = read_arguments(accepted, depth + 1)
    return lambda value: isinstance(value, Mapping) and accepts_all(members, value)


RULES: Final[Mapping[str, tuple[Maker, frozenset[str]]]] = {
    "exact": (_exact, frozenset()),
    "number": (_number, frozenset(("absolute", "relative"))),
    "text": (_text, frozenset(("case", "space", "translate"))),
    "set": (_set, frozenset(("items",))),
    "list": (_list, frozenset(("items",))),
    "date": (_date, frozenset(("formats",))),
    "regex": (_regex, frozenset()),
    "object": (_object, frozenset()),
    "ignore": (_ignore, frozenset()),
}
"""Kind -> its maker, and the options that it knows."""
