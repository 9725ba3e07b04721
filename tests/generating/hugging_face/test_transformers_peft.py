"""The transformers backend on a tiny model: greedy whatever the model wants, adapters checked."""

import json
import shutil

import pytest

from faircall.digest import sha256_text
from faircall.errors import DependencyMissing, EvaluationError, FileUnreadable, InvariantViolation
from faircall.generating import extras
from faircall.generating.backend import (
    BACKENDS,
    AdapterSettings,
    BackendRequest,
    Decoding,
    DeviceBackend,
    ModelSettings,
)
from faircall.generating.hugging_face import tokens
from faircall.generating.hugging_face.checkpoints import load_tokenizer
from faircall.records import Prompt

pytestmark = pytest.mark.hf


def prompt(text="call a tool", example_id="e1"):
    return Prompt(example_id, "en", None, text, "{}", sha256_text(text), "m", "t", ())


def open_backend(model, *, adapter=None, new_tokens=12, **settings):
    request = BackendRequest(
        ModelSettings(str(model), **settings),
        Decoding(new_tokens),
        adapter=AdapterSettings(str(adapter)) if adapter else None,
    )
    return BACKENDS.get("transformers")(request)


def greedy_by_hand(model_folder, ids, steps, ends):
    """The arg max of the logits, step by step, without generate()."""
    import torch
    from transformers import AutoModelForCausalLM

    model = AutoModelForCausalLM.from_pretrained(model_folder).eval()
    new = []
    with torch.inference_mode():
        while len(new) < steps and (not new or new[-1] not in ends):
            new.append(int(model(torch.tensor([ids + new])).logits[0, -1].argmax()))
    return new


# --- Greedy, whatever the model's own generation config says (R07)


def test_the_models_own_sampling_settings_never_reach_generate(tmp_path):
    from generating import tiny_model

    wild = {"do_sample": True, "temperature": 5.0, "repetition_penalty": 9.0, "no_repeat_ngram_size": 1}
    wild |= {"suppress_tokens": list(range(3, 150)), "min_new_tokens": 9}
    folder = tiny_model.save_model(tmp_path / "wild", generation=wild)
    backend = open_backend(folder)
    ids = tokens.encode_prompt(load_tokenizer(ModelSettings(str(folder))), prompt())

    new = greedy_by_hand(folder, ids, 12, {1, 2})

    expected = tokens.read_answer(load_tokenizer(ModelSettings(str(folder))), new, eos_ids=[1, 2])
    answer = backend.generate(prompt())
    assert (answer.raw_text, answer.new_tokens) == (expected.raw_text, len(new))


def test_everything_that_was_sent_is_recorded(tiny):
    described = open_backend(tiny, new_tokens=5).describe()
    sent = described["backend"]["sent"]
    assert sent["do_sample"] is False
    assert sent["num_beams"] == 1
    assert sent["temperature"] is None
    assert sent["repetition_penalty"] == 1.0
    assert sent["max_new_tokens"] == 5
    assert sent["eos_token_id"] == [1, 2]
    assert described["decoding"] == {
        "strategy": "greedy", "temperature": 0.0, "do_sample": False, "max_new_tokens": 5,
    }  # fmt: skip
    json.dumps(described)


def test_the_generation_carries_its_conditions_and_counts(tiny):
    answer = open_backend(tiny, new_tokens=4).generate(prompt("abc"))
    assert (answer.prompt_tokens, answer.new_tokens, answer.finish_reason) == (3, 4, "length")
    assert answer.stop_token is None
    assert answer.prompt_sha256 == sha256_text("abc")
    assert answer.decoding["max_new_tokens"] == 4
    assert answer.failure is None


def test_an_error_of_the_engine_is_a_failed_generation(tiny, monkeypatch):
    backend = open_backend(tiny)

    def run_out_of_memory(*_args, **_kwargs):
        raise RuntimeError("out of memory\nallocator state")

    monkeypatch.setattr(backend._model, "generate", run_out_of_memory)
    answer = backend.generate(prompt())
    assert answer.failure == "RuntimeError: out of memory"
    assert answer.raw_text == ""


# --- Adapters (R02, R03)


def next_token_scores(backend):
    """Logits of the first answer token: what an adapter must change to have any effect."""
    torch, checkpoint = backend._torch, backend._checkpoint
    ids = torch.tensor([tokens.encode_prompt(checkpoint.tokenizer, prompt())])
    with torch.inference_mode():
        return backend._model(input_ids=ids).logits[0, -1].float().tolist()


def test_an_adapter_changes_the_logits_and_is_recorded_beside_the_base(tiny, adapters):
    base, adapted = open_backend(tiny), open_backend(tiny, adapter=adapters / "live")
    assert next_token_scores(base) != next_token_scores(adapted)
    assert base.describe()["adapter"] == {"source": "none"}
    section = adapted.describe()["adapter"]
    source = adapted.describe()["source"]["adapter"]
    assert (source["kind"], source["immutable"]) == ("local", True)
    assert section["source"] == f"live@sha256:{source['tree_sha256']}"
    assert section["changes_nothing"] is False
    assert section["merged"] is False
    assert base.describe()["model"] == adapted.describe()["model"]
    assert base.describe()["backend"] == adapted.describe()["backend"]


def test_an_adapter_with_zero_lora_b_is_flagged(tiny, adapters):
    base, idle = open_backend(tiny), open_backend(tiny, adapter=adapters / "idle")
    assert idle.describe()["adapter"]["changes_nothing"] is True
    assert next_token_scores(base) == next_token_scores(idle)


def test_an_adapter_whose_keys_do_not_match_is_refused_with_the_keys(tiny, adapters, tmp_path):
    from generating import tiny_model

    broken = shutil.copytree(adapters / "live", tmp_path / "broken")
    tiny_model.rename_keys(broken, old="base_model.model.", new="base_model.model.language_model.")
    with pytest.raises(EvaluationError, match=r"8 keys .*missing, 8 keys .*language_model.*unexpected"):
        open_backend(tiny, adapter=broken)


def test_an_adapter_of_another_shape_is_refused(tiny, adapters, tmp_path):
    other = shutil.copytree(adapters / "live", tmp_path / "other")
    config = json.loads((other / "adapter_config.json").read_text())
    (other / "adapter_config.json").write_text(json.dumps({**config, "r": 3}))
    with pytest.raises(EvaluationError, match="does not fit the model"):
        open_backend(tiny, adapter=other)


def test_pickled_adapter_weights_are_refused_unread(tiny, adapters, tmp_path):
    pickled = shutil.copytree(adapters / "live", tmp_path / "pickled")
    (pickled / "adapter_model.safetensors").rename(pickled / "adapter_model.bin")
    with pytest.raises(EvaluationError, match="a pickle"):
        open_backend(tiny, adapter=pickled)


def test_a_file_that_only_calls_itself_safetensors_is_refused(tiny, adapters, tmp_path):
    fake = shutil.copytree(adapters / "live", tmp_path / "fake")
    (fake / "adapter_model.safetensors").write_bytes(b"\x80\x04not tensors")
    with pytest.raises(EvaluationError, match=r"does not fit|not a safetensors file"):
        open_backend(tiny, adapter=fake)


# --- Tokens (R05)


@pytest.fixture(scope="module")
def with_bos(tmp_path_factory):
    from generating import tiny_model

    return tiny_model.save_model(tmp_path_factory.mktemp("bos") / "model", adds_bos=True)


def test_a_bos_that_the_template_wrote_is_not_added_again(with_bos):
    tokenizer = load_tokenizer(ModelSettings(str(with_bos)))
    template = "{{ bos_token }}{% for m in messages %}{{ m['content'] }}{% endfor %}"
    messages = [{"role": "user", "content": "hi"}]
    rendered = tokenizer.apply_chat_template(
        messages, chat_template=template, tokenize=True, return_dict=True
    )
    ids = tokens.encode_prompt(tokenizer, prompt("<s>hi"))
    assert ids == rendered["input_ids"]
    assert [place for place, number in enumerate(ids) if number == tokenizer.bos_token_id] == [0]


@pytest.mark.parametrize(("text", "count"), [("<s><s>hi", 2), ("hi", 0)])
def test_a_prompt_without_exactly_one_leading_bos_is_refused(with_bos, text, count):
    with pytest.raises(InvariantViolation, match=f"starts with {count} BOS"):
        open_backend(with_bos).check([prompt(text)])


def test_a_tokenizer_that_adds_no_bos_asks_for_none(tiny):
    open_backend(tiny).check([prompt("hi"), prompt("<s>hi")])


def test_special_tokens_stay_and_only_the_stop_token_is_trimmed(tiny):
    tokenizer = load_tokenizer(ModelSettings(str(tiny)))
    ids = tokenizer("<end>a<s>b", add_special_tokens=False)["input_ids"]
    answer = tokens.read_answer(tokenizer, [*ids, 1, 1], eos_ids=[1])
    assert answer == tokens.Answer("<end>a<s>b</s>", "stop", "</s>", len(ids) + 2)
    assert tokens.read_answer(tokenizer, ids, eos_ids=[1]).raw_text == "<end>a<s>b"


# --- Refusals before anything is generated


def test_a_prompt_that_leaves_no_room_for_the_answer_is_refused_by_name(tmp_path):
    from generating import tiny_model

    small = tiny_model.save_model(tmp_path / "small", context=16)
    backend = open_backend(small, new_tokens=8)
    backend.check([prompt("12345678")])
    with pytest.raises(EvaluationError, match=r"example long: 9 prompt tokens .* context of 16"):
        backend.check([prompt("short"), prompt("123456789", "long")])


def test_a_model_that_is_not_complete_is_refused(tiny, tmp_path):
    from safetensors.torch import load_file, save_file

    torn = shutil.copytree(tiny, tmp_path / "torn")
    weights = load_file(torn / "model.safetensors")
    weights.pop("model.layers.1.mlp.up_proj.weight")
    save_file(weights, torn / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(EvaluationError, match=r"missing .*up_proj"):
        open_backend(torn)


def test_pickled_model_weights_are_refused(tiny, tmp_path):
    pickled = shutil.copytree(tiny, tmp_path / "pickled")
    (pickled / "model.safetensors").rename(pickled / "pytorch_model.bin")
    with pytest.raises(EvaluationError, match="cannot be loaded"):
        open_backend(pickled)


def test_a_folder_that_is_not_there_is_named():
    with pytest.raises(FileUnreadable, match=r"\./nowhere: no such folder"):
        open_backend("./nowhere")


def test_a_missing_library_names_the_install_command(tiny, monkeypatch):
    monkeypatch.setattr(extras.importlib, "import_module", _refuse("bitsandbytes"))
    with pytest.raises(DependencyMissing, match="4bit quantization needs bitsandbytes") as caught:
        open_backend(tiny, quantization="4bit")
    assert caught.value.hint == "pip install bitsandbytes"


def _refuse(name):
    import importlib

    real = importlib.import_module

    def import_module(wanted, package=None):
        if wanted == name:
            raise ModuleNotFoundError(f"No module named {name!r}")
        return real(wanted, package)

    return import_module


def test_dtype_is_what_was_asked_for(tiny):
    backend = open_backend(tiny, dtype="bfloat16")
    assert str(backend._checkpoint.model.dtype) == "torch.bfloat16"
    assert backend.describe()["model"]["dtype"] == "bfloat16"


# --- Batches


def test_a_padded_batch_answers_like_single_prompts(tiny):
    """On the left, masked, with positions of their own: else the shorter prompts would answer otherwise."""
    request = BackendRequest(ModelSettings(str(tiny)), Decoding(8), batch_size=3)
    backend = BACKENDS.get("transformers")(request)
    prompts = [
        prompt(text, name) for name, text in (("a", "call"), ("b", "call a tool"), ("c", "tool a call a"))
    ]
    together = backend.generate_batch(prompts)
    assert together == [backend.generate(one) for one in prompts]
    assert len({backend.prompt_length(one) for one in prompts}) > 1
    assert backend.describe()["backend"]["batch_plan"].startswith("batches of up to 3")


def test_an_engine_that_fails_fails_every_prompt_of_the_batch(tiny, monkeypatch):
    backend = BACKENDS.get("transformers")(
        BackendRequest(ModelSettings(str(tiny)), Decoding(8), batch_size=2)
    )

    def run_out(**arguments):
        raise RuntimeError("out of memory")

    monkeypatch.setattr(backend._model, "generate", run_out)
    failed = backend.generate_batch([prompt("call", "a"), prompt("a tool", "b")])
    assert [one.failure for one in failed] == ["RuntimeError: out of memory"] * 2
    assert [one.example_id for one in failed] == ["a", "b"]


# --- Synchronisation


def test_a_model_on_the_cpu_is_not_waited_for_and_says_so(tiny):
    backend = open_backend(tiny)
    assert isinstance(backend, DeviceBackend)
    assert backend.synchronisation == "none needed: on a CPU a call returns when its work is done"
    backend.synchronise()
