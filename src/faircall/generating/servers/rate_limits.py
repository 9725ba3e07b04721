"""Limits per minute, kept by spacing: no burst, so no window of a server can be exceeded."""

from __future__ import annotations

import threading
from collections.abc import Callable


class Pace:
    """At most `per_minute` units a minute over all threads; None is no limit."""

    def __init__(
        self, per_minute: int | None, *, clock: Callable[[], float], sleep: Callable[[float], None]
    ) -> None:
        """Start with nothing spent."""
        self._seconds_each = 0.0 if per_minute is None else 60.0 / per_minute
        self._clock = clock
        self._sleep = sleep
        self._free_at = float("-inf")
        self._lock = threading.Lock()

    def take(self, units: int = 1) -> None:
        """Wait until these units fit, and spend them."""
        if not self._seconds_each:
            return
        with self._lock:
            now = self._clock()
            start = max(now, self._free_at)
            self._free_at = start + units * self._seconds_each
        if start > now:
            self._sleep(start - now)

    def correct(self, units: int) -> None:
        """Spend `units` more (or, negative, fewer) than was taken: an estimate met its fact."""
        if self._seconds_each:
            with self._lock:
                self._free_at += units * self._seconds_each
