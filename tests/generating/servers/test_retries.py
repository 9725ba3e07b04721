"""Trying again: how often, how long, and never sooner than the server asked; the pace of limits."""

import pytest

from faircall.generating.servers.rate_limits import Pace
from faircall.generating.servers.retries import (
    GivenUp,
    RetryPolicy,
    Transient,
    call_patiently,
    wait_before_next,
)
from generating.fault_server import FakeTime


def run(outcomes, *, policy=None, draw=0.5):
    """Call through a list of outcomes (an exception is raised); gives the result and the waits."""
    outcomes, time = list(outcomes), FakeTime()
    given = []

    def call(seconds):
        given.append(seconds)
        outcome = outcomes.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    result = call_patiently(
        call, policy=policy or RetryPolicy(), sleep=time.sleep, clock=time.clock, draw=lambda: draw
    )
    return result, time.slept, given


def test_a_call_that_works_is_made_once():
    assert run(["fine"]) == ("fine", [], [600.0])


def test_waits_double_and_stop_growing():
    policy = RetryPolicy(attempts=8, first_wait=1.0, longest_wait=8.0)
    _, slept, _ = run([Transient("busy")] * 6 + ["fine"], policy=policy, draw=1.0)
    assert slept == [1.0, 2.0, 4.0, 8.0, 8.0, 8.0]


@pytest.mark.parametrize("draw", [0.0, 0.3, 0.999])
def test_jitter_stays_between_half_and_the_whole_wait(draw):
    wait = wait_before_next(4, policy=RetryPolicy(), retry_after=None, draw=draw)
    assert 2.0 <= wait <= 4.0


def test_the_wish_of_the_server_is_a_lower_bound():
    _, slept, _ = run([Transient("busy", retry_after=12.0), "fine"])
    assert slept[0] >= 12.0


def test_the_budget_of_attempts_ends_it():
    with pytest.raises(GivenUp, match="busy; tried 3 times"):
        run([Transient("busy")] * 9, policy=RetryPolicy(attempts=3))


def test_a_wait_past_the_deadline_is_not_begun():
    with pytest.raises(GivenUp, match="tried once, the deadline is 10 s"):
        run([Transient("busy", retry_after=60.0)], policy=RetryPolicy(deadline_seconds=10.0))


def test_each_attempt_is_told_what_is_left():
    _, slept, given = run([Transient("busy"), "fine"], policy=RetryPolicy(deadline_seconds=10.0))
    assert given == [10.0, 10.0 - slept[0]]


def test_other_errors_are_not_tried_again():
    with pytest.raises(ZeroDivisionError):
        run([ZeroDivisionError(), "fine"])


# --- Limits per minute


def pace(per_minute):
    time = FakeTime()
    return Pace(per_minute, clock=time.clock, sleep=time.sleep), time


def test_requests_are_spaced():
    limit, time = pace(30)
    for _ in range(4):
        limit.take()
    assert time.slept == [2.0, 2.0, 2.0]


def test_no_limit_never_waits():
    limit, time = pace(None)
    for _ in range(100):
        limit.take(1_000_000)
    assert time.slept == []


def test_an_estimate_is_corrected_by_the_fact():
    limit, time = pace(600)
    limit.take(100)  # ten seconds
    limit.correct(-50)
    limit.take(100)
    assert time.slept == [5.0]
