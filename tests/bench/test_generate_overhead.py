"""The overhead of a sequential run is still measured: both sides run on the real model and give one text."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

BENCH = Path(__file__).parents[2] / "bench/generate_overhead.py"


@pytest.mark.model
def test_both_sides_answer_alike_and_are_timed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = ["--prompts", "1", "--rounds", "1", "--tokens", "2"]
    monkeypatch.setattr("sys.argv", ["generate_overhead.py", *arguments])
    runpy.run_path(str(BENCH), run_name="__main__")
    printed = capsys.readouterr().out
    times = re.findall(r"^\| (?:processor|wall)[^|]*\| ([0-9.]+) \| ([0-9.]+) \|", printed, re.MULTILINE)
    assert len(times) == 3
    assert all(float(second) > 0 for pair in times for second in pair)
    assert re.search(r"share of an answer: -?[0-9.]+% of its", printed)
