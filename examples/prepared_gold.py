import json
from pathlib import Path

import faircall

folder = Path("examples/data")
base, adapter = (
    [json.loads(line) for line in (folder / name).read_text(encoding="utf-8").splitlines()]
    for name in ("smollm2_base.jsonl", "smollm2_adapter.jsonl")
)
gold = faircall.prepare_gold([row["gold"] for row in base])

for rows in (base, adapter):
    texts = [row["raw_text"] for row in rows]
    print(gold.metrics(texts)["full_call_exact_match"], gold.components(texts).shape)
