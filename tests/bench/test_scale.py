"""The figures of scale: their place in the page, and how they are spelt."""

import importlib
import sys
from pathlib import Path

import pytest

BENCH = str(Path(__file__).parent.parent.parent / "bench")


@pytest.fixture
def scale(monkeypatch):
    monkeypatch.syspath_prepend(BENCH)
    yield importlib.import_module("scale")
    for name in ("scale", "corpus"):
        sys.modules.pop(name, None)


def test_the_page_holds_what_the_script_writes(scale):
    block = scale.BLOCK.search(scale.PAGE.read_text(encoding="utf-8"))
    assert block
    assert "| per record | measured | times 1e9 |" in block[0]


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(27.7e-6, "27.7 µs"), (1.1e-3, "1.1 ms"), (3.83, "3.83 s"), (7200, "2 hours"), (3.83e9, "121 years")],
)
def test_spans_have_a_unit_that_fits(scale, seconds, words):
    assert scale.span(seconds) == words


@pytest.mark.parametrize(("count", "words"), [(24.0, "24 B"), (586, "586 B"), (2e12, "2 TB")])
def test_sizes_have_a_unit_that_fits(scale, count, words):
    assert scale.size(count) == words


def test_a_run_of_any_length_has_ids_of_its_own(scale, tmp_path):
    run, config = scale.build_run(tmp_path / "run", 250)
    lines = run.formatted_file("test").read_text().splitlines()
    assert len({line.split('"example_id":"')[1].split('"')[0] for line in lines}) == 250
    assert config.data.n_test == 250
