"""The comparison page in Chromium: what a reader does with it, and what a hostile model cannot do to it."""

import re
from itertools import pairwise

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from faircall.reporting.example_rows import readable
from faircall.reporting.to_html import comparison_page
from reporting.pages import HOSTILE, LONE, RLO, arm, bilingual, compared, hostile

pytestmark = pytest.mark.browser

HEADLINE = "full_call_exact_match"


def write(folder, name, text):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The pages as files: the bilingual pair, the hostile one, and the redacted."""
    folder = tmp_path_factory.mktemp("pages")
    report, rows = bilingual()
    return {
        "bilingual": write(folder, "bilingual.html", comparison_page(report, rows)),
        "hostile": write(folder, "hostile.html", comparison_page(*hostile())),
        "redacted": write(folder, "redacted.html", comparison_page(report, rows, redacted=True)),
    }


def shown(page):
    """How many examples the filters let through."""
    return int(page.locator("#shown").inner_text().split(" of ")[0].replace(",", ""))


def table_of(report):
    return report["overall"]["metrics"][HEADLINE]["table"]


def test_the_first_screen_of_a_laptop_answers_without_scrolling(open_page, files):
    page = open_page(files["bilingual"])
    wanted = [
        "h1",
        ".counts",
        ".headline-number",
        ".split-box",
        ".limits",
        ".treatment",
        ".forests tbody.lead",
    ]
    for selector in wanted:
        box = page.locator(selector).bounding_box()
        assert 0 <= box["y"] <= 768 - box["height"], selector
    assert page.locator("h1").inner_text() == "adapter is better than base."
    assert "95% confidence interval" in page.locator(".counts").inner_text()


def test_the_result_filter_finds_the_flips_that_the_pair_table_counts(open_page, files):
    page, table = open_page(files["bilingual"]), table_of(bilingual()[0])
    cells = {"gained": "candidate_only", "lost": "baseline_only", "right": "both", "wrong": "neither"}
    for value, cell in cells.items():
        page.select_option("#f-flip", value)
        assert shown(page) == table[cell], value
    page.select_option("#f-flip", "lost")
    page.select_option("#f-metric", label="valid_json_rate")
    assert shown(page) == bilingual()[0]["overall"]["metrics"]["valid_json_rate"]["table"]["baseline_only"]


def test_slice_and_cause_filters_count_as_the_json_does(open_page, files):
    page, (report, rows) = open_page(files["bilingual"]), bilingual()
    page.select_option("#f-slice", label="fr")
    assert shown(page) == report["slices"]["fr"]["examples"]
    page.select_option("#f-cause", label="wrong_value")
    expected = [r for r in rows if "fr" in r.slices and any(a.cause == "wrong_value" for a in r.answers)]
    assert shown(page) == len(expected) > 0
    page.get_by_role("button", name="Reset").click()
    expect(page.locator("#shown")).to_have_text("120 of 120 examples")  # a reset filters in the next task
    assert page.locator("#f-metric").evaluate("s => s.options[s.value].text") == HEADLINE


def test_the_search_looks_into_ids_requests_and_outputs(open_page, files):
    page = open_page(files["bilingual"])
    for query, least in (("fr-00007", 1), ("secret request 7 ", 2), ("NOWHERE", 1), ("zürich", 2)):
        page.fill("#q", query)
        expect(page.locator("#shown")).not_to_have_text("120 of 120 examples")
        assert shown(page) >= least, query
        page.fill("#q", "")
        expect(page.locator("#shown")).to_have_text("120 of 120 examples")
    page.fill("#q", "no such text anywhere")
    page.wait_for_selector(".none")
    assert page.locator("#detail").inner_text() == "Nothing is chosen."


def test_an_example_shows_gold_and_outputs_side_by_side_with_differences_and_the_span(open_page, files):
    page, (_, rows) = open_page(files["bilingual"]), bilingual()
    row = next(r for r in rows if r.answers[1].cause == "wrong_value" and r.answers[0].name is None)
    page.fill("#q", row.example_id)
    expect(page.locator("#shown")).to_have_text("1 of 120 examples")
    detail = page.locator("#detail")
    cells = detail.locator("tr", has=page.locator("th", has_text=re.compile("^city$"))).locator("td")
    assert cells.all_inner_texts() == [readable(row.pairs["city"]), "no call", '≠ "nowhere"']
    assert detail.locator("td.differs").count() == 5
    marked = row.answers[1].text[slice(*row.answers[1].span)]
    assert detail.locator("mark").all_inner_texts() == [marked]
    boxes = "all => all.map(box => box.getBoundingClientRect()).map(box => [box.top, box.left, box.right])"
    first, second = detail.locator(".texts > div").evaluate_all(boxes)
    assert first[0] == second[0]
    assert first[2] <= second[1]


def test_the_span_is_marked_behind_characters_of_two_units(open_page, files):
    page, (_, rows) = open_page(files["bilingual"]), bilingual()
    row = next(r for r in rows if r.answers[1].text.startswith("Sure"))
    page.fill("#q", row.example_id)
    expect(page.locator("#shown")).to_have_text("1 of 120 examples")
    marks = page.locator("#detail mark").all_inner_texts()
    assert row.answers[1].text[slice(*row.answers[1].span)] in marks


def test_everything_can_be_done_with_the_keyboard_alone(open_page, files):
    page = open_page(files["bilingual"])
    focus = "document.activeElement.id || document.activeElement.className || document.activeElement.tagName"
    page.keyboard.press("Tab")
    assert page.evaluate(focus) == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate(focus) == "main"
    for _ in range(80):
        page.keyboard.press("Tab")
        if page.evaluate(focus) == "q":
            break
    page.keyboard.type("en-0000")
    expect(page.locator("#shown")).to_have_text("10 of 120 examples")
    for name in ("f-slice", "f-cause", "f-flip", "f-metric", "quiet", "list"):
        page.keyboard.press("Tab")
        assert page.evaluate(focus) == name
    title = page.locator("#detail h3")
    seen = [title.inner_text()]
    for key in ("ArrowDown", "ArrowDown", "End", "ArrowDown", "ArrowUp", "Home"):
        page.keyboard.press(key)
        seen.append(title.inner_text())
    ids = [f"en-0000{n}" for n in (0, 1, 2, 9, 9, 8, 0)]
    assert seen == ids
    active = page.locator("#list").get_attribute("aria-activedescendant")
    assert page.locator(f"#{active}").get_attribute("aria-selected") == "true"
    page.keyboard.press("Enter")
    assert page.evaluate(focus) == "detail"
    page.keyboard.press("Escape")
    assert page.evaluate(focus) == "list"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_follow_the_system_until_the_button_is_pressed(open_page, files, scheme):
    page = open_page(files["bilingual"], color_scheme=scheme)
    ground = "getComputedStyle(document.body).backgroundColor"
    other = {"light": "dark", "dark": "light"}[scheme]
    before = page.evaluate(ground)
    assert (sum(map(int, re.findall(r"\d+", before))) > 380) == (scheme == "light")
    page.click("#theme")
    assert page.evaluate("document.documentElement.dataset.theme") == other
    after = page.evaluate(ground)
    assert after != before
    page.reload()
    assert page.evaluate(ground) == after


def test_a_hostile_model_neither_runs_nor_disguises_anything(open_page, files):
    page = open_page(files["hostile"])
    for number, text in enumerate(HOSTILE):
        page.fill("#q", f"en-0000{number}")
        expect(page.locator("#detail h3")).to_have_text(f"en-0000{number}")
        shown_text = page.locator("#detail .texts pre").first.inner_text()
        for hidden in (RLO, "\u2028", LONE, "\x00"):
            assert hidden not in shown_text
            assert (hidden in text) == (f"\\u{ord(hidden):04x}" in shown_text)
        assert shown_text.startswith(text[:15].split(RLO)[0].strip())
    assert page.locator("#detail a, #detail img, #detail script").count() == 0
    assert page.locator("a[href^=javascript]").count() == 0


def test_a_line_of_a_megabyte_is_cut_until_it_is_asked_for(open_page, tmp_path):
    line = "<script>x</script>" + "a" * 1_000_000
    first = arm("base", skill=0.2, count=3, hostile=(line,))
    report, rows = compared(first, arm("adapter", skill=0.9, count=3))
    page = open_page(write(tmp_path, "long.html", comparison_page(report, rows)))
    text = page.locator("#detail .texts pre").first
    assert len(text.inner_text()) == 2001
    page.get_by_role("button", name="Show all 1,000,018 characters").click()
    assert text.evaluate("pre => pre.textContent.length") == len(line)
    assert page.evaluate("document.documentElement.scrollWidth") <= 1366


def test_ten_thousand_examples_stay_smooth(open_page, tmp_path):
    report, rows = bilingual()
    many = [row.__class__(**{**fields(row), "example_id": f"row-{n:05}"}) for n, row in enumerate(rows * 84)][
        :10_000
    ]
    page = open_page(write(tmp_path, "many.html", comparison_page(report, many)))
    assert page.locator("#shown").inner_text() == "10,000 of 10,000 examples"
    times = page.evaluate(
        """async () => {
          const list = document.querySelector("#list"), frame = () => new Promise(requestAnimationFrame);
          const times = [], counts = [];
          for (let step = 0; step <= 60; step++) {
            const start = performance.now();
            list.scrollTop = step * list.scrollHeight / 60;
            await frame(); await frame();
            times.push(performance.now() - start);
            counts.push(document.querySelectorAll(".row").length);
          }
          return [times.sort((a, b) => a - b)[30], Math.max(...counts)];
        }"""
    )
    assert times[0] < 250, "half of the steps through the list take longer than a quarter of a second"
    assert 10 < times[1] < 80
    page.fill("#q", "row-09999")
    expect(page.locator("#shown")).to_have_text("1 of 10,000 examples")


def fields(row):
    return {name: getattr(row, name) for name in row.__slots__}


def test_a_redacted_page_lists_examples_without_their_texts(open_page, files):
    page = open_page(files["redacted"])
    page.select_option("#f-flip", "gained")
    assert shown(page) == table_of(bilingual()[0])["candidate_only"]
    detail = page.locator("#detail").inner_text()
    assert "characters, redacted" in detail
    assert "secret" not in page.content()
    page.fill("#q", "nowhere")
    page.wait_for_selector(".none")


@pytest.mark.parametrize("width", [390, 768, 1366])
def test_no_width_makes_the_page_scroll_sideways(open_page, files, width):
    for name in ("bilingual", "hostile"):
        page = open_page(files[name], viewport={"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize(("scheme", "width"), [("light", 1366), ("dark", 390)])
def test_axe_finds_nothing_serious(open_page, files, scheme, width):
    page = open_page(files["bilingual"], color_scheme=scheme, viewport={"width": width, "height": 900})
    found = Axe().run(page).response["violations"]
    told = [
        f"{v['id']} ({v['impact']}): {v['nodes'][0]['html'][:160]} {v['nodes'][0]['failureSummary'][:300]}"
        for v in found
        if v["impact"] in ("serious", "critical", "moderate")
    ]
    assert told == []


def test_headings_go_down_one_level_at_a_time(open_page, files):
    page = open_page(files["bilingual"])
    levels = page.locator("h1, h2, h3, h4").evaluate_all("all => all.map(h => Number(h.tagName[1]))")
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_printing_shows_the_tables_in_dark_ink_and_leaves_out_the_controls(open_page, files):
    page = open_page(files["bilingual"], color_scheme="dark")
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
    assert page.locator("#examples").is_hidden()
    assert page.locator("#metrics table").first.is_visible()
