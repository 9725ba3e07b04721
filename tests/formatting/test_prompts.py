"""Messages to text: what templates rely on, one BOS, no hidden tool, digests that say what they cover."""

from pathlib import Path

import pytest

from faircall.canonical import canonical_json
from faircall.digest import sha256_json, sha256_text
from faircall.errors import ConfigError, DataError, InvariantViolation
from faircall.formatting.chat_template import ChatTemplate, wrap_tool
from faircall.formatting.prompts import PromptStyle, format_example, render_prompt, training_fields
from faircall.records import Example, ToolCall
from faircall.store.files import read_json_lines

CASES = [
    line.value for line in read_json_lines(Path(__file__).parents[1] / "cases/formatting/templates.jsonl")
]
CHATML = CASES[0]["template"]
USER = ({"role": "user", "content": "Rain in Graz?"},)
WX = {"name": "wx", "description": "météo <b>"}


def style_of(template, **more):
    return PromptStyle(ChatTemplate(template), **more)


def example(messages=USER, tools=(WX,), **more):
    gold = ToolCall("wx", {"day": "mañana", "city": "Graz"})
    return Example("e1", gold, tools=tools, language="en", messages=messages, **more)


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_templates_render_as_their_authors_meant(case):
    style = style_of(
        case["template"],
        special_tokens=case.get("special_tokens", {}),
        adds_bos=case.get("adds_bos", False),
        options=case.get("options", {}),
    )
    assert render_prompt(USER, tools=(WX,), style=style) == case["text"]


def test_both_forms_of_a_tool_look_alike_to_a_template():
    style = style_of("{{ tools | tojson }}")
    assert render_prompt(USER, tools=(WX,), style=style) == render_prompt(
        USER, tools=(wrap_tool(WX),), style=style
    )


def test_a_prompt_carries_its_digests_and_target():
    style = style_of(CHATML, system_prompt="Pick one:\n{tools}")
    prompt = format_example(example(source_example_id="root"), style=style)
    assert prompt.prompt_text == (
        f"<|im_start|>system\nPick one:\n{canonical_json(WX)}<|im_end|>\n"
        "<|im_start|>user\nRain in Graz?<|im_end|>\n<|im_start|>assistant\n"
    )
    assert prompt.target_text == '{"arguments":{"city":"Graz","day":"ma\\u00f1ana"},"name":"wx"}'
    assert prompt.prompt_sha256 == sha256_text(prompt.prompt_text)
    assert prompt.messages_sha256 == sha256_json(list(USER))
    assert prompt.tools_sha256 == sha256_json([WX])
    assert (prompt.example_id, prompt.language, prompt.source_example_id) == ("e1", "en", "root")


def test_template_free_digests_ignore_the_template_and_the_system_prompt():
    one = format_example(example(), style=style_of(CHATML, system_prompt="A {tools}"))
    other = format_example(example(), style=style_of("{{ tools }} {{ messages }}"))
    assert one.prompt_sha256 != other.prompt_sha256
    assert (one.messages_sha256, one.tools_sha256) == (other.messages_sha256, other.tools_sha256)


def test_a_system_message_of_the_row_follows_the_configured_one():
    messages = ({"role": "system", "content": "Be brief."}, *USER)
    text = render_prompt(messages, tools=(WX,), style=style_of(CHATML, system_prompt="Rules {x} {tools}"))
    assert text.startswith(f"<|im_start|>system\nRules {{x}} {canonical_json(WX)}\n\nBe brief.<|im_end|>\n")
    assert text.count("<|im_start|>system") == 1


def test_text_parts_are_joined_and_empty_keys_are_left_out():
    parts = [{"type": "text", "text": "Rain "}, {"type": "text", "text": "in Graz?"}]
    assert (
        render_prompt(({"role": "user", "content": parts},), tools=(), style=style_of(CHATML))
        == CASES[0]["text"]
    )
    style = style_of("{% for m in messages %}{{ 'content' in m }}{% endfor %}")
    assert render_prompt(({"role": "assistant", "content": None},), tools=(), style=style) == "False"


HIDING = [
    ("template that ignores tools", CHATML, None, USER, "wx"),
    ("name within a longer word", "wxyz {{ messages[-1].content }}", None, USER, "wx"),
    ("name only in the request", CHATML, None, ({"role": "user", "content": "use wx now"},), "wx"),
    ("name only in the system prompt", CHATML, "You may call wx.", USER, "wx"),
]


@pytest.mark.parametrize(("template", "system", "messages", "name"), [case[1:] for case in HIDING])
def test_a_hidden_tool_is_an_error_with_a_way_out(template, system, messages, name):
    with pytest.raises(DataError, match=rf"example e1: the offered tool '{name}' does not appear") as caught:
        format_example(example(messages), style=style_of(template, system_prompt=system))
    assert "{tools}" in caught.value.hint


def test_each_offered_tool_must_show():
    template = "{{ tools[0] | tojson }}{{ messages[-1].content }}"
    with pytest.raises(DataError, match="'other'"):
        format_example(example(tools=(WX, {"name": "other"})), style=style_of(template))


@pytest.mark.parametrize("name", ["wx", "a.b-c", "get_weather", "météo", 'quo"te'])
def test_a_shown_tool_is_no_error_even_when_the_request_names_it(name):
    tools = ({"name": name},)
    messages = ({"role": "user", "content": f"please use {name} now"},)
    for style in (style_of(CHATML, system_prompt="{tools}"), style_of("{{ tools | tojson }}{{ messages }}")):
        assert format_example(example(messages, tools), style=style).tools == tools


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("{{ raise_exception('roles must alternate') }}", "roles must alternate"),
        ("{{ messages[5].content }}", "has no element 5"),
        ("{{ 1 // 0 }}", "division"),
        ("{{ strftime_now('%Y') }}", "strftime_now"),
        ("{{ ''.__class__.__mro__ }}", "unsafe"),
        ("{{ messages.append(1) }}", "append"),
        ("{{ cycler.__init__.__globals__ }}", "unsafe"),
    ],
)
def test_a_template_that_fails_names_the_example(template, message):
    with pytest.raises(DataError, match=rf"example e1: the chat template fails: .*{message}"):
        format_example(example(), style=style_of(template))


def test_the_missing_clock_has_a_hint():
    with pytest.raises(DataError) as caught:
        format_example(example(), style=style_of("{{ strftime_now('%Y') }}"))
    assert "strftime_now" in caught.value.hint
    with pytest.raises(ConfigError, match="must be a date"):
        format_example(example(), style=style_of("x", options={"strftime_now": "today"}))


def test_a_template_that_is_none_names_its_line():
    with pytest.raises(ConfigError, match="chat template, line 2"):
        ChatTemplate("a\n{% if %}")


def test_an_example_that_was_not_prepared_is_refused():
    with pytest.raises(InvariantViolation, match="not prepared"):
        format_example(Example("e1"), style=style_of(CHATML))


def test_training_columns_leave_the_bos_to_a_tokenizer_that_adds_it():
    tokens = {"bos_token": "<s>"}
    for adds, start in ((True, "wx"), (False, "<s>wx")):
        style = style_of("{{ bos_token }}wx", special_tokens=tokens, adds_bos=adds)
        prompt = format_example(example(), style=style)
        assert prompt.prompt_text == "<s>wx"
        assert training_fields(prompt, style=style) == {"prompt": start, "completion": prompt.target_text}
