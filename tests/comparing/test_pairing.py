import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from comparing.arms import arm, score
from faircall.comparing.comparison import compare_arms
from faircall.comparing.pairing import count_pairs, pair_arms
from faircall.errors import FaircallError, Incomparable
from faircall.scoring.flatten import flatten_arguments

LINES = (Path(__file__).parent.parent / "cases/comparing/pairing.jsonl").read_text().splitlines()
CASES = [json.loads(line) for line in LINES]


def answer(key):
    return "right" if key == "0" else "none"


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_joins_are_by_id_and_unequal_sets_are_errors(case):
    baseline = score([(key, None, "en", "args") for key in case["reference_ids"]])
    candidate = score([(key, None, "en", answer(key)) for key in case["candidate_ids"]])
    if case["expected"] == "joined":
        cohort = pair_arms(baseline, candidate)
        assert [candidate.ids[row] for row in cohort.second.rows] == sorted(case["reference_ids"])
        assert [candidate.parsed[row].status for row in cohort.second.rows] == ["ok", "no_json", "no_json"]
    else:
        with pytest.raises(FaircallError) as raised:
            pair_arms(baseline, candidate)
        assert case["expected"] in raised.value.message


def test_misordered_rows_give_the_same_report():
    rows = [(str(i), None, "en", "right" if i % 3 else "none") for i in range(12)]
    baseline = arm([(str(i), None, "en", "args") for i in range(12)])
    assert compare_arms(baseline, arm(rows), resamples=39) == compare_arms(
        baseline, arm(rows[::-1]), resamples=39
    )


@pytest.mark.parametrize("changed", [("a", "r", "en"), ("a", None, "fr")])
def test_rows_with_other_roots_or_labels_are_not_the_same_example(changed):
    with pytest.raises(Incomparable, match="'a'"):
        pair_arms(score([("a", None, "en", "right")]), score([(*changed, "right")]))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=12,
)


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(st.text(max_size=3), json_values, max_size=4))
def test_pairs_are_counted_as_flattening_does(arguments):
    assert count_pairs(arguments) == len(flatten_arguments(arguments))


def test_gold_pairs_are_found_from_the_components():
    rows = [("a", None, "en", "right"), ("b", None, "en", "none"), ("c", None, "en", "name")]
    cohort = pair_arms(score(rows), score(rows))
    assert cohort.first.gold_pairs == 6
