"""docs/writing-a-metric.md is executed: every Python block, with the output that its comments promise."""

from __future__ import annotations

import contextlib
import io
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from faircall.metrics.aggregator_metrics.aggregator_metric_registry import AggregatorMetricRegistry
from faircall.metrics.unit_metrics.unit_metric_registry import UnitMetricRegistry

PAGE = (Path(__file__).parents[2] / "docs/writing-a-metric.md").read_text(encoding="utf-8")
PYTHON, TOML = (re.findall(rf"```{kind}\n(.*?)```", PAGE, re.DOTALL) for kind in ("python", "toml"))


@pytest.fixture(scope="module")
def page() -> Iterator[dict[str, Any]]:
    """The names that the page's blocks define, and what each block printed."""
    names: dict[str, Any] = {"printed": []}
    try:
        for block in PYTHON:
            output = io.StringIO()
            with contextlib.redirect_stdout(output):
                exec(compile(block, "docs/writing-a-metric.md", "exec"), names)
            names["printed"].append(output.getvalue())
        yield names
    finally:
        UnitMetricRegistry.restore()
        AggregatorMetricRegistry.restore()


def test_blocks_print_what_their_comments_say(page: dict[str, Any]) -> None:
    assert len(PYTHON) == 5
    promised = ["".join(f"{line}\n" for line in re.findall(r"^# (.*)$", block, re.M)) for block in PYTHON]
    assert page["printed"] == promised
    assert sum(map(bool, promised)) == 3


def test_the_first_metric_has_15_lines() -> None:
    assert len([line for line in PYTHON[0].splitlines() if line.strip()]) <= 15


def test_both_metrics_are_registered(page: dict[str, Any]) -> None:
    assert UnitMetricRegistry.get_metric_class("starts_with") is page["StartsWithMetric"]
    assert AggregatorMetricRegistry.get_metric_class("longest_run") is page["LongestRunMetric"]


def test_the_entry_point_groups_are_those_that_are_read(page: dict[str, Any]) -> None:
    groups = tomllib.loads(TOML[0])["project"]["entry-points"]
    assert set(groups) == {
        UnitMetricRegistry._registry._group,
        AggregatorMetricRegistry._registry._group,
    }


def test_a_share_carries_an_interval(page: dict[str, Any]) -> None:
    calculated = page["LongTextAccuracyMetric"](4, level=0.9).calculate(page["results"])
    assert calculated["interval"]["method"] == "wilson"
