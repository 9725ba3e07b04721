"""What the pages promise exists: verbs, targets, files, and columns of width that a page can show."""

import re
from pathlib import Path

import pytest

from faircall.cli import verbs

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_inside_the_repository_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_verb_that_a_page_calls_exists(page):
    called = set(re.findall(r"^\$ faircall ([a-z]+)", page.read_text(encoding="utf-8"), re.MULTILINE))
    assert called <= verbs.VERBS.keys()


def test_every_target_that_the_readme_names_exists():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert set(re.findall(r"\bmake ([a-z-]+)\b +#", readme)) <= targets


def test_the_data_in_the_repository_is_attributed():
    notice = (ROOT / "NOTICE").read_text(encoding="utf-8")
    for path in (ROOT / "examples" / "data").iterdir():
        assert f"examples/data/{path.name}" in notice
