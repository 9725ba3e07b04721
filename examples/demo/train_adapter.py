"""Train one LoRA adapter of the demo on the rows that `make_requests.py` wrote. Seeded; CPU; no network.

    PYTHONPATH=src python examples/demo/train_adapter.py en       # then the same with en_fr

The prompt is the very text that `faircall format build` gives for the demo's config: the system prompt of
`system_prompt.txt` with `{tools}` replaced by one line of canonical JSON per tool, through the model's own
chat template. The target is the canonical JSON of the gold call and the end token; only it carries loss.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import time
from pathlib import Path
from typing import Any

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import torch
from peft import LoraConfig, get_peft_model
from safetensors.torch import load_file, save_file
from transformers import AutoModelForCausalLM, AutoTokenizer

from faircall.canonical import canonical_json
from faircall.generating.hugging_face.embedded_model import MODEL_NAME, ensure_embedded_model

HERE = Path(__file__).parent
ADAPTERS = HERE.parent.parent / "src" / "faircall" / "demo" / "adapters"
SYSTEM_PROMPT = (HERE / "system_prompt.txt").read_text(encoding="utf-8").strip()
LAYERS, LAST = 30, 10
LINEAR = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]


def render_prompt(tokenizer: Any, row: dict[str, Any]) -> str:
    system = SYSTEM_PROMPT.replace("{tools}", "\n".join(canonical_json(tool) for tool in row["tools"]))
    messages = [{"role": "system", "content": system}, {"role": "user", "content": row["query"]}]
    text: str = tokenizer.apply_chat_template(messages, add_generation_prompt=True, tokenize=False)
    return text


def encode(tokenizer: Any, row: dict[str, Any]) -> tuple[list[int], list[int]]:
    """Token ids of the prompt and of the target with its end token."""
    prompt = tokenizer(render_prompt(tokenizer, row), add_special_tokens=False).input_ids
    target = tokenizer(canonical_json(row["answers"][0]), add_special_tokens=False).input_ids
    return prompt, [*target, tokenizer.eos_token_id]


def batches(pairs: list[Any], *, size: int, rng: random.Random) -> list[list[Any]]:
    """Batches of examples of similar length (little padding), in random order."""
    ordered = sorted(pairs, key=lambda pair: (len(pair[0]) + len(pair[1]), rng.random()))
    cut = [ordered[start : start + size] for start in range(0, len(ordered), size)]
    rng.shuffle(cut)
    return cut


def loss_of(model: Any, batch: list[Any]) -> torch.Tensor:
    """Mean cross-entropy over target tokens; logits are computed at their positions only."""
    width = max(len(prompt) + len(target) for prompt, target in batch)
    ids = torch.zeros((len(batch), width), dtype=torch.long)
    mask = torch.zeros_like(ids)
    places, labels = [], []
    for number, (prompt, target) in enumerate(batch):
        length = len(prompt) + len(target)
        ids[number, :length] = torch.tensor(prompt + target)
        mask[number, :length] = 1
        places += [(number, at) for at in range(len(prompt) - 1, length - 1)]
        labels += target
    inner = model.base_model.model
    hidden = inner.model(input_ids=ids, attention_mask=mask).last_hidden_state
    rows, columns = zip(*places, strict=True)
    logits = inner.lm_head(hidden[list(rows), list(columns)])
    return torch.nn.functional.cross_entropy(logits, torch.tensor(labels))


def train(model: Any, cut: list[list[Any]], *, peak: float) -> None:
    """AdamW, linear warm-up over a tenth of the steps, then linear decay to a twentieth."""
    weights = [weight for weight in model.parameters() if weight.requires_grad]
    optimizer = torch.optim.AdamW(weights, lr=peak, weight_decay=0.0)
    begun = time.monotonic()
    for step, batch in enumerate(cut, start=1):
        done = step / len(cut)
        optimizer.param_groups[0]["lr"] = peak * min(10 * done, max(1 - done, 0.05))
        with torch.autocast("cpu", dtype=torch.bfloat16):  # twice as fast here; weights stay in float32
            loss = loss_of(model, batch)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(weights, 1.0)
        optimizer.step()
        if step % 10 == 0 or step == len(cut):
            seconds = time.monotonic() - begun
            print(f"step {step:4}/{len(cut)}  loss {loss.item():.4f}  {seconds:6.0f} s", flush=True)


def save_adapter(model: Any, folder: Path) -> None:
    """Half precision weights, and a config without any path of this machine."""
    model.save_pretrained(folder, safe_serialization=True)
    weights = load_file(folder / "adapter_model.safetensors")
    save_file(
        {name: weight.to(torch.float16).contiguous() for name, weight in weights.items()},
        folder / "adapter_model.safetensors",
        metadata={"format": "pt"},
    )
    config = json.loads((folder / "adapter_config.json").read_text())
    config["base_model_name_or_path"] = MODEL_NAME
    config["target_modules"] = sorted(config["target_modules"])  # PEFT writes a set, in any order
    (folder / "adapter_config.json").write_text(json.dumps(config, indent=2, sort_keys=True) + "\n")
    (folder / "README.md").unlink(missing_ok=True)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("name", choices=["en", "en_fr"])
    options.add_argument("--seed", type=int, default=42)
    options.add_argument("--batch", type=int, default=4)
    options.add_argument("--lr", type=float, default=1.5e-3)
    options.add_argument("--rank", type=int, default=8)
    options.add_argument("--threads", type=int, default=1)
    options.add_argument("--out", type=Path, default=ADAPTERS)
    asked = options.parse_args()
    torch.manual_seed(asked.seed)
    torch.set_num_threads(asked.threads)
    folder = ensure_embedded_model()
    tokenizer = AutoTokenizer.from_pretrained(folder)
    lines = (HERE / "rows" / f"train.{asked.name}.jsonl").read_text().splitlines()
    pairs = [encode(tokenizer, json.loads(line)) for line in lines]
    wanted = LoraConfig(
        r=asked.rank,
        lora_alpha=2 * asked.rank,
        lora_dropout=0.0,
        target_modules=LINEAR,
        layers_to_transform=list(range(LAYERS - LAST, LAYERS)),
        layers_pattern="layers",
        task_type="CAUSAL_LM",
    )
    model = get_peft_model(AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32), wanted)
    model.print_trainable_parameters()
    train(model, batches(pairs, size=asked.batch, rng=random.Random(asked.seed)), peak=asked.lr)
    save_adapter(model, asked.out / asked.name)


if __name__ == "__main__":
    main()
