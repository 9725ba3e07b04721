"""What is printed about a declared reader."""

from faircall.records import METRIC_NAMES
from faircall.reporting.blocks import Line, Table
from faircall.reporting.reading_view import reading_blocks

VALUE = {"value": 0.25, "numerator": 1, "denominator": 4}
BESIDE = {"reader": "sommelier.parser.v1", "metrics": dict.fromkeys(METRIC_NAMES, VALUE)}


def lines(reading):
    return [block.text for block in reading_blocks({"base": reading}) if isinstance(block, Line)]


def test_the_default_stands_beside_with_all_metrics():
    reading = {"reader": "hermes.v1", "ignored": 9, "calls_in_thought": 0, "beside": BESIDE}
    (table,) = [block for block in reading_blocks({"base": reading}) if isinstance(block, Table)]
    assert table.title == "The same answers under sommelier.parser.v1"
    assert [row[:2] for row in table.rows] == [(name, "1/4") for name in METRIC_NAMES]
    assert lines(reading) == ["base is read by hermes.v1"]


def test_native_rates_are_labelled_and_missed_calls_told():
    reading = {
        "reader": "x.native.v1",
        "label": "after the server's parser",
        "server_missed": 3,
        "beside": BESIDE,
    }
    shown = lines(reading)
    assert shown[0] == "base is read by x.native.v1, after the server's parser"
    assert shown[1].startswith("3 messages without a call")


def test_a_notice_stands_alone_under_the_default():
    reading = {"reader": "sommelier.parser.v1", "notice": "9 of 10 rows carry <think>"}
    assert lines(reading) == ["notice: 9 of 10 rows carry <think>"]


def silent(**changes):
    nothing = {"value": 0.0, "numerator": 0, "denominator": 4}
    beside = {"reader": "sommelier.parser.v1", "metrics": dict.fromkeys(METRIC_NAMES, nothing)}
    return {"reader": "x.native.v1", "label": "after the server's parser", "beside": beside, **changes}


def test_where_the_default_finds_nothing_one_line_says_so_of_all_arms():
    blocks = list(reading_blocks({"base": silent(), "tuned": silent(server_missed=3)}))
    assert [block.text for block in blocks if isinstance(block, Line)] == [
        "base and tuned are read by x.native.v1, after the server's parser; "
        "under sommelier.parser.v1 every metric is zero",
        "tuned: 3 messages without a call whose content still holds call markup",
    ]
    assert not [block for block in blocks if isinstance(block, Table)]


def test_an_arm_in_which_the_default_finds_something_keeps_its_table():
    blocks = list(reading_blocks({"base": silent(), "tuned": silent(beside=BESIDE)}))
    assert isinstance(blocks[0], Line)
    assert blocks[0].text.startswith("base is read by x.native.v1")
    assert [block.title for block in blocks if isinstance(block, Table)] == [
        "The same answers under sommelier.parser.v1"
    ]
