"""The composite action: its form, and the script that it runs, as a runner would run it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
DATA = ROOT / "examples" / "data"
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))


def run_script(folder, **inputs):
    given = {
        name.upper().replace("-", "_"): str(one.get("default", "")) for name, one in ACTION["inputs"].items()
    }
    environment = {
        **given,
        "BASELINE": str(DATA / "smollm2_base.jsonl"),
        "CANDIDATE": str(DATA / "smollm2_adapter.jsonl"),
        "OUT": str(folder / "out"),
        "FORMATS": "junit",
        "RUNNER_TEMP": str(folder),
        "GITHUB_OUTPUT": str(folder / "output"),
        "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
        "FAIRCALL": f"{sys.executable} -m faircall",
        "PYTHONPATH": str(ROOT / "src"),
        "PATH": os.environ["PATH"],
        **inputs,
    }
    script = ROOT / ".github" / "compare.sh"
    done = subprocess.run(
        [shutil.which("bash"), str(script)],
        env=environment,
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    summary = (folder / "summary.md").read_text(encoding="utf-8")
    return done, dict(line.split("=", 1) for line in (folder / "output").read_text().splitlines()), summary


def test_the_action_is_composite_and_pastes_no_input_into_a_script():
    assert ACTION["runs"]["using"] == "composite"
    (step,) = ACTION["runs"]["steps"]
    assert "${{" not in step["run"]
    assert {name for name, value in step["env"].items() if "inputs." in value} == {
        name.upper().replace("-", "_") for name in ACTION["inputs"]
    }
    assert all("shell" in one for one in ACTION["runs"]["steps"])


@pytest.mark.parametrize(
    ("conditions", "status"),
    [("", 0), ("argument_f1.delta < 0\n\nvalid_json_rate.candidate > 0.5\n", 1)],
)
def test_the_script_writes_summary_and_outputs_and_keeps_the_status(tmp_path, conditions, status):
    done, outputs, summary = run_script(tmp_path, FAIL_IF=conditions)
    assert done.returncode == status
    assert outputs == {"report": str(tmp_path / "out" / "comparison_report.json"), "status": str(status)}
    assert summary.startswith("## Tool calls: smollm2\\_base against smollm2\\_adapter")
    assert (tmp_path / "out" / "comparison_report.junit.xml").is_file()


def test_arms_that_cannot_be_compared_fail_with_4_and_say_why_in_the_summary(tmp_path):
    other = tmp_path / "other.jsonl"
    text = (DATA / "smollm2_adapter.jsonl").read_text(encoding="utf-8")
    other.write_text(text.replace("test-0", "x-"), encoding="utf-8")
    done, outputs, summary = run_script(tmp_path, CANDIDATE=str(other))
    assert (done.returncode, outputs) == (4, {"report": "", "status": "4"})
    assert "INCOMPARABLE" in summary
