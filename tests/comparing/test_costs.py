"""What two arms cost: which times may be compared, and the ratios of those that may."""

import numpy as np
import pytest

from faircall.comparing.costs import compare_costs
from faircall.records import METRIC_NAMES, Arm, Parsed, Scores, ToolCall

MEASURED = {
    "allocation": {"device": "cpu", "threads": 1},
    "decoding": {"strategy": "greedy"},
    "contract": "faircall.sequential.v1",
    "cross_comparable": True,
    "cross_comparable_reason": None,
}


def arm(name, right, durations, *, order=None, roots=None, **efficiency):
    """An arm whose row i is a full match where `right[i]`; rows in another order where `order` says so."""
    places = list(order or range(len(right)))
    components = np.zeros((len(right), len(METRIC_NAMES), 2), dtype=np.int64)
    components[:, -1] = [(right[i], 1) for i in places]
    unknown = (None,) * len(right)
    scores = Scores(
        ids=tuple(f"e{i:03}" for i in places),
        roots=tuple(f"r{(roots or range(len(right)))[i]:03}" for i in places),
        labels=unknown,
        components=components,
        parsed=(Parsed(ToolCall("f", {}), "ok"),) * len(right),
        causes=unknown,
        gold_sha256=("g",) * len(right),
        tasks_sha256=unknown,
        prompt_sha256=unknown,
    )
    timed = None if durations is None else tuple(durations[i] for i in places)
    return Arm(name, scores, {}, inference_efficiency={**MEASURED, **efficiency}, durations_ns=timed)


RIGHT = [i % 2 for i in range(40)]
TIMES = [1_000_000_000 + 10_000_000 * (i * i % 7) for i in range(40)]


def test_ratios_are_those_of_the_sums():
    base = arm("base", RIGHT, TIMES)
    tuned = arm("tuned", [1] * 30 + [0] * 10, [2 * t + i for i, t in enumerate(TIMES)])
    block = compare_costs(base, tuned, level=0.95)
    assert (block["cross_comparable"], block["reasons"]) == (True, [])
    example, match = block["ratios"]["seconds_per_example"], block["ratios"]["seconds_per_full_match"]
    total = sum(2 * t + i for i, t in enumerate(TIMES))
    assert example["value"] == pytest.approx(total / sum(TIMES))
    assert match["value"] == pytest.approx((total / 30) / (sum(TIMES) / 20))
    assert example["interval"]["lower"] < example["value"] < example["interval"]["upper"]
    assert match["interval"]["method"] == "log_linearised_t"
    assert (example["evidence"], match["evidence"]) == ("ok", "ok")
    assert "guarded" not in match  # twenty roots differ


def test_rows_are_paired_by_id_whatever_their_order():
    base, tuned = arm("base", RIGHT, TIMES), arm("tuned", [1] * 40, TIMES[::-1])
    turned = arm("tuned", [1] * 40, TIMES[::-1], order=range(39, -1, -1))
    one, other = (compare_costs(base, arm, level=0.95)["ratios"] for arm in (tuned, turned))
    assert one == other


def test_translations_of_a_root_count_as_one():
    twice = [i // 2 for i in range(40)]
    alone = compare_costs(arm("a", RIGHT, TIMES), arm("b", RIGHT, TIMES[::-1]), level=0.95)["ratios"]
    paired = compare_costs(
        arm("a", RIGHT, TIMES, roots=twice), arm("b", RIGHT, TIMES[::-1], roots=twice), level=0.95
    )["ratios"]
    assert paired["seconds_per_example"]["value"] == alone["seconds_per_example"]["value"]
    assert paired["seconds_per_example"]["interval"] != alone["seconds_per_example"]["interval"]


def test_the_guarded_interval_stands_beside_the_plain_one_where_few_roots_differ():
    match = compare_costs(arm("a", RIGHT, TIMES), arm("b", RIGHT, TIMES[::-1]), level=0.95)["ratios"][
        "seconds_per_full_match"
    ]
    assert match["guarded"]["method"] == "guarded_log_linearised_t"
    assert match["guarded"]["lower"] < match["interval"]["lower"]
    assert match["guarded"]["upper"] > match["interval"]["upper"]


@pytest.mark.parametrize(
    ("right", "count", "evidence"),
    [
        ([1] * 9, 9, "insufficient: fewer than ten roots"),
        ([1] * 9 + [0] * 31, 40, "insufficient: fewer than ten roots with a full match in an arm"),
        ([1] * 10 + [0] * 30, 40, "ok"),
    ],
)
def test_too_few_roots_or_matches_are_said_to_be_too_few(right, count, evidence):
    base, tuned = arm("base", [1] * count, TIMES[:count]), arm("tuned", right, TIMES[:count][::-1])
    for pair in ((base, tuned), (tuned, base)):
        ratios = compare_costs(*pair, level=0.95)["ratios"]
        assert ratios["seconds_per_full_match"]["evidence"] == evidence
        assert ratios["seconds_per_example"]["evidence"] == ("ok" if count >= 10 else evidence)


@pytest.mark.parametrize(
    ("first", "second", "reason"),
    [
        ([0] * 40, RIGHT, "no example was a full match in the baseline"),
        (RIGHT, [0] * 40, "no example was a full match in the candidate"),
        ([0] * 40, [0] * 40, "no example was a full match in the baseline or the candidate"),
    ],
)
def test_without_a_full_match_there_is_no_ratio_but_a_reason(first, second, reason):
    ratios = compare_costs(arm("a", first, TIMES), arm("b", second, TIMES[::-1]), level=0.95)["ratios"]
    assert ratios["seconds_per_full_match"] == {"value": None, "reason": reason}
    assert ratios["seconds_per_example"]["value"] == 1.0


def test_a_clock_that_stood_still_gives_no_ratio():
    ratios = compare_costs(arm("a", RIGHT, [0] * 40), arm("b", RIGHT, TIMES), level=0.95)["ratios"]
    assert {ratio["reason"] for ratio in ratios.values()} == {"no time was measured"}


@pytest.mark.parametrize(
    ("change", "reasons"),
    [
        ({"allocation": {"device": "cuda:0"}}, ["the arms differ in allocation"]),
        ({"decoding": {}, "contract": "x"}, ["the arms differ in decoding", "the arms differ in contract"]),
        ({"cross_comparable": False, "cross_comparable_reason": "resumed"}, ["tuned: resumed"]),
    ],
)
def test_times_that_may_not_be_compared_have_no_ratio(change, reasons):
    base, tuned = arm("base", RIGHT, TIMES), arm("tuned", RIGHT, TIMES, **change)
    block = compare_costs(base, tuned, level=0.95)
    assert (block["cross_comparable"], block["reasons"], block["ratios"]) == (False, reasons, None)


def test_arms_of_one_name_are_told_apart_by_their_side():
    block = compare_costs(
        arm("base", RIGHT, TIMES),
        arm("base", RIGHT, TIMES, cross_comparable=False, cross_comparable_reason="resumed"),
        level=0.95,
    )
    assert block["reasons"] == ["candidate: resumed"]
