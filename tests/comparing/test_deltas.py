import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.contingency_tables import mcnemar

from comparing.arms import arm, languages, shuffled, simple_arms
from faircall.comparing.comparison import compare_arms
from faircall.errors import DataError, UsageError
from faircall.records import BINARY_METRIC_NAMES, METRIC_NAMES

answers = st.sampled_from(["right", "args", "name", "none"])
pair = st.tuples(answers, answers)
pairs = st.lists(pair, min_size=1, max_size=25)
FULL = "full_call_exact_match"


def compare(data, **options):
    return compare_arms(*simple_arms(data), **{"resamples": 39, **options})


def strict_json(report):
    return json.dumps(report, allow_nan=False, sort_keys=True)


def walk(value):
    if isinstance(value, dict):
        yield value
        for member in value.values():
            yield from walk(member)


@settings(max_examples=25, deadline=None)
@given(pairs)
def test_swapping_the_arms_negates_deltas_and_mirrors_intervals(data):
    one, other = compare(data), compare([(b, a) for a, b in data])
    for metric in METRIC_NAMES:
        left, right = (report["overall"]["metrics"][metric] for report in (one, other))
        assert left["delta"] == pytest.approx(-right["delta"])
        for key in ("interval", "guarded", "bootstrap"):
            if key in left and left[key]["lower"] is not None:
                bounds = left[key]["lower"], left[key]["upper"]
                assert bounds == pytest.approx((-right[key]["upper"], -right[key]["lower"]), abs=1e-9)
        assert left["tests"] == pytest.approx(right["tests"])
        assert left["discordant_roots"] == right["discordant_roots"]


@settings(max_examples=25, deadline=None)
@given(pairs)
def test_tables_decompositions_and_bounds_add_up(data):
    report = compare(data)
    strict_json(report)
    for metric, delta in report["overall"]["metrics"].items():
        for key in ("interval", "guarded", "bootstrap"):
            if key in delta and delta[key]["lower"] is not None:
                assert -1.0 <= delta[key]["lower"] <= delta[key]["upper"] <= 1.0
        assert (delta["bootstrap"]["status"] == "ok") == (delta["discordant_roots"] >= 10)
        if metric in BINARY_METRIC_NAMES:
            table, split = delta["table"], delta["decomposition"]
            assert sum(table.values()) == len(data)
            surplus = delta["candidate"]["numerator"] - delta["baseline"]["numerator"]
            assert table["candidate_only"] - table["baseline_only"] == surplus
            assert split["gained_by_parsing"] + split["gained_by_content"] == table["candidate_only"]
            assert split["lost_by_parsing"] + split["lost_by_content"] == table["baseline_only"]
    parsing = report["overall"]["metrics"]["valid_json_rate"]["decomposition"]
    assert parsing["gained_by_content"] == parsing["lost_by_content"] == 0


@settings(max_examples=15, deadline=None)
@given(st.lists(st.tuples(pair, pair), min_size=1, max_size=12), st.integers(0, 5))
def test_row_order_changes_no_byte_and_the_same_seed_gives_the_same_bytes(data, seed):
    base, adapter = languages(data), languages(data, side=1)
    expected = strict_json(compare_arms(base, adapter, resamples=39))
    assert (
        strict_json(compare_arms(shuffled(base, seed), shuffled(adapter, seed + 1), resamples=39)) == expected
    )
    assert strict_json(compare_arms(base, adapter, resamples=39)) == expected


def test_another_seed_gives_other_resamples():
    data = [("right", "none"), ("none", "right"), ("args", "right")] * 12
    bounds = {strict_json(compare(data, seed=seed, resamples=999)["overall"]) for seed in (0, 1, 42)}
    assert len(bounds) == 3


def test_independent_rows_have_tango_wilson_and_mcnemar():
    data = (
        [("right", "right")] * 59
        + [("right", "args")] * 6
        + [("none", "right")] * 16
        + [("none", "args")] * 80
    )
    delta = compare(data)["overall"]["metrics"][FULL]
    assert delta["table"] == {"both": 59, "baseline_only": 6, "candidate_only": 16, "neither": 80}
    assert delta["decomposition"] == {
        "gained_by_parsing": 16, "gained_by_content": 0, "lost_by_parsing": 0, "lost_by_content": 6,
    }  # fmt: skip
    interval = delta["interval"]
    assert interval["method"] == "tango"
    assert (interval["lower"], interval["upper"]) == pytest.approx((0.005433, 0.124023), abs=1e-6)
    assert delta["baseline"]["interval"]["method"] == "wilson"
    assert delta["tests"]["mcnemar_exact_p"] == pytest.approx(mcnemar([[59, 6], [16, 80]], exact=True).pvalue)


def test_rows_that_share_roots_are_clustered_and_have_no_row_test():
    data = [(("right", "none"), ("right", "none"))] * 6 + [(("none", "right"), ("args", "args"))] * 12
    overall = compare_arms(languages(data), languages(data, side=1), resamples=39)["overall"]
    assert (overall["examples"], overall["roots"]) == (36, 18)
    for metric, delta in overall["metrics"].items():
        assert list(delta["tests"]) == ["sign_flip_p"], metric
    assert overall["metrics"][FULL]["interval"]["method"] == "tango_design_effect"
    assert overall["metrics"][FULL]["baseline"]["interval"]["method"] == "wilson_design_effect"


def test_duplicating_every_row_under_its_root_changes_no_clustered_interval():
    data = (
        [("right", "none")] * 5
        + [("none", "right")] * 11
        + [("right", "right")] * 14
        + [("args", "name")] * 4
    )
    once = compare(data, resamples=999)["overall"]["metrics"]
    arms = [
        arm([(f"e{i:04}{copy}", f"e{i:04}", "en", row[side]) for i, row in enumerate(data) for copy in "ab"])
        for side in (0, 1)
    ]
    twice = compare_arms(*arms, resamples=999)["overall"]["metrics"]
    for metric in METRIC_NAMES:
        for key in ("interval", "guarded", "bootstrap"):
            if key in once[metric]:
                expected = [once[metric][key]["lower"], once[metric][key]["upper"]]
                assert [twice[metric][key]["lower"], twice[metric][key]["upper"]] == pytest.approx(
                    expected, abs=1e-9
                )
        for side in ("baseline", "candidate"):
            left, right = (report[metric][side]["interval"] for report in (once, twice))
            assert (left["lower"], left["upper"]) == pytest.approx((right["lower"], right["upper"]), abs=1e-9)


def test_f1_is_guarded_under_minimum_evidence_and_where_the_spread_vanishes():
    few = [("right", "args")] * 3 + [("right", "right")] * 40
    certain = [("none", "right")] * 40
    enough = [("right", "args")] * 12 + [("right", "right")] * 40
    for data, guarded in ((few, True), (certain, True), (enough, False)):
        delta = compare(data)["overall"]["metrics"]["argument_f1"]
        assert ("guarded" in delta) == guarded
        chosen = delta.get("guarded", delta["interval"])
        assert chosen["lower"] < chosen["upper"]


@pytest.mark.parametrize("data", [[], [("right", "none")], [("none", "none")]])
def test_no_row_and_one_row_give_reasons_not_crashes(data):
    report = compare(data)
    text = strict_json(report)
    assert "NaN" not in text
    f1 = report["overall"]["metrics"]["argument_f1"]
    assert f1["interval"]["lower"] is None
    assert f1["interval"]["reason"] == "fewer_than_two_roots"
    if not data:
        assert report["slices"] == {}
        assert f1["delta"] is None
        assert report["overall"]["metrics"][FULL]["interval"]["reason"] == "no_rows"
        assert report["overall"]["metrics"][FULL]["bootstrap"]["reason"] == "no_rows"


def test_every_null_interval_has_a_reason():
    for data in ([], [("right", "none")]):
        for block in walk(compare(data)):
            if "lower" in block:
                assert (block["lower"] is None) == bool(block.get("reason"))


def test_deltas_of_three_arms_add_up():
    data = [("right", "args"), ("none", "right"), ("args", "name")] * 6
    base, adapter = simple_arms(data)
    third = simple_arms([("none", "right")] * 18)[0]
    steps = [
        compare_arms(*two, resamples=39)["overall"]["metrics"]
        for two in ((base, adapter), (adapter, third), (base, third))
    ]
    for metric in METRIC_NAMES:
        first, second, whole = (step[metric]["delta"] for step in steps)
        assert first + second == pytest.approx(whole)


def test_resamples_must_fit_the_level():
    with pytest.raises(UsageError, match="not whole"):
        compare([("right", "none")], resamples=1000)


def test_no_slice_is_called_as_all_rows_are():
    with pytest.raises(DataError, match="'overall', which stands for all rows"):
        compare_arms(*simple_arms([("right", "none")], label="overall"), resamples=39)
