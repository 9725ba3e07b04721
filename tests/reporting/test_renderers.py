"""One view, three forms; what comes from data can neither break a table nor reach the terminal's commands."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faircall.reporting.blocks import Line, Table
from faircall.reporting.to_json import to_json
from faircall.reporting.to_markdown import escape, to_markdown
from faircall.reporting.to_terminal import clean, to_plain_text, to_rich_text

VIEW = (
    Line("Treatment: adapter", tone="heading"),
    Table("Metrics", ("metric", "baseline"), (("full_call", "0/60"), ("語 wide", "38/60")), note="95% CI"),
    Line("better", tone="good"),
)
HOSTILE = "\x1b[2J<script>alert(1)</script> | `rm` [x](javascript:y)\n\ud800"


def test_plain_text_is_aligned_by_terminal_cells():
    assert to_plain_text(VIEW).splitlines() == [
        "Treatment: adapter",
        "",
        "Metrics",
        "  metric     baseline",
        "  full_call      0/60",
        "  語 wide       38/60",
        "  95% CI",
        "",
        "better",
    ]


def test_markdown_has_a_title_tables_and_escaped_cells():
    assert to_markdown(VIEW, title="A & B").splitlines() == [
        "# A \\& B",
        "",
        "**Treatment: adapter**",
        "",
        "## Metrics",
        "",
        "| metric | baseline |",
        "| :--- | ---: |",
        "| full\\_call | 0/60 |",
        "| 語 wide | 38/60 |",
        "",
        "95% CI",
        "",
        "**better**",
    ]


def test_rich_text_shows_every_cell():
    text = re.sub(r"\x1b\[[0-9;]*m", "", to_rich_text(VIEW, width=80))
    for cell in ("Treatment: adapter", "Metrics", "full_call", "38/60", "95% CI", "better"):
        assert cell in text


@pytest.mark.parametrize(
    "render",
    [to_plain_text, lambda view: to_rich_text(view, width=200), lambda view: to_markdown(view, title="t")],
    ids=["plain", "rich", "markdown"],
)
def test_hostile_text_stays_text(render):
    text = render((Line(HOSTILE), Table(HOSTILE, ("a", HOSTILE), ((HOSTILE, "1"),), note=HOSTILE)))
    assert "\x1b[2J" not in text
    assert "\\ud800" in text.replace("\\\\", "\\")
    text.encode("utf-8")


def test_markdown_neutralises_html_and_links():
    text = escape(HOSTILE)
    assert "<script>" not in text
    assert not re.search(r"(?<!\\)[<>|`\[\]]", text)


@given(st.text())
def test_cleaned_text_is_one_printable_line(text):
    assert clean(text).isprintable()
    assert clean(clean(text)) == clean(text)


@given(st.lists(st.tuples(st.text(), st.text()), min_size=1, max_size=4))
def test_a_markdown_table_keeps_its_columns(rows):
    lines = to_markdown((Table("t", ("a", "b"), tuple(rows)),), title="t").splitlines()
    for line in lines[4:]:
        assert len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) == 3


def test_json_is_ascii_and_refuses_nan():
    assert json.loads(to_json({"a": "é\ud800"})) == {"a": "é\ud800"}
    assert to_json({"b": 1, "a": "é"}).isascii()
    with pytest.raises(ValueError, match="not JSON compliant"):
        to_json({"a": float("nan")})
