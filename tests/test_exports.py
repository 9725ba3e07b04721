"""The public names: complete, documented, and free until they are used."""

import ast
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import faircall

HEAVY = ("numpy", "torch", "transformers", "pandas", "scipy", "pydantic", "typer", "rich", "jsonschema")


def test_all_is_what_is_there():
    homes = {name: getattr(faircall, name) for name in faircall.__all__}
    assert sorted({*faircall._HOMES, "metrics"}) == sorted(homes)
    assert set(faircall.__all__) <= set(dir(faircall))
    typed = ast.parse(Path(faircall.__file__).read_text(encoding="utf-8"))
    imported = {
        alias.name
        for node in ast.walk(typed)
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("faircall")
        for alias in node.names
    }
    assert imported == set(faircall.__all__)


def test_every_public_function_says_what_it_does():
    for name in faircall.__all__:
        value = getattr(faircall, name)
        if inspect.isfunction(value) or inspect.isclass(value):
            assert inspect.getdoc(value), name


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="'nothing'"):
        _ = faircall.nothing


@pytest.mark.parametrize(
    "statement",
    ["import faircall", "from faircall import parse_tool_call, canonical_json, flatten_arguments"],
)
def test_heavy_libraries_wait(statement):
    code = f"{statement}; import sys; print([name for name in {HEAVY!r} if name in sys.modules])"
    env = {"PYTHONPATH": str(Path(faircall.__file__).parent.parent), "PATH": ""}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env)
    assert done.stdout.strip() == "[]"


def test_importing_costs_little():
    source = Path(faircall.__file__).parent.parent
    code = (
        f"import sys, time; sys.path.insert(0, {str(source)!r}); import typing, importlib\n"
        "start = time.process_time(); import faircall; print(time.process_time() - start)"
    )
    runs = [
        float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)
        for _ in range(3)
    ]
    assert min(runs) < 0.05
