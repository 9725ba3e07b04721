"""The openai backend against a real server: llama.cpp with the demo's own GGUF, three of its requests."""

import contextlib
import json

import pytest

from faircall.config import load_config
from faircall.demo.project import PACKAGED
from faircall.errors import EvaluationError
from faircall.pipeline.arm_request import plan_arm
from faircall.pipeline.evaluate import evaluate_arm
from faircall.pipeline.run import run_stages
from servers.llama_cpp import serve

pytestmark = pytest.mark.server

COUNT = 3
CONFIG = """\
schema_version: faircall.config.v1
project: {name: served, artifact_root: artifacts}
model: {base_model_id: smollm2}
arms: {served: {base_url: BASE_URL}}
datasets: [{language: en, path: rows.jsonl}]
data: {n_test: 3}
formatting:
  template_policy: server_chat_template
  system_prompt: |-
    You call tools. Tools:
    {tools}

    Example
    User: Add 2 and 3 to list Home
    You: {"arguments":{"items":[2,3],"list":"Home"},"name":"add"}
    Answer every user in this JSON form only.
eval: {max_new_tokens: 32}
server: {concurrency: 2, extra_body: {cache_prompt: false}}
"""


@pytest.fixture(scope="module")
def base_url():
    with serve() as url:
        yield url


@contextlib.contextmanager
def quiet(name):
    yield lambda answered: None


def build(folder, base_url):
    (folder / "config.yaml").write_text(CONFIG.replace("BASE_URL", base_url))
    lines = (PACKAGED / "data" / "test.en.jsonl").read_text("utf-8").splitlines(keepends=True)
    (folder / "rows.jsonl").write_text("".join(lines[: 2 * COUNT]), "utf-8")
    return load_config(folder / "config.yaml")


def test_a_real_server_answers_and_says_who_it_is(tmp_path, base_url):
    config = build(tmp_path, base_url)
    finished = run_stages(config, listener_for=quiet)
    report = finished.arms["served"].report
    rows = [
        json.loads(line)
        for line in finished.run.generations_file("served", "en").read_text("utf-8").splitlines()
    ]
    assert len(rows) == COUNT
    assert all(row["failure"] is None and row["raw_text"] and row["prompt_tokens"] > 100 for row in rows)
    assert all(row["message"]["content"] == row["raw_text"] for row in rows)
    assert {row["finish_reason"] for row in rows} <= {"stop", "length"}
    backend = report["identity"]["backend"]
    assert backend["server"] == "llama.cpp"
    assert backend["sent"]["temperature"] == 0
    assert backend["sent"]["cache_prompt"] is False

    absent = plan_arm(
        config, "absent", adapter="owner/lora", served_as="absent", base_url=base_url, backend="openai"
    )
    with pytest.raises(EvaluationError, match="does not serve 'absent'; it lists smollm2"):
        evaluate_arm(finished.run, config, absent)
