"""What the evaluation of one arm and a list of flips show."""

from faircall.records import METRIC_NAMES
from faircall.reporting.blocks import Line, Table
from faircall.reporting.evaluation_view import WORST_SHOWN, view_evaluation
from faircall.reporting.flips_view import view_flips
from faircall.reporting.to_terminal import to_plain_text

METRIC = {
    "value": 0.7142857142857143,
    "numerator": 10,
    "denominator": 14,
    "interval": {"method": "wilson", "level": 0.95, "lower": 0.4535, "upper": 0.8828},
}
DIAGNOSIS = {
    "causes": {"wrong_tool": 3, "no_json:no_bracket": 1},
    "confusion": [
        {"gold": "a", "predicted": {"a": 9, "b": 2}, "no_call": 1, "unknown_tool": 0},
        {"gold": "c", "predicted": {}, "no_call": 0, "unknown_tool": 5},
    ],
    "worst_arguments": [
        {"tool": "a", "argument": f"x{n}", "examples": 9, "missing": 1, "wrong": 2} for n in range(20)
    ],
    "trailing_json": 2,
    "truncated": 0,
    "backend_failed": 0,
}
REPORT = {
    "name": "adapter",
    "examples": 14,
    "metrics": dict.fromkeys(METRIC_NAMES, METRIC),
    "slices": {"fr": {"examples": 7, "metrics": dict.fromkeys(METRIC_NAMES, METRIC)}},
    "diagnosis": DIAGNOSIS,
}


def tables(report):
    return {block.title: block for block in view_evaluation(report) if isinstance(block, Table)}


def test_every_metric_is_shown_with_its_counts_and_one_interval():
    rows = tables(REPORT)["Metrics"].rows
    assert [row[0] for row in rows] == list(METRIC_NAMES)
    assert rows[0][1:] == ("10/14", "71.4%", "[45.4%, 88.3%]")


def test_causes_have_their_share_of_the_misses():
    assert tables(REPORT)["Causes of the misses"].rows == (
        ("wrong_tool", "3", "75.0%"),
        ("no_json:no_bracket", "1", "25.0%"),
    )


def test_confusions_leave_out_what_was_right():
    assert tables(REPORT)["Confused tools"].rows == (
        ("c", "(a tool that was not offered)", "5"),
        ("a", "b", "2"),
    )


def test_long_lists_are_cut():
    assert len(tables(REPORT)["Worst arguments (right tool called)"].rows) == WORST_SHOWN


def test_slices_show_every_metric():
    assert tables(REPORT)["Slices"].rows == (("fr", "7", *["71.4%"] * 5),)


def test_only_counts_that_are_not_nought_are_told():
    told = [block.text for block in view_evaluation(REPORT) if isinstance(block, Line)]
    assert told == ["adapter: 14 examples", "2 answers with another bracket behind the call"]


def test_a_perfect_arm_shows_no_empty_table():
    empty = {**DIAGNOSIS, "causes": {}, "confusion": [], "worst_arguments": [], "trailing_json": 0}
    assert set(tables({**REPORT, "slices": {}, "diagnosis": empty})) == {"Metrics"}


def test_flips_show_gold_and_both_answers():
    flip = {
        "id": "e1",
        "direction": "lost",
        "cause": "wrong_tool",
        "gold": {"name": "f", "arguments": {}},
        "baseline": '{"name": "f", "arguments": {}}',
        "candidate": "x\n" * 300,
    }
    text = to_plain_text(
        view_flips({"metric": "full_call_exact_match", "gained": 1, "lost": 1, "flips": [flip]})
    )
    assert text.splitlines()[0] == "full_call_exact_match: 1 gained, 1 lost"
    assert "lost e1 (wrong_tool)" in text
    assert '  gold       {"arguments":{},"name":"f"}' in text
    assert "(600 characters)" in text
    assert text.splitlines()[-1] == "1 more not shown (--limit, --only)"
    assert text.count("\n") < 15


def test_what_an_arm_cost_is_shown_where_it_was_measured():
    cost = {"scenario": "single stream", "seconds_per_example": 2.0, "p90_ns": 3 * 10**9, "new_tokens": 7}
    table = tables({**REPORT, "inference_efficiency": cost})["Cost"]
    assert table.rows == (
        ("time per example", "2 s"),
        ("slowest tenth begins at", "3 s"),
        ("new tokens", "7"),
    )
    assert table.note == "single stream"
    resumed = {**cost, "cross_comparable_reason": "the run was resumed"}
    told = tables({**REPORT, "inference_efficiency": resumed})["Cost"].note
    assert told == "single stream; not to be compared: the run was resumed"
    assert "Cost" not in tables(REPORT)
