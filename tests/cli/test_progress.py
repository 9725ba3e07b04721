"""Progress: drawn for a person at a terminal, silent everywhere else, honest about the time left."""

import io
import sys

import pytest

from faircall.cli.progress import RunningCounts, show_progress, tell_progress
from faircall.pipeline.arm_request import plan_arm
from faircall.pipeline.evaluate import evaluate_arm
from pipeline import run_builder


class Terminal(io.StringIO):
    def isatty(self):
        return True


def evaluate(run, config, listener):
    evaluate_arm(run, config, plan_arm(config, "adapter"), listener=listener)


def test_a_terminal_sees_counts_and_the_metrics_so_far(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setenv("COLUMNS", "160")
    run, config = run_builder.build(tmp_path / "work")
    with show_progress("adapter") as listener:
        evaluate(run, config, listener)
    drawn = sys.stderr.getvalue()
    assert "10/10" in drawn
    assert "full match 90.0% [59.6%, 98.2%]" in drawn


def test_a_pipe_sees_nothing(tmp_path, capsys):
    run, config = run_builder.build(tmp_path / "work")
    with show_progress("adapter") as listener:
        evaluate(run, config, listener)
    assert capsys.readouterr() == ("", "")


def test_the_demo_tells_a_pipe_each_tenth_of_an_arm(tmp_path, capsys):
    run, config = run_builder.build(tmp_path / "work")
    with tell_progress("adapter") as listener:
        evaluate(run, config, listener)
    out, err = capsys.readouterr()
    lines = err.splitlines()
    assert (out, lines[0], len(lines)) == ("", "arm adapter begins", 11)
    assert lines[10].startswith("adapter: 10 of 10  valid JSON 90.0%")


def test_the_demo_draws_on_a_terminal(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    run, config = run_builder.build(tmp_path / "work")
    with tell_progress("adapter") as listener:
        evaluate(run, config, listener)
    assert "10/10" in sys.stderr.getvalue()
    assert "begins" not in sys.stderr.getvalue()


def test_answers_from_the_journal_are_not_fresh(tmp_path):
    run, config = run_builder.build(tmp_path / "work")
    seen = []

    def stop(answered):
        seen.append(answered.fresh)
        if len(seen) == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        evaluate(run, config, stop)
    evaluate(run, config, lambda answered: seen.append(answered.fresh))
    assert seen == [True] * 3 + [False] * 3 + [True] * 7


def test_counts_start_empty():
    assert RunningCounts().describe() == ""
