"""A finished run of all stages through the command line: `verify` finds every flipped bit in it."""

import json
import random

from faircall.cli import main
from faircall.store.atomic import write_json_lines
from faircall.store.files import read_json_lines
from faircall.store.layout import open_run
from faircall.store.verification import verify

TEMPLATE = "{% for m in messages %}[{{ m.role }}]{{ m.content }}{% endfor %}[answer]"


def finish_run(folder):
    """init, prepare, format, two replayed arms, experiment."""
    config = folder / "faircall.yaml"
    assert main(["init", str(folder)]) == 0
    (folder / "models/base").mkdir(parents=True)
    tokenizer = {"bos_token": "<s>", "add_bos_token": True, "chat_template": TEMPLATE}
    (folder / "models/base/tokenizer_config.json").write_text(json.dumps(tokenizer))
    text = config.read_text().replace("backend: transformers ", "backend: replay ")
    text = text.replace("base: {}", "base: {replay: base.jsonl}").replace(
        "replay: null", "replay: adapter.jsonl"
    )
    config.write_text(text)
    assert main(["data", "prepare", "-c", str(config), "--run-id", "r"]) == 0
    assert main(["format", "build", "-c", str(config)]) == 0
    run = open_run(folder / "artifacts/runs/r")
    prompts = [line.value for line in read_json_lines(run.formatted_file("test"))]
    assert all(prompt["prompt_text"].startswith("<s>[system]") for prompt in prompts)
    for arm, answer in (("base", "none"), ("adapter", None)):
        rows = [
            {"example_id": one["example_id"], "raw_text": answer or one["target_text"]} for one in prompts
        ]
        write_json_lines(folder / f"{arm}.jsonl", rows)
        assert main(["eval", "run", "-c", str(config), "--arm", arm]) == 0
    assert main(["report", "experiment", str(run.path)]) == 0
    return run


def test_every_flipped_bit_of_a_finished_run_is_found(tmp_path):
    run = finish_run(tmp_path)
    assert verify(run).mismatches == ()
    draw = random.Random(11)
    paths = sorted(path for path in run.path.rglob("*") if path.is_file())
    assert len(paths) > 20
    for path in paths:
        clean = path.read_bytes()
        for bit in draw.sample(range(8 * len(clean)), min(3, 8 * len(clean))):
            damaged = bytearray(clean)
            damaged[bit // 8] ^= 1 << bit % 8
            path.write_bytes(damaged)
            assert run.relative(path) in [one.path for one in verify(run).mismatches], (path, bit)
        path.write_bytes(clean)
    assert verify(run).mismatches == ()
