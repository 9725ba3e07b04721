"""Flipped examples: joined by id, in both directions, and as many as the pair table says."""

import numpy as np

from faircall.comparing.flips import Flip, find_flips
from faircall.records import METRIC_NAMES, Parsed, Scores


def scores(ids, full, causes):
    components = np.zeros((len(ids), len(METRIC_NAMES), 2), dtype=np.int64)
    components[:, METRIC_NAMES.index("full_call_exact_match"), 0] = full
    unknown = (None,) * len(ids)
    parsed = (Parsed(None, "no_json", "no_bracket"),) * len(ids)
    return Scores(ids, ids, unknown, components, parsed, causes, ids, unknown, unknown)


BASELINE = scores(("a", "b", "c", "d"), [1, 0, 1, 0], (None, "wrong_tool", None, "wrong_value"))
CANDIDATE = scores(("d", "c", "b", "a"), [0, 1, 1, 0], ("wrong_value", None, None, "no_json:no_bracket"))


def test_examples_are_joined_by_id_whatever_the_order():
    assert list(find_flips(BASELINE, CANDIDATE, metric="full_call_exact_match")) == [
        Flip("a", "lost", 0, 3, "no_json:no_bracket"),
        Flip("b", "gained", 1, 2, "wrong_tool"),
    ]


def test_swapping_the_arms_turns_every_direction():
    there = {
        flip.example_id: flip.direction
        for flip in find_flips(BASELINE, CANDIDATE, metric="full_call_exact_match")
    }
    back = {
        flip.example_id: flip.direction
        for flip in find_flips(CANDIDATE, BASELINE, metric="full_call_exact_match")
    }
    turn = {"gained": "lost", "lost": "gained"}
    assert back == {key: turn[direction] for key, direction in there.items()}


def test_other_metrics_have_flips_of_their_own():
    assert list(find_flips(BASELINE, CANDIDATE, metric="valid_json_rate")) == []
