"""What a page is put together from: the heat map, the scale of the forest, the verdict, the embedded rows."""

import pytest

from faircall.reporting import verdict
from faircall.reporting.example_rows import Answer, ExampleRow, pack_rows
from faircall.reporting.figures import Figures
from faircall.reporting.forest import scale_for
from faircall.reporting.heat_map import SHOWN, draw_heat_map
from faircall.reporting.to_html import comparison_page
from reporting.pages import arm, bilingual, compared


def confused(gold, predicted, *, no_call=0, unknown=0):
    total = sum(predicted.values()) + no_call + unknown
    return {
        "gold": gold,
        "examples": total,
        "predicted": predicted,
        "no_call": no_call,
        "unknown_tool": unknown,
    }


def test_a_heat_map_has_a_cell_for_every_count_and_its_place():
    found = draw_heat_map([confused("f", {"f": 3, "g": 1}, no_call=4), confused("g", {"g": 2}, unknown=2)])
    assert found.columns == ("f", "g")
    assert [[cell.place for cell in row.cells] for row in found.rows] == [
        ["/no_call", "", "/predicted/f", "/predicted/g"],
        ["", "/unknown_tool", "", "/predicted/g"],
    ]
    assert [[cell.shade for cell in row.cells] for row in found.rows] == [[3, 0, 2, 1], [0, 3, 0, 3]]


def test_a_large_heat_map_keeps_the_rows_with_most_misses_and_counts_the_rest():
    rows = [confused(f"t{n:03}", {f"t{n:03}": 1, "other": n}) for n in range(100)]
    found = draw_heat_map(rows)
    assert len(found.rows) == SHOWN
    assert {row.gold for row in found.rows} == {f"t{n:03}" for n in range(76, 100)}
    assert (found.rows_left, found.columns_left) == (76, 1)


@pytest.mark.parametrize(
    ("lower", "upper"), [(0.0, 0.0), (-0.001, 0.002), (-1.0, 1.0), (0.31, 0.32), (-0.4, -0.1), (None, None)]
)
def test_a_scale_holds_zero_and_every_interval_with_few_ticks(lower, upper):
    scale = scale_for([{"lower": lower, "upper": upper}])
    assert scale.lower <= min(0, lower or 0) <= max(0, upper or 0) <= scale.upper
    assert 0.0 in scale.ticks
    assert 2 <= len(scale.ticks) <= 11


def delta_of(report):
    return report["overall"]["metrics"]["full_call_exact_match"]


def test_the_verdict_names_both_arms_and_turns_with_them():
    first, second = arm("base", skill=0.1), arm("adapter", skill=0.9)
    better, _ = compared(first, second)
    worse, _ = compared(second, first)
    assert "<bdi>adapter</bdi> is better than <bdi>base</bdi>." in verdict.title(better)
    assert "<bdi>base</bdi> is worse than <bdi>adapter</bdi>." in verdict.title(worse)


def test_zero_at_the_edge_of_the_interval_decides_nothing():
    bounds = {"method": "m", "level": 0.95}
    assert verdict.judge({"interval": {**bounds, "lower": 0.0, "upper": 0.1}}) == "open"
    assert verdict.judge({"interval": {**bounds, "lower": -0.1, "upper": 0.0}}) == "open"
    assert verdict.judge({"interval": {**bounds, "lower": None, "upper": None}}) == "open"
    held = {**bounds, "lower": 0.1, "upper": 0.2}
    assert verdict.judge({"interval": held, "guarded": {**bounds, "lower": -0.1, "upper": 0.3}}) == "open"


def test_equal_arms_are_called_equal_and_their_page_shows_no_discordant_pairs():
    first = arm("base", skill=0.4)
    report, rows = compared(first, first.renamed("again"))
    assert "equal in all that is recorded" in verdict.title(report)
    page = comparison_page(report, rows)
    assert "no discordant pairs" in page
    assert "Nothing was gained." in page


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ((5, 0, 0, 0), "All of the gain is format"),
        ((0, 5, 0, 0), "None of the gain is format"),
        ((2, 3, 1, 1), "by format (no valid call before)"),
        ((0, 0, 4, 0), "Nothing was gained."),
    ],
)
def test_format_and_content_are_told_apart_in_words(parts, words):
    names = ("gained_by_parsing", "gained_by_content", "lost_by_parsing", "lost_by_content")
    block = {"decomposition": dict(zip(names, parts, strict=True))}
    report = {"overall": {"metrics": {"full_call_exact_match": block}}}
    text = verdict.tell_split(Figures(report))
    assert words in text
    assert ("Nothing was lost" in text) == (parts[2] + parts[3] == 0)


def test_a_slice_that_goes_against_the_verdict_is_among_its_limits():
    report, _ = bilingual()
    turned = {**report, "slices": {"fr": report["slices"]["fr"]}}
    delta = delta_of({"overall": turned["slices"]["fr"]})
    delta = {**delta, "interval": {**delta["interval"], "lower": -0.4, "upper": -0.1}, "delta": -0.25}
    delta.pop("guarded", None)
    metrics = {**turned["slices"]["fr"]["metrics"], "full_call_exact_match": delta}
    turned["slices"] = {"fr": {**turned["slices"]["fr"], "metrics": metrics}}
    told = " ".join(verdict.tell_limits(turned, Figures(turned)))
    assert "In the slice <bdi>fr</bdi> the candidate is worse" in told
    assert "is worse" not in " ".join(verdict.tell_limits(report, Figures(report)))


def test_rows_are_packed_with_their_changes_only():
    gold = {"city": '"Graz"', "days": "2"}
    same = Answer("text", "ok", None, (0, 4), (1, 1, 1, 1), "wx", dict(gold))
    other = Answer("\U0001f600x", "ok", "wrong_value", (1, 2), (1, 1, 0, 0), "wx", {"days": "3", "new": "1"})
    row = pack_rows([ExampleRow("a", ("en",), None, "wx", gold, (same, other))])["rows"][0]
    assert row[5][0][5:8] == [15, "wx", []]
    assert row[5][1][4] == [2, 3]
    assert row[5][1][5:8] == [3, "wx", [["city", 0], ["days", "3"], ["new", "1"]]]
