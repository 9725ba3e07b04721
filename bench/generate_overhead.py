"""What the sequential transformers backend adds to a bare `model.generate` loop, on the demo's real model.

    python bench/generate_overhead.py            prints the table
    python bench/generate_overhead.py --write    and puts it into docs/costs.md, between its markers

Both sides answer the same prompts with the same model object in this process, greedily, and must give the
same text. The bare side tokenises, generates and decodes. The other side is the whole sequential run: one BOS
checked, the device waited for, the generation record, and the journal with its wait for the disk. Sides take
turns prompt by prompt, changing who goes first, so that a machine that slows down slows both. What each side
spends outside of `model.generate` is timed as well: it does not depend on how busy the machine is.
"""

from __future__ import annotations

import argparse
import gc
import platform
import re
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from faircall.demo.replay import reference_run
from faircall.generating.backend import BACKENDS, Backend, BackendRequest, Decoding, ModelSettings
from faircall.generating.hugging_face.embedded_model import ensure_embedded_model
from faircall.generating.journal import Journal, open_journal
from faircall.generating.sequential import generate_sequentially
from faircall.pipeline.prompts import read_prompts
from faircall.records import Prompt

PAGE = Path(__file__).parent.parent / "docs" / "costs.md"
MARKS = re.compile(r"(<!-- overhead -->\n).*?(<!-- end -->)", re.DOTALL)
LIMIT = 1.02


@dataclass
class Side:
    """Seconds of processor and of wall clock per turn, and those of the processor outside of generate."""

    processor: list[float] = field(default_factory=list)
    wall: list[float] = field(default_factory=list)
    outside: list[float] = field(default_factory=list)

    def time(self, work: Callable[[], str], inside: Inside) -> str:
        gc.collect()
        inside.seconds = 0.0
        started = time.process_time(), time.perf_counter()
        text = work()
        self.processor.append(time.process_time() - started[0])
        self.wall.append(time.perf_counter() - started[1])
        self.outside.append(self.processor[-1] - inside.seconds)
        return text


class Inside:
    """Stands before `model.generate` and adds up the processor time that is spent in it."""

    def __init__(self, generate: Callable[..., Any]) -> None:
        self.generate, self.seconds = generate, 0.0

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        started = time.process_time()
        try:
            return self.generate(*arguments, **options)
        finally:
            self.seconds += time.process_time() - started


def bare_answer(model: Any, tokenizer: Any, torch: Any, *, prompt: Prompt, tokens: int) -> str:
    """What anyone would write: tokenise, generate greedily, decode what is new."""
    inputs = tokenizer(prompt.prompt_text, add_special_tokens=False, return_tensors="pt")
    with torch.inference_mode():
        output = model.generate(**inputs, max_new_tokens=tokens, do_sample=False)
    return tokenizer.decode(output[0, inputs["input_ids"].shape[1] :], skip_special_tokens=False)


def faircall_answer(backend: Backend, journal: Journal, *, prompt: Prompt) -> str:
    """One prompt of a sequential run; its warm-up call makes it two, like the bare side's."""
    run = generate_sequentially(backend, {"en": [prompt]}, journal=journal, clock=time.monotonic_ns)
    generation = run.entries[0].generation
    return generation.raw_text + (generation.stop_token or "")


def measure(prompts: list[Prompt], *, tokens: int, rounds: int) -> tuple[Side, Side]:
    """The bare side and the other, in turn; both texts of each prompt must be equal."""
    import torch

    folder = ensure_embedded_model()
    request = BackendRequest(ModelSettings(str(folder)), Decoding(tokens), threads=1)
    backend = BACKENDS.get("transformers")(request)
    model, tokenizer = backend._model, backend._checkpoint.tokenizer
    inside = model.generate = Inside(model.generate)
    bare, ours = Side(), Side()
    with tempfile.TemporaryDirectory() as scratch, open_journal(Path(scratch) / "journal", {}) as journal:
        for number in range(rounds):
            for place, prompt in enumerate(prompts):
                named = replace(prompt, example_id=f"{prompt.example_id} {number}")

                def answer_bare(prompt: Prompt = prompt) -> str:
                    bare_answer(model, tokenizer, torch, prompt=prompt, tokens=tokens)
                    return bare_answer(model, tokenizer, torch, prompt=prompt, tokens=tokens)

                def answer_ours(named: Prompt = named) -> str:
                    return faircall_answer(backend, journal, prompt=named)

                turns = [(bare, answer_bare), (ours, answer_ours)]
                ordered = turns if (number + place) % 2 else turns[::-1]
                texts = {side.time(work, inside) for side, work in ordered}
                assert len(texts) == 1, f"the sides differ on {prompt.example_id}: {texts}"
    backend.close()
    return bare, ours


def table(bare: Side, ours: Side, *, prompts: int, tokens: int) -> str:
    import torch
    import transformers

    rows = []
    for words, name in (
        ("processor", "processor"),
        ("wall", "wall"),
        ("processor, outside of `generate`", "outside"),
    ):
        first, second = getattr(bare, name), getattr(ours, name)
        ratio = statistics.median(b / a for a, b in zip(first, second, strict=True))
        medians = [f"{statistics.median(times) / 2:.4f}" for times in (first, second)]
        rows.append(f"| {words} | {medians[0]} | {medians[1]} | {ratio:.3f} |")
    versions = f"torch {torch.__version__}, transformers {transformers.__version__}"
    return "\n".join(
        (
            f"{len(bare.wall)} turns of each side over {prompts} prompts of the demo, up to",
            f"{tokens} new tokens, one thread; {versions}, Python {platform.python_version()}.",
            "",
            "| seconds per answer, median | bare `generate` | faircall | median ratio |",
            "| --- | --- | --- | --- |",
            *rows,
            "",
            f"faircall's own share of an answer: {100 * own_share(bare, ours):.2f}% of its processor time.",
            "",
        )
    )


def own_share(bare: Side, ours: Side) -> float:
    """What the run adds outside of `generate`, of the bare side's whole time: medians over the turns."""
    added = statistics.median(b - a for a, b in zip(bare.outside, ours.outside, strict=True))
    return added / statistics.median(bare.processor)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--write", action="store_true", help="put the table into docs/costs.md")
    options.add_argument("--prompts", type=int, default=4)
    options.add_argument("--tokens", type=int, default=24)
    options.add_argument("--rounds", type=int, default=5)
    given = options.parse_args()
    prompts = read_prompts(reference_run().formatted_file("test"))[: given.prompts]
    bare, ours = measure(list(prompts), tokens=given.tokens, rounds=given.rounds)
    text = table(bare, ours, prompts=given.prompts, tokens=given.tokens)
    print(text)
    if given.write:
        page = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(MARKS.sub(lambda found: found[1] + text + found[2], page), encoding="utf-8")
    ratio = statistics.median(b / a for a, b in zip(bare.processor, ours.processor, strict=True))
    print("holds" if ratio <= LIMIT else "DOES NOT HOLD", f"(at most {LIMIT})")


if __name__ == "__main__":
    main()
