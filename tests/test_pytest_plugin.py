"""The pytest plugin, by running pytest on tests that use it, as an installed package would be used."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

SRC = Path(__file__).parents[1] / "src"
DATA = Path(__file__).parents[1] / "examples" / "data"
ROWS = [
    {"id": "graz", "gold": {"name": "wx", "arguments": {"city": "Graz"}}, "query": "Weather in Graz?"},
    {"id": "wien", "gold": {"name": "wx", "arguments": {"city": "Wien"}}, "query": "Weather in Wien?"},
]
TESTS = f"""
import json
import pytest

@pytest.mark.toolcalls("cases.jsonl")
def test_answers(faircall, toolcall):
    faircall.assert_call(json.dumps({{"name": "wx", "arguments": {{"city": "Graz"}}}}), toolcall)

def test_not_worse(faircall):
    comparison = faircall.compare(
        {str(DATA / "smollm2_base.jsonl")!r}, {str(DATA / "smollm2_adapter.jsonl")!r},
        claims=["kept: non_inferiority margin=0.02"], fail_if=["argument_f1.delta < 0"],
    )
    assert comparison.to_dict()["claims"][0]["verdict"] == "established"

def test_better_by_far(faircall):
    rows = faircall.load({str(DATA / "smollm2_base.jsonl")!r})
    faircall.compare(rows, {str(DATA / "smollm2_adapter.jsonl")!r}, fail_if=["argument_f1.delta < 0.9"])

def test_a_call_alone(faircall):
    faircall.assert_call('{{"name": "f", "arguments": {{}}}}', {{"name": "f", "arguments": {{}}}})
"""


def pytest_in(folder, *arguments):
    """A pytest of its own, the plugin loaded by name (an installation announces it)."""
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "faircall.pytest_plugin",
        "--strict-markers",
        "-rA",
        *arguments,
    ]
    return subprocess.run(
        command,
        cwd=folder,
        env={"PYTHONPATH": str(SRC), "PATH": "", "COLUMNS": "200", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=False,
    ).stdout


@pytest.fixture
def project(tmp_path):
    (tmp_path / "cases.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    (tmp_path / "test_calls.py").write_text(TESTS, encoding="utf-8")
    return tmp_path


def test_rows_are_tests_and_failures_name_their_cause(project):
    out = pytest_in(project)
    for passed in ("test_answers[graz]", "test_not_worse", "test_a_call_alone"):
        assert f"PASSED test_calls.py::{passed}" in out
    assert "FAILED test_calls.py::test_answers[wien] - Failed: wrong_value: gold" in out
    assert "During handling of the above exception" not in out
    assert "test_better_by_far - Failed: --fail-if: argument_f1.delta < 0.9 holds" in out
    assert "2 failed, 3 passed" in out


def test_a_file_of_rows_that_cannot_be_read_is_a_usage_error(project):
    (project / "cases.jsonl").write_text("{}\n", encoding="utf-8")
    assert "toolcalls: " in pytest_in(project)
    assert "cases.jsonl:1" in pytest_in(project)


def test_the_plugin_is_announced_and_imports_nothing_of_faircall():
    pyproject = (SRC.parent / "pyproject.toml").read_text(encoding="utf-8")
    assert '[project.entry-points.pytest11]\nfaircall = "faircall.pytest_plugin"' in pyproject
    code = (
        "import sys, faircall.pytest_plugin; "
        "print(sorted(m for m in sys.modules if m.startswith('faircall.') or m in ('numpy', 'pydantic')))"
    )
    found = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONPATH": str(SRC)}, capture_output=True, text=True, check=True
    )
    assert found.stdout.strip() == "['faircall.pytest_plugin']"
