"""Trying again: exponential waits with jitter, the server's own wish honoured, a budget and a deadline.

Sleep, clock and randomness are parameters, so that tests never wait.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How long one request may be tried: so many attempts, so many seconds over all of them."""

    attempts: int = 6
    deadline_seconds: float = 600.0
    first_wait: float = 0.5
    longest_wait: float = 30.0


class Transient(Exception):
    """An attempt failed in a way that may pass. `retry_after`: seconds that the server asks for."""

    def __init__(self, reason: str, *, retry_after: float | None = None) -> None:
        """Keep why, and how long to wait if the server said so."""
        super().__init__(reason)
        self.reason = reason
        self.retry_after = retry_after


class GivenUp(Exception):
    """The last attempt failed as well; the text says how, and how often it was tried."""


def call_patiently(
    call: Callable[[float], T],
    *,
    policy: RetryPolicy,
    sleep: Callable[[float], None],
    clock: Callable[[], float],
    draw: Callable[[], float],
) -> T:
    """The result of `call`, which is given the seconds that are left and may raise `Transient`.

    Args:
        call: one attempt.
        policy: budget and deadline.
        sleep: waits so many seconds.
        clock: monotonic seconds.
        draw: a random number in [0, 1) for each wait.

    Raises:
        GivenUp: budget or deadline are used up.
    """
    end = clock() + policy.deadline_seconds
    for attempt in range(1, policy.attempts + 1):
        try:
            return call(end - clock())
        except Transient as fault:
            wait = wait_before_next(attempt, policy=policy, retry_after=fault.retry_after, draw=draw())
            if attempt == policy.attempts:
                raise GivenUp(f"{fault.reason}; {_times(attempt)}") from fault
            if clock() + wait >= end:
                seconds = f"{policy.deadline_seconds:g} s"
                raise GivenUp(f"{fault.reason}; {_times(attempt)}, the deadline is {seconds}") from fault
        sleep(wait)
    raise AssertionError("unreachable: a policy has at least one attempt")


def wait_before_next(attempt: int, *, policy: RetryPolicy, retry_after: float | None, draw: float) -> float:
    """Seconds to wait after failed attempt number `attempt` (from 1): never less than the server asked for.

    >>> wait_before_next(3, policy=RetryPolicy(), retry_after=None, draw=0.0)
    1.0
    >>> wait_before_next(1, policy=RetryPolicy(), retry_after=7.0, draw=0.0)
    7.25
    """
    backoff = min(policy.longest_wait, policy.first_wait * 2.0 ** min(attempt - 1, 30)) * (1 + draw) / 2
    return backoff if retry_after is None else retry_after + backoff


def parse_retry_after(value: str | None, *, now: float) -> float | None:
    """Seconds from a `Retry-After` header: a number or an HTTP date; None when absent or unusable.

    Args:
        value: the header.
        now: seconds since the epoch.

    >>> parse_retry_after("2", now=0), parse_retry_after("soon", now=0), parse_retry_after("-1", now=0)
    (2.0, None, None)
    >>> parse_retry_after("Thu, 01 Jan 1970 00:00:09 GMT", now=5)
    4.0
    """
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = max(0.0, parsedate_to_datetime(value).timestamp() - now)
        except (ValueError, OverflowError):
            return None
    return seconds if 0 <= seconds < float("inf") else None


def _times(count: int) -> str:
    return "tried once" if count == 1 else f"tried {count} times"
