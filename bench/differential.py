"""Parse and score mutated texts with faircall and with the obvious implementation of the tests.

    python bench/differential.py [--inputs 200000] [--seed 1]

Prints how many texts had each status, and the first disagreement if there is one (exit status 1).
"""

import argparse
import json
import random
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests")]

import oracle  # noqa: E402
from faircall.canonical import canonical_json  # noqa: E402
from faircall.parsing.tool_call import parse_tool_call  # noqa: E402
from faircall.records import ToolCall  # noqa: E402
from faircall.scoring.call_metrics import components  # noqa: E402
from faircall.scoring.match import match_call  # noqa: E402
from faircall.strict_json import JsonFault, decode_at, decode_strictly  # noqa: E402

GOLDS = [
    {"name": "f", "arguments": {"a": 1, "b": ["x", {"c": None}], "d": True}},
    {"name": "ping", "arguments": {}},
    {"name": "h", "arguments": {"a": {"b": -0.0, "c": 12345678901234567890}, "": "é\ud83d", "x.y": [[], {}]}},
    {"name": "say", "arguments": {"text": 'quote " brace } [ \\ \n end', "n": 1.5e300}},
]
CHARACTERS = '{}[],:"\\ \n\t\x000159.eE+-truefalsn\u00a0a\ud83d'
FRAMES = [
    "{}",
    "[{}]",
    "[{}, {}]",
    "Sure: {} ok",
    "```json\n{}\n```",
    "<think>[1]</think>{}",
    "{}}}",
    "{} {}",
]
LITERALS = [
    "1e400",
    "-1e308",
    "9" * 1000,
    "9" * 1001,
    "NaN",
    "01",
    "1.",
    '"\\ud83d\\ude00"',
    "[" * 255,
    "{}" * 3,
]


def mutate(rng: random.Random, gold: dict) -> str:
    body = rng.choice([canonical_json, json.dumps, lambda value: json.dumps(value, indent=1)])(gold)
    text = rng.choice(FRAMES).replace("{}", body) if rng.random() < 0.4 else body
    letters = list(text)
    for _ in range(rng.choice([0, 1, 1, 2, 4])):
        at = rng.randrange(len(letters) + 1)
        kind = rng.random()
        if kind < 0.1:
            letters[at:at] = rng.choice(LITERALS)
        elif kind < 0.2:
            end = rng.randrange(len(letters) + 1)
            letters[at:at] = letters[min(at, end) : max(at, end)]
        elif kind < 0.25:
            del letters[at:]
        else:
            letters[at : at + rng.randint(0, 2)] = rng.choices(CHARACTERS, k=rng.randint(0, 2))
    return "".join(letters)


def tiers_agree(text: str) -> bool:
    start = min((at for at in (text.find("{"), text.find("[")) if at >= 0), default=None)
    return start is None or outcome(decode_at, text, start) == outcome(decode_strictly, text, start)


def outcome(decoder, text: str, start: int) -> str:
    try:
        return repr(decoder(text, start))
    except JsonFault as fault:
        return str(fault)


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--inputs", type=int, default=200_000)
    options.add_argument("--seed", type=int, default=1)
    chosen = options.parse_args()
    rng = random.Random(chosen.seed)
    statuses = Counter()
    for number in range(chosen.inputs):
        gold = rng.choice(GOLDS)
        text = mutate(rng, gold)
        parsed = parse_tool_call(text)
        found = components([match_call(ToolCall(**gold), parsed.call)])[0].tolist()
        if (
            found != oracle.components(gold, text)
            or parsed.status != oracle.parse(text)[0]
            or not tiers_agree(text)
        ):
            print(f"input {number}: {text!r}\n{parsed} {found}")
            print(f"{oracle.parse(text)} {oracle.components(gold, text)}")
            return 1
        statuses[parsed.status] += 1
    print(f"{chosen.inputs} inputs agree: {dict(statuses.most_common())}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
