"""What the p-values are called: one difference has several, and each is named after its test."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

_TESTS: Final[Mapping[str, str]] = {
    "mcnemar_exact_p": "exact McNemar",
    "mcnemar_mid_p": "mid-p McNemar",
    "sign_flip_p": "sign-flip",
}
"""The tests that stand beside a difference (`tests` of a report)."""

_METHODS: Final[Mapping[str, str]] = {
    "tango": "Tango",
    "tango_design_effect": "design-effect Tango",
    "linearised_t": "linearised t",
    "guarded_linearised": "guarded linearised",
    "guarded_no_discordance": "guarded Tango",
}
"""The tests whose p belongs to a deciding interval, by the interval's method."""


def name_test(key: str) -> str:
    """The test behind a p of `tests`, or behind the p of an interval's method; an unknown one in plain words.

    >>> name_test("mcnemar_mid_p"), name_test("tango"), name_test("linearised_z")
    ('mid-p McNemar', 'Tango', 'linearised z')
    """
    return _TESTS.get(key) or _METHODS.get(key) or key.replace("_", " ")


def name_claim_test(claim: Mapping[str, Any]) -> str:
    """The test behind the p of a decided claim, with the adjustment of its family.

    >>> name_claim_test({"interval": {"method": "tango"}, "family": "all"})
    'Tango, Holm'
    """
    name = name_test(claim["interval"]["method"])
    return f"{name}, Holm" if claim.get("family") is not None else name


def tell_value(condition: Mapping[str, Any]) -> str:
    """The number of a judged condition; a p with its test.

    >>> tell_value({"value": 0.125, "test": "exact McNemar"})
    '0.125 (exact McNemar)'
    """
    number = f"{condition['value']:.10g}"
    return f"{number} ({condition['test']})" if "test" in condition else number
