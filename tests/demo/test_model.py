"""The embedded model itself: converted from the package, loaded, and answering with an adapter."""

import pytest

from faircall.config import load_config
from faircall.demo.project import create_project, link_model
from faircall.generating.hugging_face.embedded_model import ensure_embedded_model
from faircall.parsing.tool_call import parse_tool_call
from faircall.pipeline.arm_request import open_backend, plan_arm
from faircall.pipeline.arms import load_prompts
from faircall.pipeline.run import ready_run

pytestmark = pytest.mark.model


def test_an_adapter_answers_with_a_call_of_an_offered_tool(tmp_path):
    folder = create_project(tmp_path / "demo")
    link_model(folder, ensure_embedded_model())
    config = load_config(folder / "quick.yaml")
    prompts = list(load_prompts(ready_run(config), config, limit=2))
    backend = open_backend(config, plan_arm(config, "en"))
    backend.check(prompts)
    assert backend.describe()["adapter"]["changes_nothing"] is False
    for prompt in prompts:
        generation = backend.generate(prompt)
        parsed = parse_tool_call(generation.raw_text)
        assert parsed.status == "ok", generation.raw_text
        assert generation.stop_token == "<|im_end|>"
        assert generation.prompt_tokens < 300
    backend.close()
