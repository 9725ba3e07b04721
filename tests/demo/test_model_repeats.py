"""The embedded model answers a few prompts again, in every way: a real engine, a real new process."""

import pytest

from faircall.config import load_config
from faircall.demo.project import create_project, link_model
from faircall.generating.hugging_face.embedded_model import ensure_embedded_model
from faircall.pipeline.arm_request import plan_arm
from faircall.pipeline.evaluate import evaluate_arm
from faircall.pipeline.rescore import rescore
from faircall.pipeline.run import ready_run
from faircall.store.verification import verify

pytestmark = pytest.mark.model


def test_an_adapter_is_checked_in_all_four_ways(tmp_path):
    folder = create_project(tmp_path / "demo")
    link_model(folder, ensure_embedded_model())
    file = folder / "quick.yaml"
    file.write_text(file.read_text().replace("max_new_tokens: 48", "max_new_tokens: 8"))
    config = load_config(file)
    run = ready_run(config)
    outcome = evaluate_arm(run, config, plan_arm(config, "en", limit=3, repeats=3))
    ways = outcome.report["inference_efficiency"]["repeat_check"]["ways"]
    assert {way: done["status"] for way, done in ways.items()} == dict.fromkeys(
        ("same", "fresh", "permuted", "batched"), "made"
    )
    # One thread, one process, one kernel each: only batches may change a token here.
    assert [ways[way]["identical"] for way in ("same", "fresh", "permuted")] == [3, 3, 3]
    assert ways["batched"]["how"] == "batches of up to 3, where the run went one by one"
    assert ways["batched"]["repeated"] == 3
    for row in ways["batched"]["changed"]:
        assert row["divergence"]["unit"] == "token"
    assert verify(run).mismatches == ()
    assert not any(file.differences for file in rescore(run))
