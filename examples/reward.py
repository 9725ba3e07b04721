import json
from pathlib import Path

import faircall


def reward(completions, gold):
    """One number from 0 to 1 per completion: half for the very call, half for the share of its arguments."""
    parts = faircall.prepare_gold(gold).components(completions)
    exact, f1 = parts[:, 4], parts[:, 3]
    return ((exact[:, 0] + f1[:, 0] / f1[:, 1]) / 2).tolist()


lines = Path("examples/data/smollm2_adapter.jsonl").read_text(encoding="utf-8").splitlines()
rows = [json.loads(line) for line in lines[:2]]
completions = [text for row in rows for text in (row["raw_text"], "I am not sure.")]  # two per prompt
print(reward(completions, [row["gold"] for row in rows for _ in range(2)]))
