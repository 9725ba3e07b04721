"""The speed comparison still compares equals: it runs, small, and refuses two sides that differ."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

BENCH = Path(__file__).parents[2] / "bench/metrics_speed.py"


def test_both_sides_agree_on_both_kinds_of_rows(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.argv", ["metrics_speed.py", "2000"])
    runpy.run_path(str(BENCH), run_name="__main__")
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(",")[0] for line in lines] == ["few_classes", "all_different"]
    assert all(
        re.search(r"2000 rows: objects [0-9.]+ s, columns [0-9.]+ s, ratio [0-9.]+$", line) for line in lines
    )
