"""`--fail-if`: what is read, what is refused, what holds."""

import pytest

from faircall.comparing.conditions import holds, measure, parse_condition
from faircall.errors import UsageError


def delta(value, *, guarded=None, tests=None):
    block = {
        "baseline": {"value": 0.5},
        "candidate": {"value": 0.5 + value},
        "delta": value,
        "interval": {"lower": value - 0.1, "upper": value + 0.1},
        "tests": {"mcnemar_exact_p": 0.25} if tests is None else tests,
        "discordant_roots": 7,
    }
    return {**block, "guarded": guarded} if guarded else block


REPORT = {
    "overall": {
        "metrics": {
            "full_call_exact_match": delta(0.25),
            "argument_f1": delta(-0.05, tests={"sign_flip_p": 0.5}),
        }
    },
    "slices": {
        "fr": {"metrics": {"full_call_exact_match": delta(-0.5)}},
        "a/b": {
            "metrics": {"full_call_exact_match": delta(0.0, guarded={"lower": -0.4, "upper": 0.4}, tests={})}
        },
    },
}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("full_call_exact_match.delta > 0", 0.25),
        ("full_call_exact_match.baseline > 0", 0.5),
        ("full_call_exact_match.candidate > 0", 0.75),
        ("full_call_exact_match.lower>0", 0.15),
        ("  full_call_exact_match.upper >= 1e-3 ", 0.35),
        ("full_call_exact_match.p < .05", 0.25),
        ("full_call_exact_match.discordant_roots < 10", 7.0),
        ("argument_f1.p < 0.05", 0.5),
        ("fr/full_call_exact_match.delta < -0.01", -0.5),
        ("overall/argument_f1.delta < 0", -0.05),
        ("a/b/full_call_exact_match.lower < -0.01", -0.4),
    ],
)
def test_the_number_that_a_condition_is_about(text, value):
    assert measure(parse_condition(text), REPORT) == pytest.approx(value)


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("< 0.25", False),
        ("<= 0.25", True),
        ("== 0.25", True),
        ("!= 0.25", False),
        (">= 0.25", True),
        ("> +0.25", False),
        ("> -1", True),
    ],
)
def test_operators(condition, expected):
    assert holds(parse_condition(f"full_call_exact_match.delta {condition}"), REPORT) is expected


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "not a condition"),
        ("full_call_exact_match.delta", "not a condition"),
        ("full_call_exact_match < 1", "not a condition"),
        ("full_call_exact_match.delta < nan", "not a condition"),
        ("full_call_exact_match.delta < 1 or 1 > 0", "not a condition"),
        ("__import__('os').delta < 1", "not a condition"),
        ("full_call.delta < 1", "unknown metric 'full_call'"),
        ("argument_f1.lowest < 1", "unknown field 'lowest'"),
    ],
)
def test_what_is_no_condition_is_refused(text, complaint):
    with pytest.raises(UsageError) as error:
        parse_condition(text)
    assert complaint in error.value.message
    assert error.value.hint


def test_an_unknown_slice_is_refused_with_the_known_ones():
    with pytest.raises(UsageError) as error:
        holds(parse_condition("he/argument_f1.delta < 0"), REPORT)
    assert error.value.hint == "one of fr, a/b, overall"


def test_an_undefined_number_is_not_compared():
    with pytest.raises(UsageError, match="undefined"):
        holds(parse_condition("a/b/full_call_exact_match.p < 1"), REPORT)
