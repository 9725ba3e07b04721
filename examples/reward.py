import json
from pathlib import Path

import faircall

lines = Path("examples/data/smollm2_adapter.jsonl").read_text(encoding="utf-8").splitlines()
examples = [json.loads(line) for line in lines]
gold = faircall.prepare_gold([example["gold"] for example in examples])


def reward(completions, rows):
    """One number from 0 to 1 per completion: half for the very call, half for the share of its arguments."""
    parts = gold.components(completions, rows=rows)
    exact, f1 = parts[:, 4], parts[:, 3]
    return ((exact[:, 0] + f1[:, 0] / f1[:, 1]) / 2).tolist()


batch = [1, 1, 0, 0]  # two completions for each of two prompts
completions = [examples[1]["raw_text"], "I am not sure.", examples[0]["raw_text"], "I am not sure."]
print(reward(completions, batch))
