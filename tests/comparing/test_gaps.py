import numpy as np
import pytest
from scipy import stats

from comparing.arms import arm, languages, score
from faircall.comparing.comparison import compare_arms
from faircall.comparing.gap_change import root_differences
from faircall.comparing.gaps import find_reference
from faircall.errors import UsageError
from faircall.records import METRIC_NAMES

FULL = "full_call_exact_match"
DATA = (
    [(("right", "right"), ("none", "right"))] * 12
    + [(("right", "right"), ("right", "right"))] * 20
    + [(("none", "right"), ("none", "args"))] * 8
)


def report(data=DATA, **options):
    return compare_arms(languages(data), languages(data, side=1, name="adapter"), resamples=39, **options)


def test_gaps_are_target_minus_reference_over_pairs():
    block = report()["paired_language_gaps"]["fr"]
    base = block["baseline"]
    assert (base["reference_language"], base["target_language"]) == ("en", "fr")
    assert (base["pairs"], base["coverage"]) == (40, 1.0)
    delta = base["metrics"][FULL]
    assert delta["delta"] == pytest.approx(20 / 40 - 32 / 40)
    assert delta["table"] == {"both": 20, "reference_only": 12, "target_only": 0, "neither": 8}
    assert {"reference", "target"} <= delta.keys()
    assert block["candidate"]["metrics"][FULL]["delta"] == pytest.approx(32 / 40 - 40 / 40)
    assert block["difference_of_gaps"]["metrics"][FULL]["delta"] == pytest.approx(-8 / 40 + 12 / 40)


def test_difference_of_gaps_is_a_t_interval_over_roots():
    found = report()["paired_language_gaps"]["fr"]["difference_of_gaps"]["metrics"][FULL]
    differences = np.array([1] * 12 + [0] * 20 + [-1] * 8)
    expected = stats.t.interval(0.95, 39, loc=differences.mean(), scale=stats.sem(differences))
    assert (found["interval"]["lower"], found["interval"]["upper"]) == pytest.approx(expected, abs=1e-9)
    assert found["discordant_roots"] == 20
    assert "guarded" not in found


def test_difference_of_gaps_is_guarded_under_minimum_evidence():
    data = [(("right", "right"), ("right", "right"))] * 30
    found = report(data)["paired_language_gaps"]["fr"]["difference_of_gaps"]["metrics"]
    for metric in METRIC_NAMES:
        assert found[metric]["delta"] == 0.0
        assert found[metric]["guarded"]["lower"] < 0.0 < found[metric]["guarded"]["upper"]


def test_f1_root_differences_average_to_the_change():
    rng = np.random.default_rng(0)
    denominators = rng.integers(2, 9, (2, 30, 2))
    sides = [np.stack([2 * rng.integers(0, d // 2 + 1), d], axis=2) for d in denominators]

    def gap(side):
        return side[:, 1, 0].sum() / side[:, 1, 1].sum() - side[:, 0, 0].sum() / side[:, 0, 1].sum()

    assert root_differences(*sides).mean() == pytest.approx(gap(sides[1]) - gap(sides[0]))


def test_a_missing_root_leaves_the_cohort_and_lowers_coverage():
    rows = [
        ("a", None, "en", "right"),
        ("b", None, "en", "none"),
        ("a-fr", "a", "fr", "right"),
        ("z-fr", "z", "fr", "right"),
    ]
    gap = compare_arms(arm(rows), arm(rows), resamples=39)["paired_language_gaps"]["fr"]["baseline"]
    assert (gap["pairs"], gap["coverage"], gap["reference_examples"], gap["target_examples"]) == (
        1,
        0.5,
        2,
        2,
    )
    marginal = compare_arms(arm(rows), arm(rows), resamples=39)["marginal_full_slices"]
    assert marginal["cohort"] == "marginal_full_slices"
    assert marginal["baseline"]["fr"][FULL] == pytest.approx(1.0 - 0.5)


def test_no_pair_is_undefined_not_a_crash():
    rows = [("a", None, "en", "right"), ("z-fr", "z", "fr", "right")]
    block = compare_arms(arm(rows), arm(rows), resamples=39)["paired_language_gaps"]["fr"]
    assert block["baseline"]["pairs"] == 0
    assert block["baseline"]["metrics"][FULL]["delta"] is None
    assert block["difference_of_gaps"]["metrics"][FULL]["delta"] is None
    assert block["difference_of_gaps"]["metrics"][FULL]["interval"]["reason"]


def test_the_pair_set_digest_knows_both_prompts_and_no_row_order():
    rows = [
        ("a", None, "en", "right"),
        ("a-fr", "a", "fr", "right"),
        ("b", None, "en", "none"),
        ("b-fr", "b", "fr", "none"),
    ]
    digests = {
        compare_arms(arm(r), arm(r), resamples=39)["paired_language_gaps"]["fr"]["baseline"][
            "pair_set_sha256"
        ]
        for r in (rows, rows[::-1])
    }
    assert len(digests) == 1
    assert digests != {None}


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([("a", None, "en"), ("a-fr", "a", "fr")], "en"),
        ([("a", None, "en"), ("b", None, "fr"), ("b-en", "b", "en")], "fr"),
        ([("a", None, "en"), ("b", None, "fr"), ("c", "a", "he"), ("d", "b", "he")], "en"),
        ([("a", None, "en"), ("b", None, "fr")], None),
        ([("a", None, "en")], "en"),
        ([("a", None, None)], None),
        ([("x", "a", "fr")], None),
    ],
)
def test_reference_language(rows, expected):
    assert find_reference(score([(*row, "right") for row in rows])) == expected


def test_reference_language_can_be_named():
    assert set(report(reference_label="fr")["paired_language_gaps"]) == {"en"}
    with pytest.raises(UsageError, match="'xx'"):
        report(reference_label="xx")
