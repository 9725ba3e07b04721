"""sampled.v1: several answers to each prompt, seeded one by one, clustered, never mixed with greedy."""

import json

import pytest

from faircall.canonical import canonical_json
from faircall.errors import ConfigError, EvaluationError, Incomparable
from faircall.generating.backend import BACKENDS, BackendRequest, Decoding, ModelSettings, Sampling
from faircall.pipeline.arm_request import plan_arm
from faircall.pipeline.arms import read_arm
from faircall.pipeline.comparison import compare_stored
from faircall.pipeline.evaluate import evaluate_arm
from faircall.pipeline.rescore import rescore
from faircall.records import Prompt
from generating.fault_server import FaultServer, completion
from pipeline import run_builder

CONFIG = """\
schema_version: faircall.config.v1
project: {name: tiny, artifact_root: artifacts}
model: {base_model_id: tiny}
arms:
  base: {}
  adapter: {adapter: owner/lora, revision: r2, served_as: tuned}
datasets:
  - {language: en, path: rows.jsonl}
  - {language: fr, path: rows.fr.jsonl, paired: true}
data: {n_test: 6}
eval: {slices: [en], max_new_tokens: 64, backend: openai SAMPLING}
server: {base_url: BASE_URL}
"""
SAMPLING = ", sampling: {temperature: 0.7, top_p: 0.9, samples: 4, seed: 7}"


def answer(body):
    """Right for half of the seeds, and always wrong in Bern."""
    city = body["prompt"].rpartition(" ")[2]
    right = city != "Bern" and (body["model"] == "tuned" or body.get("seed", 0) % 2 == 0)
    call = {"name": "wx", "arguments": {"city": city if right else "?"}}
    return completion(canonical_json(call), model=body["model"])


@pytest.fixture
def server():
    made = FaultServer(answer, models=("tiny", "tuned"))
    yield made
    made.close()


def build(folder, server, *, sampling=SAMPLING, slices="[en]"):
    text = CONFIG.replace("BASE_URL", server.base_url).replace(" SAMPLING", sampling)
    return run_builder.build(folder, config=text.replace("slices: [en]", f"slices: {slices}"))


def evaluate(run, config, arm="base"):
    return evaluate_arm(run, config, plan_arm(config, arm))


def test_every_answer_is_drawn_under_its_own_recorded_seed(tmp_path, server):
    run, config = build(tmp_path / "work", server)
    report = evaluate(run, config).report
    rows = [json.loads(line) for line in run.generations_file("base", "en").read_text().splitlines()]
    assert [row["example_id"] for row in rows][:5] == ["en-0#1", "en-0#2", "en-0#3", "en-0#4", "en-1#1"]
    drawn = Sampling(0.7, 0.9, 4, 7)
    seeds = {body["seed"] for _, body in server.asked}
    assert seeds == {drawn.seed_of(row["example_id"]) for row in rows}
    assert len(seeds) == 24
    assert {(body["temperature"], body["top_p"]) for _, body in server.asked} == {(0.7, 0.9)}
    assert rows[0]["decoding"] == {
        "strategy": "sampled.v1", "temperature": 0.7, "do_sample": True, "top_p": 0.9, "samples": 4,
        "seed": 7, "max_new_tokens": 64,
    }  # fmt: skip
    assert report["identity"]["decoding"] == rows[0]["decoding"]
    assert report["identity"]["backend"]["sent"]["seed"] == "one per sample"


def test_the_report_clusters_on_prompts_and_gives_pass_at_k(tmp_path, server):
    run, config = build(tmp_path / "work", server)
    report = evaluate(run, config).report
    assert (report["examples"], report["roots"]) == (24, 6)
    assert report["metrics"]["full_call_exact_match"]["interval"]["method"] == "wilson_design_effect"
    sampling = report["sampling"]
    assert (sampling["items"], sampling["samples"]) == (6, 4)
    full = report["metrics"]["full_call_exact_match"]
    assert sampling["pass_at_k"]["1"] == pytest.approx(full["value"])
    assert sampling["pass_hat_k"]["1"] == pytest.approx(full["value"])
    assert sampling["pass_at_k"]["4"] >= sampling["pass_at_k"]["1"] >= sampling["pass_hat_k"]["4"]
    assert "Chen" in sampling["estimators"]["pass_at_k"]
    assert all(file.differences == () for file in rescore(run))


def test_sampled_arms_compare_with_each_other_and_never_with_greedy(tmp_path, server):
    run, config = build(tmp_path / "work", server)
    evaluate(run, config, "base")
    evaluate(run, config, "adapter")
    report = compare_stored(read_arm(run, "base"), read_arm(run, "adapter"))
    scope = report["overall"]
    assert (scope["examples"], scope["roots"]) == (24, 6)
    assert "mcnemar_exact_p" not in scope["metrics"]["full_call_exact_match"]["tests"]

    greedy, same = build(tmp_path / "greedy", server, sampling="")
    evaluate(greedy, same, "adapter")
    for vary in ((), ("decoding",)):
        with pytest.raises(Incomparable, match=r"data\.example_ids"):
            compare_stored(read_arm(run, "base"), read_arm(greedy, "adapter"), vary=vary)


def test_translations_are_sampled_beside_their_roots(tmp_path, server):
    """Answer n to a translation is paired with answer n to its root; intervals are over prompts."""
    run, config = build(tmp_path / "work", server, slices="[en, fr]")
    reports = [evaluate(run, config, arm).report for arm in ("base", "adapter")]
    assert (reports[0]["examples"], reports[0]["roots"]) == (40, 6)
    sampling = reports[1]["sampling"]
    assert {name: part["items"] for name, part in sampling["slices"].items()} == {"en": 6, "fr": 4}
    assert sampling["slices"]["fr"]["pass_hat_k"]["4"] == 1.0
    assert sampling["slices"]["en"]["pass_at_k"]["4"] == pytest.approx(5 / 6)
    assert (sampling["right_by_item"]["en-5"], sampling["right_by_item"]["fr-0"]) == (0, 4)

    gap = reports[1]["paired_slices"]["fr"]
    assert (gap["pairs"], gap["coverage"]) == (16, pytest.approx(4 / 6))
    assert gap["metrics"]["full_call_exact_match"]["delta"] == 0.0
    compared = compare_stored(read_arm(run, "base"), read_arm(run, "adapter"))
    assert compared["slices"]["fr"]["roots"] == 4
    change = compared["paired_language_gaps"]["fr"]["difference_of_gaps"]["metrics"]["full_call_exact_match"]
    base = reports[0]["paired_slices"]["fr"]["metrics"]["full_call_exact_match"]["delta"]
    assert change["delta"] == pytest.approx(0.0 - base)
    assert all(file.differences == () for file in rescore(run))


def test_a_temperature_under_greedy_names_the_way_out(tmp_path, server):
    with pytest.raises(EvaluationError, match=r"eval\.temperature") as caught:
        build(tmp_path / "work", server, sampling=", temperature: 0.7")
    assert "eval.sampling" in caught.value.hint


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sampling": SAMPLING + ", batch_size: 2"}, "a batch has one"),
        ({"sampling": ", sampling: {temperature: 0.0}"}, "temperature"),
        ({"sampling": ", sampling: {top_p: 0.5}"}, "temperature"),
    ],
)
def test_sampling_that_cannot_be_meant_is_refused(tmp_path, server, change, message):
    with pytest.raises(ConfigError, match=message):
        build(tmp_path / "work", server, **change)


@pytest.mark.hf
def test_transformers_draws_by_the_seed_of_the_answer_alone(tmp_path):
    from generating import tiny_model

    folder = tiny_model.save_model(tmp_path / "tiny")
    sampling = Sampling(1.5, 1.0, 3, 1)
    backend = BACKENDS.get("transformers")(
        BackendRequest(ModelSettings(str(folder)), Decoding(8, sampling=sampling))
    )
    prompts = [Prompt(f"a#{n}", "en", None, "call a tool", "", "p", "m", "t", ()) for n in (1, 2, 3)]
    forward = [backend.generate(prompt) for prompt in prompts]
    backward = [backend.generate(prompt) for prompt in reversed(prompts)]
    assert forward == backward[::-1]
    assert len({generation.raw_text for generation in forward}) > 1
    assert backend.describe()["backend"]["sent"]["top_k"] == 0
