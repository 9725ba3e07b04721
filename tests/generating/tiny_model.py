"""A tiny random causal model with a byte tokenizer, and LoRA adapters for it; built in code."""

import json
from pathlib import Path

import torch
from peft import LoraConfig, get_peft_model
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

SPECIAL = ["<s>", "</s>", "<end>"]


def save_model(
    folder: Path, *, adds_bos: bool = False, context: int = 256, generation: dict | None = None
) -> Path:
    torch.manual_seed(7)
    config = LlamaConfig(
        vocab_size=256 + len(SPECIAL),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=context,
        bos_token_id=0,
        eos_token_id=1,
        initializer_range=0.5,
    )
    LlamaForCausalLM(config).save_pretrained(folder)
    settings = {"bos_token_id": 0, "eos_token_id": [1, 2], **(generation or {})}
    (folder / "generation_config.json").write_text(json.dumps(settings))
    tokenizer(adds_bos=adds_bos).save_pretrained(folder)
    return folder


def tokenizer(*, adds_bos: bool) -> PreTrainedTokenizerFast:
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {token: number for number, token in enumerate([*SPECIAL, *alphabet])}
    inner = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    inner.decoder = decoders.ByteLevel()
    if adds_bos:
        inner.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 0)])
    return PreTrainedTokenizerFast(
        tokenizer_object=inner, bos_token="<s>", eos_token="</s>", additional_special_tokens=["<end>"]
    )


def save_adapter(folder: Path, *, model: Path, scale: float) -> Path:
    """A LoRA adapter whose lora_B is `scale` everywhere it matters; 0 changes nothing."""
    torch.manual_seed(11)
    base = LlamaForCausalLM.from_pretrained(model)
    adapted = get_peft_model(base, LoraConfig(r=2, lora_alpha=4, target_modules=["q_proj", "v_proj"]))
    with torch.no_grad():
        for name, weight in adapted.named_parameters():
            if "lora_B" in name:
                weight.copy_(torch.randn_like(weight) * scale)
    adapted.save_pretrained(folder)
    return folder


def rename_keys(folder: Path, *, old: str, new: str) -> None:
    path = folder / "adapter_model.safetensors"
    tensors = {key.replace(old, new): value for key, value in load_file(path).items()}
    save_file(tensors, path, metadata={"format": "pt"})
