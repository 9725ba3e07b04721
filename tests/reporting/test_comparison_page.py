"""The page of a comparison: its numbers, what it never holds, and its one file."""

import json
import re

import pytest

import faircall
from faircall.reporting.example_rows import script_json
from faircall.reporting.figures import FORMS, find
from faircall.reporting.to_html import comparison_page, evaluation_page, redact_names
from reporting.page_reader import Page
from reporting.pages import HOSTILE, arm, bilingual, compared, hostile


@pytest.fixture(scope="module")
def page():
    return comparison_page(*bilingual())


@pytest.mark.parametrize("redacted", [False, True])
def test_every_number_on_the_page_is_the_one_at_its_place_in_the_json(redacted):
    report, rows = bilingual()
    page = Page(comparison_page(report, rows, redacted=redacted))
    known = redact_names(report) if redacted else report
    assert len(page.figures) > 300
    for place, form, text in page.figures:
        assert text == FORMS[form](find(known, place)), place


def test_no_digit_stands_outside_a_number_that_names_its_place(page):
    """Names of metrics, causes, arms and fields, of which `argument_f1` has one, are no numbers."""
    names = re.compile(r"argument_f1|sha256|A/A|^Treatment: .*$")
    outside = [
        text for tag, text in Page(page).plain if tag != "title" and re.search(r"\d", names.sub("", text))
    ]
    assert outside == []


def test_every_metric_slice_gap_claim_and_cause_of_the_json_is_on_the_page(page):
    report, _ = bilingual()
    places = {place for place, _, _ in Page(page).figures}
    scopes = ["/overall", *(f"/slices/{name}" for name in report["slices"])]
    for scope in scopes:
        for metric in report["overall"]["metrics"]:
            for part in ("delta", "baseline", "candidate", "bootstrap"):
                assert f"{scope}/metrics/{metric}/{part}" in places
    for side in ("baseline", "candidate"):
        for cause in report["diagnosis"][side]["causes"]:
            assert f"/diagnosis/{side}/causes/{cause}" in places
    assert {f"/claims/{n}/interval" for n in range(3)} <= places
    assert "/paired_language_gaps/fr/difference_of_gaps/metrics/full_call_exact_match/delta" in places
    assert {f"/shared/{path}" for path in report["shared"]} <= places


def test_the_deciding_interval_is_the_guarded_one_where_the_json_has_one():
    first = arm("base", skill=0.9)
    report, rows = compared(first, arm("adapter", skill=0.9, like="base", hostile=("no call",)))
    guarded = [name for name, delta in report["overall"]["metrics"].items() if "guarded" in delta]
    assert guarded
    places = [place for place, form, _ in Page(comparison_page(report, rows)).figures if form == "interval"]
    for name in guarded:
        assert f"/overall/metrics/{name}/guarded" in places
        assert f"/overall/metrics/{name}/interval" not in places


def test_language_gaps_stand_on_the_page_only_where_there_are_pairs(page):
    report, rows = compared(
        arm("base", skill=0.2, languages=("en",)), arm("adapter", skill=0.5, languages=("en",))
    )
    assert 'id="gaps"' in page
    assert 'id="gaps"' not in comparison_page(report, rows)


def test_a_page_without_rows_says_so_and_holds_none():
    report, _ = bilingual()
    text = comparison_page(report)
    assert "made without the rows" in text
    assert 'id="rows"' not in text


def test_the_page_is_one_file_that_asks_for_nothing():
    text = comparison_page(*hostile())
    page = Page(text)
    for tag, attributes in page.tags:
        assert tag not in ("link", "iframe", "object", "embed", "img", "base")
        assert not {"src", "srcset", "style", "formaction"} & attributes.keys(), (tag, attributes)
        assert not any(name.startswith("on") for name in attributes)
        if "href" in attributes:
            assert attributes["href"].startswith("#")
    policy = next(a["content"] for _, a in page.tags if a.get("http-equiv") == "Content-Security-Policy")
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy
    assert len(re.findall("<script", text)) == 2


def test_texts_of_a_model_cannot_leave_the_data_of_the_page():
    report, rows = hostile()
    page = Page(comparison_page(report, rows))
    data = next(text for attributes, text in page.scripts if attributes.get("id") == "rows")
    assert not re.search("[<>&\u2028\u2029\ud800-\udfff]", data)
    unpacked = json.loads(data)["rows"]
    assert [row[5][0][0] for row in unpacked[: len(HOSTILE)]] == list(HOSTILE)
    comparison_page(report, rows).encode("utf-8")


def test_lone_surrogates_in_names_are_spelt_out():
    name = "x\ud800"
    gold = [{"name": name, "arguments": {name: name}}]
    before, after = (
        faircall.score(gold, [text], slices=[name], tools=[{"name": name}], name=f"{arm}\udc00")
        for arm, text in (
            ("a", faircall.canonical_json({"name": f"{name}y", "arguments": {}})),
            ("b", faircall.canonical_json(gold[0])),
        )
    )
    report = faircall.compare(before, after, resamples=39).to_dict()
    for page in (comparison_page(report), evaluation_page(before.summary())):
        assert b"x\\ud800" in page.encode("utf-8")


def test_names_from_data_are_escaped_and_their_direction_is_spelt_out():
    name = '<b>"x\u202e'
    first, second = arm(name, skill=0.3, count=20), arm("after</script>", skill=0.5, count=20)
    text = comparison_page(*compared(first, second))
    assert "<b>" not in text
    assert "\u202e" not in text
    assert "&lt;b&gt;&#34;x\\u202e" in text
    assert "after</script>" not in text


def words_of(rows):
    """Everything that redaction keeps out: requests, outputs and argument values."""
    found = set()
    for row in rows:
        found |= {row.asked, *(value.strip('"') for value in row.pairs.values())}
        for answer in row.answers:
            found |= {answer.text, *(value.strip('"') for value in (answer.pairs or {}).values())}
    return {word for word in found if len(word) > 2}


def test_a_redacted_page_holds_no_request_output_or_argument_value():
    report, rows = bilingual()
    words = words_of(rows)
    assert {"nowhere", "unasked value", "Oslo"} <= words
    full, redacted = comparison_page(report, rows), comparison_page(report, rows, redacted=True)
    assert sum(script_json(word)[1:-1] in full for word in words) == len(words)
    spelt = redacted.encode("utf-8").decode("unicode_escape", "replace") + redacted
    assert [word for word in words if word in spelt] == []
    for name in ("surprise", "secret", "invented_tool"):
        assert name in full
        assert name not in redacted


def test_redaction_keeps_every_count():
    report, rows = bilingual()
    full, redacted = (Page(comparison_page(report, rows, redacted=choice)) for choice in (False, True))
    kept = [figure for figure in full.figures if "/confusion/" not in figure[0]]
    assert kept == [figure for figure in redacted.figures if "/confusion/" not in figure[0]]
    totals = [
        sum(int(t) for place, _, t in page.figures if "/confusion/" in place) for page in (full, redacted)
    ]
    assert totals[0] == totals[1] == 2 * report["overall"]["examples"]
