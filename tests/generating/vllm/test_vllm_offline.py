"""The vllm backend, its engine replaced: what is sent, how answers are read, what each failure becomes."""

import contextlib
import json
import os
import sys

import pytest
from msgspec.structs import asdict

from faircall.digest import sha256_text
from faircall.errors import (
    DependencyMissing,
    EnvironmentProblem,
    EvaluationError,
    InvariantViolation,
)
from faircall.generating.answering import answer_prompts
from faircall.generating.backend import (
    BACKENDS,
    AdapterSettings,
    BackendRequest,
    Decoding,
    ModelSettings,
    Sampling,
)
from faircall.generating.journal import open_journal
from faircall.generating.repeating.repeats import plan_way
from faircall.generating.sources import Source
from faircall.generating.telemetry import Allocation, build_telemetry
from faircall.generating.vllm import vllm_offline
from faircall.generating.vllm.vllm_adapter import Lora
from faircall.generating.vllm.vllm_settings import VllmSettings
from faircall.records import Prompt
from faircall.testing import check_backend
from generating import fake_vllm


def prompt(text="call a tool", example_id="e1", language="en"):
    return Prompt(example_id, language, None, text, "{}", sha256_text(text), "m", "t", ())


@pytest.fixture
def fake(monkeypatch):
    fake_vllm.keep_environment(monkeypatch)
    monkeypatch.setattr(vllm_offline, "read_end_ids", lambda settings, source, tokenizer: (1, 2))
    monkeypatch.setattr(vllm_offline, "load_tokenizer", lambda settings, source: fake_vllm.Tokenizer())
    fake_vllm.install_torch(monkeypatch)
    return fake_vllm.Fake()


@pytest.fixture
def open_backend(fake, monkeypatch, tmp_path):
    (tmp_path / "base").mkdir()

    def opened(*, decoding=None, lora=None, quantization=None, dtype="float32", chunk_size=256, **settings):
        fake_vllm.install(monkeypatch, fake)
        monkeypatch.setattr(vllm_offline, "read_lora", lambda *_, **__: lora)
        request = BackendRequest(
            ModelSettings(str(tmp_path / "base"), quantization=quantization, dtype=dtype),
            decoding or Decoding(8),
            adapter=AdapterSettings("adapters/tuned") if lora else None,
            batch_size=chunk_size,
            options={"vllm": VllmSettings(**settings)},
        )
        return BACKENDS.get("vllm")(request)

    return opened


@pytest.fixture
def lora(tmp_path):
    return Lora(Source(tmp_path, "tuned", tree_sha256="0" * 64), rank=8, idle=False)


# --- What is sent


def test_the_engine_gets_the_ids_of_the_stored_text_and_nothing_else(fake, open_backend, monkeypatch):
    monkeypatch.setattr(
        vllm_offline, "load_tokenizer", lambda settings, source: fake_vllm.Tokenizer(bos=True)
    )
    open_backend().generate(prompt("<s>hi"))
    (call,) = fake.calls
    assert call.prompts == [{"prompt_token_ids": [0, ord("h"), ord("i")]}]
    assert call.lora is None


def test_decoding_is_greedy_and_every_setting_is_sent(fake, open_backend):
    backend = open_backend()
    backend.generate(prompt())
    sent = {
        "n": 1, "temperature": 0.0, "top_p": 1.0, "top_k": 0, "min_p": 0.0, "presence_penalty": 0.0,
        "frequency_penalty": 0.0, "repetition_penalty": 1.0, "max_tokens": 8, "min_tokens": 0,
        "stop_token_ids": [1, 2], "ignore_eos": False, "seed": 0, "detokenize": False,
    }  # fmt: skip
    assert [one.given for one in fake.calls[0].params] == [sent]
    assert backend.describe()["backend"]["sent"] == sent


def test_the_engine_is_started_as_configured_without_the_models_own_sampling_settings(
    fake, open_backend, tmp_path
):
    backend = open_backend(
        dtype="bfloat16", tensor_parallel_size=2, max_model_len=64, gpu_memory_utilization=0.5,
        kv_cache_gib=0.25, enforce_eager=True,
    )  # fmt: skip
    assert fake.arguments == {
        "model": str(tmp_path / "base"), "tokenizer": str(tmp_path / "base"), "dtype": "bfloat16",
        "trust_remote_code": False, "seed": 0, "generation_config": "vllm", "load_format": "safetensors",
        "tensor_parallel_size": 2, "max_model_len": 64, "gpu_memory_utilization": 0.5,
        "kv_cache_memory_bytes": 1 << 28, "enforce_eager": True, "enable_prefix_caching": False,
        "enable_lora": False, "use_tqdm_on_load": False, "disable_log_stats": True,
    }  # fmt: skip
    described = backend.describe()["backend"]
    assert described["started_with"]["generation_config"] == "vllm"
    assert str(tmp_path) not in json.dumps(backend.describe())


def test_what_is_in_force_is_recorded(fake, open_backend):
    described = open_backend().describe()["backend"]
    assert described["version"] == "vllm 0.0-fake, torch 0.0-fake"
    assert (described["device"], described["device_name"], described["threads"]) == ("cpu", "a cpu", 1)
    assert (described["attention"], described["max_model_len"]) == ("FAKE_ATTN", 64)
    assert described["scheduling"] == "in this process"
    assert described["batch_plan"].startswith("chunks of up to 256, longest prompts first")
    assert os.environ["VLLM_NO_USAGE_STATS"] == "1"


def test_sampled_answers_have_a_seed_of_their_own(fake, open_backend):
    drawn = Sampling(0.7, 0.9, samples=2, seed=3)
    backend = open_backend(decoding=Decoding(8, sampling=drawn))
    backend.generate_batch([prompt(example_id="a#1"), prompt(example_id="a#2")])
    given = [one.given for one in fake.calls[0].params]
    assert [one["seed"] for one in given] == [drawn.seed_of("a#1"), drawn.seed_of("a#2")]
    assert all((one["temperature"], one["top_p"], one["top_k"]) == (0.7, 0.9, 0) for one in given)


def test_the_backend_keeps_the_promises_of_all_backends(open_backend):
    check_backend(open_backend(), [prompt("one", "a"), prompt("another", "b")])


# --- What comes back


def test_a_stop_token_is_trimmed_and_named_and_other_special_tokens_stay(fake, open_backend):
    fake.reply = lambda row: [ord("a"), 0, ord("b"), 1]
    answer = open_backend().generate(prompt("abc"))
    assert (answer.raw_text, answer.finish_reason, answer.stop_token) == ("a<s>b", "stop", "</s>")
    assert (answer.prompt_tokens, answer.new_tokens, answer.failure) == (3, 4, None)


def test_an_answer_without_a_stop_token_was_cut_off(fake, open_backend):
    fake.reply = lambda row: [ord("a")] * 8
    answer = open_backend().generate(prompt())
    assert (answer.raw_text, answer.finish_reason, answer.stop_token) == ("a" * 8, "length", None)


def test_answers_come_back_in_the_order_of_the_prompts(open_backend):
    answers = open_backend().generate_batch([prompt("xyz", "a"), prompt("uvw", "b")])
    assert [(one.example_id, one.raw_text) for one in answers] == [("a", "xyz"), ("b", "uvw")]


def test_an_answer_to_other_tokens_is_refused(fake, open_backend):
    def insert_bos(output):
        output.prompt_token_ids.insert(0, 0)
        return output

    fake.change = insert_bos
    with pytest.raises(InvariantViolation, match="did not answer what was asked for e1"):
        open_backend().generate(prompt())


def test_an_answer_without_the_adapter_is_refused(fake, open_backend, lora):
    def forget(output):
        output.lora_request = None
        return output

    fake.change = forget
    with pytest.raises(InvariantViolation, match="did not answer what was asked"):
        open_backend(lora=lora).generate(prompt())


@pytest.mark.parametrize("reason", ["abort", "error", None])
def test_a_request_that_the_engine_ends_has_failed(fake, open_backend, reason):
    def end(output):
        output.outputs[0].finish_reason = reason
        return output

    fake.change = end
    answer = open_backend().generate(prompt())
    assert (answer.failure, answer.raw_text) == (f"vLLM ended the request: {reason}", "")


# --- Failures


class VLLMClientError(Exception):
    """Newer versions raise it where older ones raise ValueError."""


@pytest.mark.parametrize("kind", [ValueError, VLLMClientError])
def test_a_prompt_that_the_engine_refuses_fails_alone(fake, open_backend, kind):
    fake.fault = lambda rows: kind("too long\nmore") if any(len(row) > 5 for row in rows) else None
    answers = open_backend().generate_batch([prompt("abc", "a"), prompt("longer", "b"), prompt("d", "c")])
    assert [one.failure for one in answers] == [None, f"{kind.__name__}: too long", None]
    assert [one.raw_text for one in answers] == ["abc", "", "d"]
    assert answers[1].prompt_tokens == 6


def test_an_engine_that_dies_fails_its_chunk_and_ends_the_run(fake, open_backend):
    backend = open_backend()
    fake.fault = lambda rows: RuntimeError("EngineCore encountered an issue")
    answers = backend.generate_batch([prompt("a", "a"), prompt("b", "b")])
    assert [one.failure for one in answers] == ["RuntimeError: EngineCore encountered an issue"] * 2
    with pytest.raises(EnvironmentProblem, match="EngineCore encountered an issue") as caught:
        backend.generate(prompt())
    assert "goes on from there" in caught.value.hint
    assert len(fake.calls) == 1


def test_a_prompt_that_leaves_no_room_is_refused_by_name_before_the_first_answer(fake, open_backend):
    backend = open_backend()
    backend.check([prompt("x" * 56)])
    with pytest.raises(EvaluationError, match=r"example long: 57 prompt tokens .* context of 64"):
        backend.check([prompt(), prompt("x" * 57, "long")])
    assert fake.calls == []


@pytest.mark.parametrize(("text", "count"), [("<s><s>hi", 2), ("hi", 0)])
def test_a_prompt_without_exactly_one_bos_is_refused(open_backend, monkeypatch, text, count):
    monkeypatch.setattr(
        vllm_offline, "load_tokenizer", lambda settings, source: fake_vllm.Tokenizer(bos=True)
    )
    with pytest.raises(InvariantViolation, match=f"starts with {count} BOS"):
        open_backend().check([prompt(text)])


# --- Adapters


def test_requests_name_the_adapter_and_the_engine_takes_its_rank(fake, open_backend, lora, tmp_path):
    backend = open_backend(lora=lora)
    backend.generate(prompt())
    assert fake.adapters == [fake_vllm.LoRARequest("tuned", 1, str(tmp_path.resolve()))]
    assert fake.calls[0].lora is fake.adapters[0]
    assert {name: fake.arguments[name] for name in ("enable_lora", "max_loras", "max_lora_rank")} == {
        "enable_lora": True, "max_loras": 1, "max_lora_rank": 8,
    }  # fmt: skip
    described = backend.describe()
    assert described["adapter"]["source"] == f"tuned@sha256:{'0' * 64}"
    assert described["adapter"]["changes_nothing"] is False
    assert described["source"]["adapter_rank"] == 8


def test_base_and_adapter_are_answered_by_engines_of_one_kind(open_backend, lora, tmp_path):
    tmp_path.joinpath("adapter_config.json").write_text('{"peft_type": "LORA", "r": 12}')
    declared = (AdapterSettings(str(tmp_path)),)
    base = open_backend(adapters=declared).describe()
    adapted = open_backend(adapters=declared, lora=lora).describe()
    assert base["backend"] == adapted["backend"]
    assert base["backend"]["started_with"]["max_lora_rank"] == 16
    assert (base["adapter"], base["source"]["adapter"]) == ({"source": "none"}, None)


def test_a_rank_above_the_configured_one_is_refused_with_the_one_that_fits(open_backend, lora, tmp_path):
    large = Lora(lora.source, rank=33, idle=False)
    with pytest.raises(EvaluationError, match=r"rank 33, and vllm\.max_lora_rank is 16") as caught:
        open_backend(lora=large, max_lora_rank=16)
    assert "max_lora_rank to 64" in caught.value.hint
    with pytest.raises(EvaluationError, match="rank 513: vLLM serves ranks up to 512"):
        open_backend(lora=Lora(lora.source, rank=513, idle=False))


def test_an_adapter_that_the_engine_refuses_is_refused_and_the_engine_stopped(fake, open_backend, lora):
    fake.adapter_fault = ValueError("expected target modules in ...")
    with pytest.raises(EvaluationError, match=r"vLLM does not load it .*expected target modules"):
        open_backend(lora=lora)
    assert fake.stopped == 1


def test_an_adapter_that_the_engine_left_out_is_noticed_before_the_first_answer(fake, open_backend, lora):
    open_backend(lora=lora).check([prompt()])
    first, second = (call.lora for call in fake.calls)
    assert (first, second) == (None, fake.adapters[0])
    fake.effect = False
    with pytest.raises(EvaluationError, match="tuned: vLLM scores e1 as without it"):
        open_backend(lora=lora).check([prompt()])


def test_an_adapter_that_is_known_to_change_nothing_is_recorded_and_not_refused(fake, open_backend, lora):
    fake.effect = False
    backend = open_backend(lora=Lora(lora.source, rank=8, idle=True))
    backend.check([prompt()])
    assert backend.describe()["adapter"]["changes_nothing"] is True
    assert fake.calls == []


# --- Batch-invariant kernels


def test_on_a_cpu_there_are_none_and_a_demand_is_refused(open_backend):
    assert open_backend().describe()["backend"]["batch_invariant"] is False
    assert os.environ["VLLM_BATCH_INVARIANT"] == "0"
    with pytest.raises(EnvironmentProblem, match="no batch-invariant kernels on a CPU"):
        open_backend(batch_invariant="always")


@pytest.mark.parametrize(
    ("capability", "wish", "flag", "devices", "asked", "in_force"),
    [
        ((9, 0), "where_available", True, 1, "1", True),
        ((9, 0), "where_available", False, 1, "1", False),
        ((9, 0), "where_available", None, 1, "1", None),
        ((9, 0), "where_available", True, 2, "1", None),
        ((8, 0), "where_available", True, 1, "0", False),
        ((8, 0), "always", True, 1, "1", True),
        ((9, 0), "never", True, 1, "0", False),
    ],
)
def test_they_are_asked_for_where_there_are_some_and_what_is_in_force_is_recorded(
    fake, open_backend, monkeypatch, capability, wish, flag, devices, asked, in_force
):
    fake.device, fake.capability, fake.devices = "cuda", capability, devices
    owner = type(sys)("vllm.model_executor.determinism.batch_invariant")
    owner._batch_invariant_MODE = flag
    monkeypatch.setitem(sys.modules, owner.__name__, owner)
    described = open_backend(batch_invariant=wish).describe()["backend"]
    assert (os.environ["VLLM_BATCH_INVARIANT"], described["batch_invariant"]) == (asked, in_force)


def test_without_a_wish_the_users_own_setting_stays(fake, open_backend, monkeypatch):
    monkeypatch.setenv("VLLM_BATCH_INVARIANT", "1")
    with pytest.raises(EnvironmentProblem, match="no batch-invariant kernels on a CPU"):
        open_backend()
    fake.device = "cuda"
    open_backend()
    assert os.environ["VLLM_BATCH_INVARIANT"] == "1"


# --- Refusals


def test_without_vllm_one_line_says_how_to_install_it(monkeypatch):
    fake_vllm.keep_environment(monkeypatch)
    monkeypatch.setitem(sys.modules, "vllm", None)
    with pytest.raises(
        DependencyMissing, match="the vllm backend needs vllm, which is not installed"
    ) as caught:
        BACKENDS.get("vllm")(BackendRequest(ModelSettings("m"), Decoding(8)))
    assert caught.value.hint == "pip install 'faircall[vllm]'"


def test_quantisation_of_the_other_backend_is_refused(open_backend):
    with pytest.raises(EvaluationError, match=r"model\.quantization 4bit"):
        open_backend(quantization="4bit")


def test_a_model_that_vllm_cannot_run_is_refused_in_its_words(fake, open_backend):
    fake.start_fault = ValueError("no such architecture\ndetails")
    with pytest.raises(EvaluationError, match=r"cannot run the model \(ValueError: no such architecture\)"):
        open_backend()


def test_closing_stops_the_engine(fake, open_backend):
    open_backend().close()
    assert fake.stopped == 1


# --- Runs

SLICES = {
    "en": [prompt("a" * 3, "a"), prompt("b" * 9, "b"), prompt("c" * 5, "c")],
    "fr": [prompt("d" * 4, "d", "fr")],
}


def run(path, backend):
    ticks = iter(range(0, 10_000, 100))
    with open_journal(path, {"x": 1}) as journal:
        return answer_prompts(backend, SLICES, journal=journal, clock=lambda: next(ticks))


def test_a_run_is_journalled_chunk_by_chunk_and_its_times_are_labelled(tmp_path, fake, open_backend):
    done = run(tmp_path / "j", open_backend(chunk_size=2))
    assert [entry.generation.example_id for entry in done.entries] == ["a", "b", "c", "d"]
    assert [len(call.prompts) for call in fake.calls] == [2, 2]
    assert [len(one["prompt_token_ids"]) for call in fake.calls for one in call.prompts] == [9, 5, 4, 3]
    telemetry = build_telemetry(done, allocation=Allocation("cpu", threads=1), decoding={})
    assert telemetry["contract"]["name"] == "faircall.engine.v1"
    assert telemetry["contract"]["concurrency"] == 2
    assert telemetry["cross_comparable"] is False
    assert "scheduled chunks of up to 2 prompts by itself" in telemetry["cross_comparable_reason"]


def test_a_stopped_run_goes_on_after_its_last_whole_chunk(tmp_path, fake, open_backend):
    whole = run(tmp_path / "whole", open_backend(chunk_size=2))
    fake.calls.clear()

    def stop(rows):
        if len(fake.calls) == 2:
            raise KeyboardInterrupt

    fake.fault = stop
    with contextlib.suppress(KeyboardInterrupt):
        run(tmp_path / "j", open_backend(chunk_size=2))
    fake.calls.clear()
    fake.fault = lambda rows: None
    resumed = run(tmp_path / "j", open_backend(chunk_size=2))
    assert [len(one["prompt_token_ids"]) for call in fake.calls for one in call.prompts] == [4, 3]
    assert [asdict(entry.generation) for entry in resumed.entries] == [
        asdict(entry.generation) for entry in whole.entries
    ]


def test_chunks_of_one_are_a_sequential_run(tmp_path, open_backend):
    done = run(tmp_path / "j", open_backend(chunk_size=1))
    telemetry = build_telemetry(done, allocation=Allocation("cpu", threads=1), decoding={})
    assert telemetry["contract"]["name"] == "faircall.sequential.v1"
    assert telemetry["contract"]["device_synchronisation"].startswith("implicit: the engine returns when")


@pytest.mark.parametrize("sampled", [False, True])
def test_a_repeat_check_asks_single_prompts_where_the_run_had_chunks(open_backend, sampled):
    """Under sampling, too: each request carries its seed."""
    plan = plan_way("batched", open_backend(chunk_size=2), SLICES, chosen=SLICES["en"], sampled=sampled)
    assert plan.how == "one by one, where the run had batches of up to 2"
    assert [len(batch) for batch in plan.batches] == [1, 1, 1]


def test_answers_are_taken_apart_into_tokens_with_their_stop_token(open_backend):
    backend = open_backend()
    assert backend.tokens_of(backend.generate(prompt("ab")))[:2] == [(ord("a"), "a"), (ord("b"), "b")]
    assert backend.tokens_of(backend.generate(prompt("ab")))[-1] == (fake_vllm.END, "</s>")
