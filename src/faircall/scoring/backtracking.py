"""How long a regular expression can take on a text, bounded from its structure before it is run.

Python's engine backtracks: `(a+)+$` takes time that doubles with each character. The bound here multiplies
the choices that an expression has; it may be far above the truth, and is not meant to be below it.
"""

from __future__ import annotations

import math
from functools import lru_cache
from re import _constants, _parser  # type: ignore[attr-defined]
from typing import Any, Final

MAX_LOG_STEPS: Final = 8.0
"""Decimal logarithm of the steps that one search may take: a few seconds at the very worst."""

_REPEATS = (_constants.MAX_REPEAT, _constants.MIN_REPEAT, _constants.POSSESSIVE_REPEAT)
_LOOKS = (_constants.ASSERT, _constants.ASSERT_NOT)


@lru_cache(maxsize=4096)
def is_search_bounded(pattern: str, length: int, most: float = MAX_LOG_STEPS) -> bool:
    """Whether `re.search(pattern, text)` is short for every text of `length` characters.

    `most` is the decimal logarithm of the steps that count as short.

    >>> is_search_bounded(r"^[^@]+@[^@]+$", 40), is_search_bounded("^(a+)+$", 40)
    (True, False)

    Raises:
        re.error: the pattern is not a regular expression.
    """
    if length > 10**most:
        return False
    parsed = _parser.parse(pattern)
    anchored = bool(parsed) and parsed[0] == (_constants.AT, _constants.AT_BEGINNING)
    # Each way through costs up to `length` steps, from each place where a match may begin.
    log_places = (1 if anchored else 2) * math.log10(length + 1)
    return bool(_log_choices(parsed, length) + log_places <= most)


def _log_choices(parsed: Any, length: int) -> float:
    """The decimal logarithm of the number of ways through an expression."""
    return sum(_log_choices_of(operator, operand, length) for operator, operand in parsed)


def _log_choices_of(operator: Any, operand: Any, length: int) -> float:
    if operator in _REPEATS:
        return _log_choices_of_repeat(operand, length)
    if operator is _constants.BRANCH:
        ways = [_log_choices(branch, length) for branch in operand[1]]
        return math.log10(len(ways)) + max(ways)
    if operator is _constants.SUBPATTERN:
        return _log_choices(operand[-1], length)
    if operator is _constants.ATOMIC_GROUP:
        return _log_choices(operand, length)
    if operator in _LOOKS:
        return _log_choices(operand[1], length)
    if operator is _constants.GROUPREF_EXISTS:
        return sum(_log_choices(part, length) for part in operand[1:] if part is not None)
    return 0.0


def _log_choices_of_repeat(operand: Any, length: int) -> float:
    least, most, inner = operand
    rounds = min(int(most), length)
    own = math.log10(max(rounds - int(least), 0) + 1)
    return own + rounds * _log_choices(inner, length)
