"""Progress of a generating arm: on a terminal a bar, the time left and metrics; lines for the demo."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator

from faircall.pipeline.evaluate import Answered, Listener


@contextlib.contextmanager
def show_progress(name: str) -> Iterator[Listener]:
    """A listener that draws on standard error, or one that does nothing when nobody watches."""
    if not sys.stderr.isatty():
        yield lambda answered: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(elapsed_when_finished=True),
        TextColumn("{task.fields[metrics]}"),
    )
    counts = RunningCounts()
    with Progress(*columns, console=Console(stderr=True)) as progress:
        task = progress.add_task(name, total=None, metrics="loading the model")

        def listen(answered: Answered) -> None:
            counts.add(answered)
            if answered.fresh:
                progress.update(task, total=answered.total, advance=1, metrics=counts.describe())
            else:  # found in the journal: the time left is estimated from what is generated now
                progress.reset(
                    task, total=answered.total, completed=counts.answers, metrics=counts.describe()
                )

        yield listen


@contextlib.contextmanager
def tell_progress(name: str) -> Iterator[Listener]:
    """As `show_progress`; without a terminal, a line at the start and one per tenth of the arm."""
    if sys.stderr.isatty():
        with show_progress(name) as listener:
            yield listener
        return
    counts, told = RunningCounts(), 0

    def listen(answered: Answered) -> None:
        nonlocal told
        counts.add(answered)
        tenths = 10 * counts.answers // answered.total
        if answered.fresh and tenths > told:
            print(f"{name}: {counts.answers} of {answered.total}  {counts.describe()}", file=sys.stderr)
        told = max(told, tenths)

    print(f"arm {name} begins", file=sys.stderr)
    yield listen


def tell_news(line: str) -> None:
    """One line on standard error, where somebody watches."""
    if sys.stderr.isatty():
        print(line, file=sys.stderr)


class RunningCounts:
    """Valid calls and full matches among the answers so far.

    >>> RunningCounts().describe()
    ''
    """

    def __init__(self) -> None:
        """Start at nothing."""
        self.answers = self.valid = self.matched = 0

    def add(self, answered: Answered) -> None:
        """Count one answer."""
        self.answers += 1
        self.valid += answered.valid
        self.matched += answered.matched

    def describe(self) -> str:
        """Counts as rates, the full match with its interval."""
        if not self.answers:
            return ""
        from faircall.reporting import numbers
        from faircall.stats.wilson import wilson_interval

        interval = wilson_interval(self.matched, self.answers)
        return (
            f"valid JSON {numbers.rate(self.valid / self.answers)}  "
            f"full match {numbers.rate(self.matched / self.answers)} "
            f"{numbers.rate_interval(interval.lower, interval.upper)}"
        )
