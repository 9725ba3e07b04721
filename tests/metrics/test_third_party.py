"""A metric of an installed package is found by its entry point, listed without an import, and runs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from faircall.cli import main
from faircall.metrics.aggregator_metrics.aggregator_metric_registry import AggregatorMetricRegistry
from faircall.metrics.unit_metrics.unit_metric_registry import UnitMetricRegistry
from faircall.testing import check_metric

MODULE = '''
from faircall.metrics.aggregator_metrics.base_aggregator_metric import BaseAggregatorMetric
from faircall.metrics.unit_metrics.base_unit_metric import PairwiseUnitMetric

class SameLengthMetric(PairwiseUnitMetric):
    """Both texts are equally long."""

    def judge(self, golden, predicted):
        return len(golden) == len(predicted), {}

class WrongMetric(BaseAggregatorMetric):
    """How many are wrong."""

    def calculate(self, results):
        return {"wrong": sum(not result.correct for result in results)}
'''
ENTRY_POINTS = """
[faircall.unit_metrics]
same_length = length_metrics_for_test:SameLengthMetric

[faircall.aggregator_metrics]
wrong = length_metrics_for_test:WrongMetric
"""


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "length_metrics_for_test.py").write_text(MODULE, encoding="utf-8")
    package = tmp_path / "length_metrics_for_test-1.0.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: length-metrics-for-test\nVersion: 1.0\n")
    (package / "entry_points.txt").write_text(ENTRY_POINTS, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))


@pytest.mark.usefixtures("installed")
def test_found_listed_checked_and_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert UnitMetricRegistry.has_metric("same_length")
    assert "wrong" in AggregatorMetricRegistry.list_metrics()
    assert "length_metrics_for_test" not in sys.modules
    check_metric(UnitMetricRegistry.get_metric_class("same_length"), golden=["a", "bb"], predicted=["x", "x"])
    check_metric(AggregatorMetricRegistry.get_metric_class("wrong"))
    for name, rows in (("g", ["a", "bb"]), ("p", ["x", "y"])):
        (tmp_path / f"{name}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    files = ["--golden", str(tmp_path / "g.jsonl"), "--predicted", str(tmp_path / "p.jsonl")]
    assert main(["metrics", "run", *files, "--unit", "same_length", "--aggregate", "wrong", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)["metrics"][0]
    assert (report["correct"], report["aggregates"][0]["values"]) == (1, {"wrong": 1})


def test_listing_imports_no_metric() -> None:
    code = (
        "import sys\n"
        "from faircall.metrics.unit_metrics.unit_metric_registry import UnitMetricRegistry as units\n"
        "from faircall.metrics.aggregator_metrics.aggregator_metric_registry import "
        "AggregatorMetricRegistry as aggregators\n"
        "assert {'accuracy', 'f1_score', 'precision', 'recall'} <= set(aggregators.list_metrics())\n"
        "assert 'exact_match' in units.list_metrics()\n"
        "assert not any(name.endswith(('.exact_match', '.accuracy')) for name in sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env={"PYTHONPATH": ":".join(sys.path)})
