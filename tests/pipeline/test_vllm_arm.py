"""Arms that vLLM answers, its engine replaced: from the config to a report, and what is refused."""

import os

import pytest

from faircall.canonical import canonical_json
from faircall.errors import Incomparable, UsageError
from faircall.generating.backend import AdapterSettings
from faircall.generating.sources import Source
from faircall.generating.vllm import vllm_offline
from faircall.generating.vllm.vllm_adapter import Lora
from faircall.pipeline.arm_request import plan_arm, plan_backend, plan_vllm
from faircall.pipeline.arms import read_arm
from faircall.pipeline.comparison import compare_stored
from faircall.pipeline.evaluate import evaluate_arm
from faircall.pipeline.shards import Shard, generate_shard
from generating import fake_vllm
from pipeline import run_builder

CONFIG = """\
schema_version: faircall.config.v1
project: {name: tiny, artifact_root: artifacts}
model: {base_model_id: model}
arms:
  base: {}
  tuned: {adapter: tuned}
  stored: {replay: base.jsonl}
datasets:
  - {language: en, path: rows.jsonl}
  - {language: fr, path: rows.fr.jsonl, paired: true}
data: {n_test: 6}
eval: {slices: [en, fr], max_new_tokens: 64, backend: vllm}
vllm: {chunk_size: 4}
"""


def answer(row):
    """The gold call: the city ends the prompt."""
    city = "".join(map(chr, row)).rpartition(" ")[2]
    text = canonical_json({"name": "wx", "arguments": {"city": city}})
    return [*map(ord, text), fake_vllm.END]


@pytest.fixture
def fake(monkeypatch, tmp_path):
    fake_vllm.keep_environment(monkeypatch)
    fake_vllm.install_torch(monkeypatch)
    monkeypatch.setattr(vllm_offline, "load_tokenizer", lambda settings, source: fake_vllm.Tokenizer())
    monkeypatch.setattr(vllm_offline, "read_end_ids", lambda settings, source, tokenizer: (1,))
    lora = Lora(Source(tmp_path / "work" / "tuned", "tuned", tree_sha256="0" * 64), rank=8, idle=False)
    monkeypatch.setattr(vllm_offline, "read_lora", lambda *_, **__: lora)
    made = fake_vllm.Fake(reply=answer, context=256)
    fake_vllm.install(monkeypatch, made)
    return made


def build(folder, config=CONFIG):
    built = run_builder.build(folder, config=config)
    (folder / "model").mkdir()
    (folder / "tuned").mkdir()
    (folder / "tuned" / "adapter_config.json").write_text('{"peft_type": "LORA", "r": 8}')
    return built


def test_an_arm_is_generated_scored_and_reported(fake, tmp_path):
    run, config = build(tmp_path / "work")
    report = evaluate_arm(run, config, plan_arm(config, "base")).report
    assert report["metrics"]["full_call_exact_match"]["value"] == 1.0
    assert report["identity"]["backend"]["engine"] == "vllm"
    assert report["identity"]["backend"]["started_with"]["max_lora_rank"] == 8
    assert report["inference_efficiency"]["contract"] == "faircall.engine.v1"
    assert [len(call.prompts) for call in fake.calls] == [4, 4, 2]
    assert fake.stopped == 1


def test_base_and_adapter_differ_in_nothing_but_the_adapter(fake, tmp_path):
    run, config = build(tmp_path / "work")
    for arm in ("base", "tuned"):
        evaluate_arm(run, config, plan_arm(config, arm))
    compared = compare_stored(read_arm(run, "base"), read_arm(run, "tuned"))
    assert "adapter.source" in compared["treatment"]["differs"]
    assert compared["treatment"]["sections"] == ["adapter"]


def test_an_arm_that_was_stopped_ends_with_the_same_bytes(fake, tmp_path):
    run, config = build(tmp_path / "work")
    whole, same = build(tmp_path / "whole")
    evaluate_arm(whole, same, plan_arm(same, "base"))
    fake.calls.clear()

    def die(rows):
        return RuntimeError("out of memory") if len(fake.calls) == 2 else None

    fake.fault = die
    with pytest.raises(Exception, match="out of memory"):
        evaluate_arm(run, config, plan_arm(config, "base"))
    fake.fault = lambda rows: None
    evaluate_arm(run, config, plan_arm(config, "base"))
    for name in ("en", "fr"):
        files = [one.generations_file("base", name).read_bytes() for one in (whole, run)]
        assert files[0] == files[1]


def test_an_engine_on_two_devices_is_two_devices_in_the_telemetry(fake, tmp_path):
    fake.device, fake.devices = "cuda", 2
    run, config = build(
        tmp_path / "work", CONFIG.replace("chunk_size: 4", "chunk_size: 4, tensor_parallel_size: 2")
    )
    report = evaluate_arm(run, config, plan_arm(config, "base")).report
    assert report["inference_efficiency"]["allocation"]["configured_gpus"] == 2


def test_every_arm_gets_an_engine_for_the_adapters_of_all(fake, tmp_path):
    _, config = build(tmp_path / "work")
    settings = plan_vllm(config)
    assert settings.adapters == (AdapterSettings(str(tmp_path / "work" / "tuned")),)
    assert plan_backend(config, plan_arm(config, "base")).batch_size == 4


def test_chunks_are_not_sharded(fake, tmp_path):
    run, config = build(tmp_path / "work")
    with pytest.raises(UsageError, match="share a batch") as caught:
        generate_shard(run, config, plan_arm(config, "base"), Shard(1, 2))
    assert "vllm.chunk_size" in caught.value.hint
    assert fake.calls == []
    single = CONFIG.replace("chunk_size: 4", "chunk_size: 1")
    run, config = build(tmp_path / "single", single)
    generate_shard(run, config, plan_arm(config, "base"), Shard(1, 2))
    assert [len(call.prompts) for call in fake.calls] == [1] * 6


def test_batches_are_the_other_backends(fake, tmp_path):
    run, config = build(tmp_path / "work", CONFIG.replace("backend: vllm", "backend: vllm, batch_size: 4"))
    with pytest.raises(UsageError, match=r"eval\.batch_size is for the backend transformers"):
        evaluate_arm(run, config, plan_arm(config, "base"))


def test_another_chunk_size_is_another_condition(fake, tmp_path):
    run, config = build(tmp_path / "work")
    other_run, other = build(tmp_path / "other", CONFIG.replace("chunk_size: 4", "chunk_size: 5"))
    for place, settings in ((run, config), (other_run, other)):
        evaluate_arm(place, settings, plan_arm(settings, "base"))
    with pytest.raises(Incomparable, match=r"backend\.batch_plan"):
        compare_stored(read_arm(run, "base"), read_arm(other_run, "base"))
    assert os.environ["VLLM_ENABLE_V1_MULTIPROCESSING"] == "0"
