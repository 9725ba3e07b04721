"""One difference has several p-values: each is named; and a verdict on few discordant roots says so."""

import re

import pytest

import faircall
from faircall.comparing.conditions import judge, parse_condition
from faircall.reporting.comparison_view import view_comparison
from faircall.reporting.evidence import tell_few
from faircall.reporting.renderers import Subject, render
from faircall.reporting.to_terminal import to_plain_text

GOLD = {"name": "f", "arguments": {"x": 1}}
RIGHT, WRONG = '{"name": "f", "arguments": {"x": 1}}', '{"name": "f", "arguments": {"x": 2}}'
CLAIMS = [{"id": "c", "kind": "superiority"}, {"id": "h", "kind": "superiority", "family": "all"}]


def compared(gained, lost=0, count=60):
    rows = range(count)
    texts = (
        [WRONG if row < gained else RIGHT for row in rows],
        [WRONG if gained <= row < gained + lost else RIGHT for row in rows],
    )
    arms = (
        faircall.score([GOLD] * count, found, ids=list(map(str, rows)), name=name)
        for found, name in zip(texts, ("old", "new"), strict=True)
    )
    report = faircall.compare(*arms, resamples=399, claims=CLAIMS).to_dict()
    report["conditions"] = judge([parse_condition("full_call_exact_match.p < 0.2")], report)
    return report


@pytest.fixture(scope="module")
def forms():
    report = compared(4)
    subject = Subject("comparison", report)
    shown = {form: render(subject, form).decode() for form in ("md", "html", "junit")}
    return {"terminal": to_plain_text(view_comparison(report)), **shown}


def words(text):
    """A form without its markup."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", text).replace("\\", ""))


@pytest.mark.parametrize("form", ["terminal", "md", "html", "junit"])
def test_every_form_says_how_few_examples_differ_and_names_the_test_of_each_p(forms, form):
    text = words(forms[form]).lower()
    assert "only 4 of 60 examples differ between the arms" in text
    assert re.search(r"0\.046 \(?tango\b(?!,)", text)
    assert re.search(r"0\.046 \(?tango, holm\b", text)


@pytest.mark.parametrize("form", ["terminal", "md", "junit"])
def test_the_p_of_a_condition_is_the_exact_one_and_says_so(forms, form):
    assert "0.125 (exact McNemar)" in words(forms[form])


def test_the_p_beside_a_difference_on_the_page_is_mid_p_and_says_so(forms):
    assert "0.062 mid-p McNemar" in words(forms["html"])
    first_screen = forms["html"].partition('<section id="differences"')[0]
    assert "examples differ between the arms" in first_screen


def test_only_a_condition_about_p_names_a_test():
    texts = ("full_call_exact_match.p < 1", "argument_f1.p < 1", "full_call_exact_match.delta < 0")
    judged = judge([parse_condition(text) for text in texts], compared(4))
    assert [one.get("test") for one in judged] == ["exact McNemar", "sign-flip", None]


@pytest.mark.parametrize(
    ("gained", "lost", "sentence"),
    [
        (0, 0, "0 of 60 examples differ between the arms: fewer than ten, the minimum evidence"),
        (1, 0, "only 1 of 60 examples differs between the arms: fewer than ten, the minimum evidence"),
        (5, 4, "only 9 of 60 examples differ between the arms: fewer than ten, the minimum evidence"),
        (5, 5, None),
    ],
)
def test_the_sentence_ends_at_ten_discordant_roots(gained, lost, sentence):
    assert tell_few(compared(gained, lost)) == sentence


def test_where_rows_share_roots_it_counts_roots():
    scope = {"examples": 120, "roots": 60, "metrics": {"full_call_exact_match": {"discordant_roots": 4}}}
    assert "only 4 of 60 roots differ" in str(tell_few({"overall": scope}))
