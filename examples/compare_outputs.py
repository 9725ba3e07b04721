import json
from pathlib import Path

import faircall


def evaluate(path):
    rows = [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines()]
    return faircall.score(
        [row["gold"] for row in rows],
        [row["raw_text"] for row in rows],
        tools=[row["tools"] for row in rows],
        ids=[row["id"] for row in rows],
    )


base = evaluate("examples/data/smollm2_base.jsonl")
adapter = evaluate("examples/data/smollm2_adapter.jsonl")
print(adapter.metrics["full_call_exact_match"])

delta = faircall.compare(base, adapter).to_dict()["overall"]["metrics"]["full_call_exact_match"]
print(delta["table"], delta["interval"]["lower"] > 0)
