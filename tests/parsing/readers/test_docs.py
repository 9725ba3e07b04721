"""Every reader has its page, and the index names every reason."""

from pathlib import Path

import pytest

from faircall.parsing import readers
from faircall.parsing.readers.protocol import STATUS_OF_REASON

DOCS = Path(__file__).parents[3] / "docs" / "readers"


@pytest.mark.parametrize("name", readers.names())
def test_every_reader_has_a_page(name):
    assert (DOCS / f"{name}.md").read_text(encoding="utf-8").startswith(f"# {name}\n")
    assert f"({name}.md)" in (DOCS / "README.md").read_text(encoding="utf-8")


def test_the_index_names_every_reason_beside_its_status():
    lines = (DOCS / "README.md").read_text(encoding="utf-8").splitlines()
    table = {line.split("`")[1]: line for line in lines if line.startswith(("| `no_json`", "| `invalid_"))}
    for reason, status in STATUS_OF_REASON.items():
        assert f"`{reason}`" in table[status], reason
