"""Every template case gives what transformers itself renders (the BOS rule and the clock aside)."""

from pathlib import Path

import pytest

from faircall.formatting.chat_template import ChatTemplate, wrap_tool
from faircall.store.files import read_json_lines

CASES = [
    line.value for line in read_json_lines(Path(__file__).parents[1] / "cases/formatting/templates.jsonl")
]
SAME = [case for case in CASES if "clock" not in case["id"] and "date" not in case["id"]]
CALL = {"type": "function", "function": {"name": "wx", "arguments": {"city": "Graz"}}}
TALK = [
    {"role": "user", "content": "Rain in Graz?"},
    {"role": "assistant", "content": "", "tool_calls": [CALL]},
    {"role": "tool", "content": "none"},
    {"role": "user", "content": "And <b>Oslo</b>?"},
]


@pytest.mark.hf
@pytest.mark.parametrize("case", SAME, ids=[case["id"] for case in SAME])
@pytest.mark.parametrize("messages", [TALK[:1], TALK], ids=["one", "talk"])
def test_rendering_agrees_with_transformers(case, messages):
    from transformers.utils.chat_template_utils import render_jinja_template

    tools = [{"name": "wx", "description": "météo <b>"}]
    tokens, options = case.get("special_tokens", {}), case.get("options", {})
    theirs, _ = render_jinja_template(
        [messages], tools=[wrap_tool(tool) for tool in tools], chat_template=case["template"],
        add_generation_prompt=True, **tokens, **options,
    )  # fmt: skip
    ours = ChatTemplate(case["template"]).render(
        messages, tools=tools, special_tokens=tokens, options=options
    )
    assert ours == theirs[0]
