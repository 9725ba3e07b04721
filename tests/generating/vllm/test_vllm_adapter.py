"""Adapters for vLLM: what it does not serve is refused, and no weight may belong to another model."""

import json
import shutil

import pytest

from faircall.errors import EvaluationError
from faircall.generating.backend import AdapterSettings, BackendRequest, Decoding, ModelSettings
from faircall.generating.hugging_face.adapters import find_weights
from faircall.generating.sources import Source, resolve_source
from faircall.generating.vllm.vllm_adapter import (
    read_adapter_config,
    read_base_shapes,
    read_lora,
    read_shapes,
    refuse_unserved,
    require_fit,
    targets,
)

PLAIN = {"peft_type": "LORA", "r": 2, "bias": "none", "target_modules": ["q_proj"]}
BASE = {"model.layers.0.q_proj.weight": (6, 4), "model.layers.1.q_proj.weight": (6, 4), "norm.weight": (4,)}


def keys(*modules, rank=2, width=(4, 6), prefix="base_model.model."):
    down = {f"{prefix}{module}.lora_A.weight": (rank, width[0]) for module in modules}
    return down | {f"{prefix}{module}.lora_B.weight": (width[1], rank) for module in modules}


BOTH = ("model.layers.0.q_proj", "model.layers.1.q_proj")


# --- What vLLM does not serve


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"peft_type": "LOHA"}, "adapters of type LOHA"),
        ({"use_dora": True}, "DoRA"),
        ({"modules_to_save": ["embed_tokens"]}, "modules saved whole"),
        ({"bias": "lora_only"}, r"trained biases \(bias: lora_only\)"),
        ({"lora_bias": True}, "a LoRA bias"),
        ({"layer_replication": [[0, 2]]}, "replicated layers"),
        ({"alora_invocation_tokens": [5]}, "activated LoRA"),
        ({"trainable_token_indices": [7]}, "trained token embeddings"),
        ({"target_parameters": ["experts.up"]}, "parameters outside modules"),
        ({"init_lora_weights": "pissa_niter_4"}, "init_lora_weights: pissa_niter_4"),
        ({"r": None}, "states no rank"),
        ({"use_dora": True, "use_qalora": True}, "DoRA, QALoRA"),
    ],
)
def test_what_vllm_does_not_serve_is_refused_by_name(fields, words):
    with pytest.raises(EvaluationError, match=f"adapter tuned: vLLM does not serve .*{words}") as caught:
        refuse_unserved({**PLAIN, **fields}, name="tuned", patterns=True)
    assert caught.value.hint == "use the backend transformers"


@pytest.mark.parametrize(
    "fields", [{}, {"use_rslora": True}, {"init_lora_weights": "gaussian"}, {"modules_to_save": None}]
)
def test_a_plain_lora_is_served(fields):
    refuse_unserved({**PLAIN, **fields}, name="tuned", patterns=False)


def test_ranks_by_module_need_a_version_that_knows_them():
    config = {**PLAIN, "alpha_pattern": {"q_proj": 4}}
    refuse_unserved(config, name="tuned", patterns=True)
    with pytest.raises(EvaluationError, match="alpha_pattern in this version"):
        refuse_unserved(config, name="tuned", patterns=False)


def test_an_adapter_config_that_is_no_object_is_refused(tmp_path):
    tmp_path.joinpath("adapter_config.json").write_text("[]")
    with pytest.raises(EvaluationError, match="is no object"):
        read_adapter_config(Source(tmp_path, "tuned"))
    tmp_path.joinpath("adapter_config.json").write_text("{")
    with pytest.raises(EvaluationError, match="cannot be read"):
        read_adapter_config(Source(tmp_path, "tuned"))


# --- Weights of another model


def test_weights_that_fit_pass():
    require_fit(keys(*BOTH), PLAIN, BASE, name="tuned")


@pytest.mark.parametrize(
    ("stored", "words"),
    [
        (keys(*BOTH, prefix="base_model.model.language_model."), "4 keys .* missing, 4 .*language_model"),
        (keys(BOTH[0]), "2 keys .*layers.1.* missing, 0 keys unexpected"),
        (keys(*BOTH, "model.layers.2.q_proj"), "0 keys missing, 2 keys .*layers.2.* unexpected"),
        (keys(*BOTH) | {"base_model.model.lm_head.base_layer.weight": (9, 4)}, "1 keys .*lm_head"),
        (keys(*BOTH, rank=3), r"has the shape \[3, 4\], the base's weight \[6, 4\], the rank is 2"),
        (keys(*BOTH, width=(5, 6)), r"has the shape \[2, 5\]"),
        (keys(*BOTH, width=(4, 7)), r"has the shape \[7, 2\]"),
    ],
)  # fmt: skip
def test_weights_of_another_model_are_refused_with_their_keys(stored, words):
    with pytest.raises(EvaluationError, match=f"adapter tuned does not fit the model: .*{words}"):
        require_fit(stored, PLAIN, BASE, name="tuned")


def test_only_the_layers_of_the_config_are_expected():
    require_fit(keys(BOTH[1]), {**PLAIN, "layers_to_transform": [1]}, BASE, name="tuned")


def test_experts_may_be_modules_or_not():
    base = BASE | {"model.layers.0.experts.3.q_proj.weight": (6, 4)}
    require_fit(keys(*BOTH), PLAIN, base, name="tuned")
    require_fit(keys(*BOTH, "model.layers.0.experts.3.q_proj"), PLAIN, base, name="tuned")


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, True),
        ({"target_modules": ["proj"]}, False),
        ({"target_modules": r".*\.[qk]_proj"}, True),
        ({"target_modules": "q_proj"}, False),
        ({"exclude_modules": ["layers.1.q_proj"]}, False),
        ({"layers_to_transform": 1}, True),
        ({"layers_to_transform": [0, 2]}, False),
        ({"target_modules": None}, False),
    ],
)
def test_modules_are_targeted_by_the_rules_of_peft(fields, expected):
    assert targets({**PLAIN, **fields}, "model.layers.1.q_proj") is expected


# --- Files


def write_header(path, header):
    data = json.dumps(header).encode()
    path.write_bytes(len(data).to_bytes(8, "little") + data)


def test_shapes_come_from_the_header_alone(tmp_path):
    write_header(tmp_path / "w", {"__metadata__": {}, "a": {"shape": [2, 3], "dtype": "F32"}})
    assert read_shapes(tmp_path / "w") == {"a": (2, 3)}


@pytest.mark.parametrize(
    "data", [b"", b"\x80\x04pickle", (1 << 62).to_bytes(8, "little"), b"\x02" + bytes(7) + b"[]"]
)
def test_what_only_calls_itself_safetensors_is_refused(tmp_path, data):
    (tmp_path / "w").write_bytes(data)
    with pytest.raises(EvaluationError, match="is not a safetensors file"):
        read_shapes(tmp_path / "w")


def test_a_base_model_in_pickles_is_refused(tmp_path):
    (tmp_path / "pytorch_model.bin").write_bytes(b"x")
    with pytest.raises(EvaluationError, match="holds no safetensors"):
        read_base_shapes(Source(tmp_path, "base"))


# --- Adapters that PEFT wrote


@pytest.mark.hf
@pytest.mark.parametrize(("name", "idle"), [("live", False), ("idle", True)])
def test_an_adapter_that_peft_wrote_fits_its_model(tiny, adapters, name, idle):
    found = read_lora(AdapterSettings(str(adapters / name)), resolve_source(str(tiny)), patterns=False)
    assert (found.rank, found.idle, found.source.name) == (2, idle, name)


@pytest.mark.hf
def test_peft_and_this_check_expect_the_same_keys(tiny, adapters):
    """The other backend asks PEFT which keys a model and a config need; here it is worked out from files."""
    stored = read_shapes(find_weights(adapters / "live", name="live"))
    config = read_adapter_config(Source(adapters / "live", "live"))
    modules = [key.removesuffix(".weight") for key in read_base_shapes(resolve_source(str(tiny)))]
    expected = {module for module in modules if targets(config, module)}
    assert {key.split(".lora_")[0].removeprefix("base_model.model.") for key in stored} == expected


@pytest.mark.hf
def test_renamed_keys_are_refused(tiny, adapters, tmp_path):
    from generating import tiny_model

    broken = shutil.copytree(adapters / "live", tmp_path / "broken")
    tiny_model.rename_keys(broken, old="base_model.model.", new="base_model.model.language_model.")
    with pytest.raises(EvaluationError, match=r"8 keys .*missing, 8 keys .*language_model.*unexpected"):
        read_lora(AdapterSettings(str(broken)), resolve_source(str(tiny)), patterns=False)


@pytest.mark.hf
@pytest.mark.parametrize("own", [True, False])
def test_answers_end_where_those_of_the_other_backend_end(tiny, tmp_path, own):
    from faircall.generating.hugging_face.checkpoints import load_checkpoint, load_tokenizer, read_end_ids

    folder = shutil.copytree(tiny, tmp_path / "model")
    if not own:
        (folder / "generation_config.json").unlink()
    settings = ModelSettings(str(folder))
    found = read_end_ids(settings, resolve_source(str(folder)), load_tokenizer(settings))
    assert found == load_checkpoint(settings).eos_ids == ((1, 2) if own else (1,))


@pytest.mark.hf
def test_a_whole_backend_opens_on_real_files(tiny, adapters, monkeypatch):
    """Tokenizer, end tokens and adapter are those of real files; only the engine is replaced."""
    from faircall.generating.backend import BACKENDS
    from faircall.records import Prompt
    from generating import fake_vllm

    fake = fake_vllm.Fake(context=256)
    fake_vllm.install(monkeypatch, fake)
    fake_vllm.keep_environment(monkeypatch)
    request = BackendRequest(
        ModelSettings(str(tiny)), Decoding(4), adapter=AdapterSettings(str(adapters / "live"))
    )
    backend = BACKENDS.get("vllm")(request)
    prompt = Prompt("e", "en", None, "abc", "{}", "sha", "m", "t", ())
    backend.check([prompt])
    answer = backend.generate(prompt)
    other = BACKENDS.get("transformers")(request)
    assert backend.describe()["model"] == other.describe()["model"]
    assert backend.describe()["source"]["adapter"] == other.describe()["source"]["adapter"]
    assert (answer.raw_text, answer.finish_reason, answer.stop_token) == ("abc", "stop", "</s>")
    assert fake.calls[-1].params[0].given["stop_token_ids"] == [1, 2]
