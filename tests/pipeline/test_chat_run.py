"""A whole run against a chat server: rows to report, without a tokenizer and without a template."""

import contextlib
import json

import pytest

from faircall.config import load_config
from faircall.errors import ConfigError
from faircall.pipeline.arms import read_arm
from faircall.pipeline.run import run_stages
from faircall.store.verification import verify
from generating.fault_server import FaultServer, chat

TOOLS = [
    {"name": "wx", "description": "weather", "parameters": {"type": "object", "properties": {"city": {}}}}
]
CONFIG = """\
schema_version: faircall.config.v1
project: {name: chat, artifact_root: artifacts}
model: {base_model_id: m}
arms: {one: {}, two: {served_as: m2, adapter: owner/lora}}
datasets: [{language: en, path: rows.jsonl}]
data: {n_test: 3}
formatting: {template_policy: server_chat_template SYSTEM}
eval: {backend: openai, max_new_tokens: 32 READER}
server: {base_url: BASE_URL}
"""


def row(city):
    answers = [{"name": "wx", "arguments": {"city": city}}]
    return {
        "query": f"How is the weather in {city}?",
        "tools": json.dumps(TOOLS),
        "answers": json.dumps(answers),
    }


def call_of(body):
    city = body["messages"][-1]["content"].removesuffix("?").rpartition(" ")[2]
    return json.dumps({"name": "wx", "arguments": {"city": city if body["model"] == "m2" else city.upper()}})


@pytest.fixture
def server():
    made = FaultServer(lambda body: chat(call_of(body), model=body["model"]), models=("m", "m2"))
    yield made
    made.close()


def build(folder, server, *, system="", reader=""):
    text = CONFIG.replace("BASE_URL", server.base_url).replace(" SYSTEM", system).replace(" READER", reader)
    (folder / "config.yaml").write_text(text)
    rows = "".join(json.dumps(row(city)) + "\n" for city in ("Graz", "Oslo", "Rome"))
    (folder / "rows.jsonl").write_text(rows)
    return load_config(folder / "config.yaml")


@contextlib.contextmanager
def quiet(name):
    yield lambda answered: None


def test_two_served_arms_are_compared(tmp_path, server):
    finished = run_stages(build(tmp_path, server), listener_for=quiet)
    delta = finished.report["overall"]["metrics"]["full_call_exact_match"]
    assert (delta["baseline"]["numerator"], delta["candidate"]["numerator"]) == (0, 3)
    assert finished.report["treatment"]["sections"] == ["adapter"]
    assert "prompt.template_sha256" in finished.report["not_attested"]
    assert verify(finished.run).mismatches == ()
    _, body = server.asked[0]
    assert body["tools"] == [{"type": "function", "function": TOOLS[0]}]
    stored = [json.loads(line) for line in finished.run.formatted_file("test").read_text().splitlines()]
    sent = {(json.dumps(b["messages"]), json.dumps(b["tools"], sort_keys=True)) for _, b in server.asked}
    assert len(sent) == 3
    assert {json.dumps(json.loads(p["prompt_text"])["tools"], sort_keys=True) for p in stored} == {
        tools for _, tools in sent
    }


def test_tools_in_the_system_prompt_are_not_sent_twice(tmp_path, server):
    run_stages(build(tmp_path, server, system=", system_prompt: 'Use {tools}'"), listener_for=quiet)
    _, body = server.asked[0]
    assert "tools" not in body
    assert body["messages"][0]["role"] == "system"
    assert '"name":"wx"' in body["messages"][0]["content"]


def test_calls_that_the_server_parsed_are_read_by_the_native_reader(tmp_path, server):
    def parsed(body):
        call = json.loads(call_of(body))
        function = {"name": call["name"], "arguments": json.dumps(call["arguments"])}
        return chat(
            None, model=body["model"], tool_calls=[{"id": "c", "type": "function", "function": function}]
        )

    server.default = parsed
    finished = run_stages(
        build(tmp_path, server, reader=", reader: openai_chat.native.v1"), listener_for=quiet
    )
    delta = finished.report["overall"]["metrics"]["full_call_exact_match"]
    assert delta["candidate"]["numerator"] == 3
    assert read_arm(finished.run, "two").generations[0].message["tool_calls"][0]["id"] == "c"


def test_template_options_are_for_templates_that_are_rendered_here(tmp_path, server):
    with pytest.raises(ConfigError, match=r"chat_template_kwargs.*rendered here"):
        build(tmp_path, server, system=", chat_template_kwargs: {enable_thinking: false}")
