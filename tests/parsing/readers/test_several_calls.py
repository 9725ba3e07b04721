"""What readers hand to protocols of several calls: the calls of a well-formed answer, or () for none."""

import pytest

from faircall.parsing.readers import ReadingInput, get
from faircall.parsing.readers.abstention import mark_abstentions
from faircall.records import Generation, Parsed, ToolCall

F, G = ToolCall("f", {"x": 1}), ToolCall("g", {})
TOOLS = [{"name": "f", "parameters": {"properties": {"x": {"type": "integer"}}}}, {"name": "g"}]
TWO = {
    "sommelier.parser.v1": '[{"name": "f", "arguments": {"x": 1}}, {"name": "g", "arguments": {}}]',
    "hermes.v1": '<tool_call>{"name": "f", "arguments": {"x": 1}}</tool_call>\n'
    '<tool_call>{"name": "g", "arguments": {}}</tool_call>',
    "mistral.v1": '[TOOL_CALLS][{"name": "f", "arguments": {"x": 1}}, {"name": "g", "arguments": {}}]',
    "mistral_args.v1": '[TOOL_CALLS]f[ARGS]{"x": 1}[TOOL_CALLS]g[ARGS]{}',
    "pythonic.v1": "[f(x=1), g()]",
    "harmony.v1": '<|channel|>commentary to=functions.f <|constrain|>json<|message|>{"x": 1}<|call|>'
    "<|start|>assistant<|channel|>commentary to=functions.g <|constrain|>json<|message|>{}<|call|>",
    "qwen3_xml.v1": "<tool_call><function=f><parameter=x>1</parameter></function></tool_call>"
    "<tool_call><function=g></function></tool_call>",
}


@pytest.mark.parametrize("name", TWO)
def test_two_well_formed_calls_are_kept_beside_the_failure(name):
    parsed = get(name).read(ReadingInput(TWO[name], tools=TOOLS)).parsed
    assert (parsed.call, parsed.reason, parsed.calls) == (None, "multiple_calls", (F, G))
    assert parsed.all_calls == (F, G)


@pytest.mark.parametrize("name", TWO)
def test_a_malformed_call_among_them_spoils_all(name):
    spoiled = TWO[name].replace("arguments", "args", 1).replace("x=1", "1").replace("]f[", "][")
    spoiled = spoiled.replace("parameter=x", "parameter=y").replace("<|message|>{}", "<|message|>{")
    parsed = get(name).read(ReadingInput(spoiled, tools=TOOLS)).parsed
    assert parsed.status != "ok"
    assert parsed.calls is None


def test_a_torn_second_block_spoils_the_first():
    text = TWO["hermes.v1"].removesuffix("</tool_call>")
    parsed = get("hermes.v1").read(ReadingInput(text)).parsed
    assert (parsed.reason, parsed.calls) == ("multiple_calls", None)


def test_several_structured_calls_are_kept():
    calls = [{"type": "function", "function": {"name": "f", "arguments": '{"x": 1}'}}] * 2
    parsed = get("openai_chat.native.v1").read(ReadingInput("", message={"tool_calls": calls})).parsed
    assert parsed.calls == (F, F)


@pytest.mark.parametrize(
    ("name", "text"), [("sommelier.parser.v1", "[]"), ("pythonic.v1", "[]"), ("mistral.v1", "[TOOL_CALLS][]")]
)
def test_an_empty_list_of_calls_is_a_well_formed_answer_without_one(name, text):
    parsed = get(name).read(ReadingInput(text)).parsed
    assert (parsed.reason, parsed.calls) == ("empty_array", ())


def test_one_call_needs_no_list():
    parsed = get("hermes.v1").read(ReadingInput(TWO["hermes.v1"].splitlines()[0])).parsed
    assert parsed.calls is None
    assert parsed.all_calls == (F,)


@pytest.mark.parametrize(
    ("generation", "reason", "calls"),
    [
        (Generation("a", "It is sunny."), "no_bracket", ()),
        (Generation("a", ""), "no_call", ()),
        (Generation("a", "It is sunny.", finish_reason="stop"), "no_marker", ()),
        (Generation("a", "It is su", finish_reason="length"), "no_bracket", None),
        (Generation("a", "", failure="timeout"), "no_bracket", None),
        (Generation("a", "<tool_call> f"), "no_bracket", None),
        (Generation("a", '{"name": "f", "arguments": {}}'), "no_marker", None),
        (Generation("a", TWO["sommelier.parser.v1"]), "no_marker", None),
        (Generation("a", 'Say {"name": "f"} or [1].'), "no_marker", ()),
        (Generation("a", "{"), "unbalanced", None),
        (Generation("a", "thinking"), "unclosed_reasoning", None),
        (Generation("a", "f()"), "server_missed_call", None),
    ],
)
def test_only_an_answer_that_begins_no_call_abstains(generation, reason, calls):
    (found,) = mark_abstentions([generation], [Parsed(None, "no_json", reason)])
    assert found.calls == calls
