"""The check for authors of protocols: the built-in ones pass, and broken promises are found."""

from dataclasses import replace

import pytest

from faircall.scoring.protocols import METRIC_PROTOCOL, PROTOCOLS, get
from faircall.testing import check_protocol

CALL = {"name": "f", "arguments": {"x": 1}}
ROWS = {
    METRIC_PROTOCOL: [{"gold": CALL}, {"gold": {"name": "g", "arguments": {}}}],
    "multi_call.v1": [{"gold": []}, {"gold": CALL}, {"gold": [CALL, CALL]}, {"should_call_tool": False}],
    "multi_call_ordered.v1": [{"gold": []}, {"gold": [CALL, {"name": "g", "arguments": {}}]}],
    "accepted_values.v1": [
        {"accepted": {"name": "f", "arguments": {"x": [1, 2], "y": {"rule": "ignore", "optional": True}}}},
        {"accepted": {"name": "g", "arguments": {}}},
        {"should_call_tool": False},
    ],
}


@pytest.mark.parametrize("name", PROTOCOLS.names())
def test_every_built_in_protocol_passes(name):
    check_protocol(get(name), ROWS[name])


GOOD = get("multi_call.v1")


@pytest.mark.parametrize(
    ("broken", "promise"),
    [
        (replace(GOOD, name="a+b"), "without"),
        (replace(GOOD, summary=""), "one line of"),
        (replace(GOOD, load_truth=lambda value: None), "gives it back"),
        (replace(GOOD, match=lambda e, p: GOOD.match(e, p)._replace(full=2)), "0 or 1"),
        (replace(GOOD, match=lambda e, p: GOOD.match(e, p)._replace(full=1)), "right in all"),
        (replace(GOOD, match=lambda e, p: GOOD.match(e, p)._replace(matched=9)), "pairs of both"),
        (replace(GOOD, match=lambda e, p: GOOD.match(e, p)._replace(matched=0, gold_pairs=0)), "has a pair"),
        (replace(GOOD, cause=lambda e, p: ""), "has a cause"),
    ],
)
def test_a_broken_promise_is_found(broken, promise):
    with pytest.raises(AssertionError, match=promise):
        check_protocol(broken, ROWS["multi_call.v1"])
