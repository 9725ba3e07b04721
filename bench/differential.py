"""Parse and score mutated texts with faircall and with the obvious implementation of the tests.

    python bench/differential.py [--inputs 200000] [--seed 1]

Prints how many texts had each status, and the first disagreement if there is one (exit status 1).
"""

import argparse
import json
import random
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests")]

import oracle  # noqa: E402
from faircall.api.prepared_gold import PreparedGold  # noqa: E402
from faircall.canonical import canonical_json  # noqa: E402
from faircall.parsing.span import first_bracket, has_bracket  # noqa: E402
from faircall.parsing.tool_call import NO_JSON, parse_tool_call, read_call, read_shape  # noqa: E402
from faircall.records import Parsed, ToolCall  # noqa: E402
from faircall.scoring.call_metrics import components  # noqa: E402
from faircall.scoring.match import match_call  # noqa: E402
from faircall.strict_json import JsonFault, decode_at, decode_strictly  # noqa: E402

BATCH = 1_000
GOLDS = [
    {"name": "f", "arguments": {"a": 1, "b": ["x", {"c": None}], "d": True}},
    {"name": "ping", "arguments": {}},
    {"name": "h", "arguments": {"a": {"b": -0.0, "c": 12345678901234567890}, "": "é\ud83d", "x.y": [[], {}]}},
    {"name": "say", "arguments": {"text": 'quote " brace } [ \\ \n end', "n": 1.5e300}},
    {"name": "a:b", "arguments": {"url": "http://h:80/?q={x}", "at": "10:30", "o": {"k:": ":", "n": 0}}},
    {
        "name": "n",
        "arguments": {"zero": 0, "no": False, "one": 1.0, "e": {}, "l": [[1, [2.5]], {"a": {"b": 0.0}}]},
    },
]
STAND_INS = [
    "0",
    "-0",
    "0.0",
    "-0.0",
    "1",
    "1.0",
    "1e0",
    "true",
    "false",
    "null",
    '""',
    '"1"',
    "{}",
    "[]",
    "[0]",
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
    "{}, [{}]",
    "{},",
    "\ufeff{}",
    "{}\u00a0",
    " {}\n",
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
    *(f"{'[' * depth}{']' * depth}" for depth in (253, 254, 255, 256)),
    *(f'{{"a":{"[" * depth}{"]" * depth}}}' for depth in (252, 253, 254, 255)),
    "-Infinity",
    '"\\u0000"',
    '"\\u003a"',
    '"}{][:"',
]


def rewrite(rng: random.Random, value: object) -> str:
    """The value in another spelling: keys in any order or twice, space and escapes anywhere, other leaves."""
    space = rng.choice(["", "", "", " ", "\n\t"])
    if rng.random() < 0.04:
        return rng.choice([*STAND_INS, *LITERALS])
    if isinstance(value, dict):
        members = list(value.items())
        rng.shuffle(members)
        if members and rng.random() < 0.1:
            members.append(rng.choice(members))
        if rng.random() < 0.03:
            members.append((rng.choice(["", "a", "x:", "name"]), None))
        written = (
            f"{space}{rewrite_string(rng, key)}:{space}{rewrite(rng, member)}" for key, member in members
        )
        return f"{{{','.join(written)}{space}}}"
    if isinstance(value, list):
        return f"[{space}{','.join(rewrite(rng, member) for member in value)}]"
    return rewrite_string(rng, value) if isinstance(value, str) else json.dumps(value)


def rewrite_string(rng: random.Random, value: str) -> str:
    text = json.dumps(value, ensure_ascii=rng.random() < 0.5)
    if rng.random() < 0.15 and "\\" not in text:
        return '"' + "".join(f"\\u{ord(char):04x}" if rng.random() < 0.5 else char for char in value) + '"'
    return text


def mutate(rng: random.Random, gold: dict) -> str:
    if rng.random() < 0.5:
        text = rewrite(rng, gold)
        return rng.choice(FRAMES).replace("{}", text) if rng.random() < 0.3 else text
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
    start = first_bracket(text)
    return start is None or outcome(decode_at, text, start) == outcome(decode_strictly, text, start)


def outcome(decoder, text: str, start: int) -> str:
    try:
        return repr(decoder(text, start))
    except JsonFault as fault:
        return str(fault)


def read_strictly(text: str) -> Parsed:
    """`parse_tool_call` from its definition: the strict tier, then the shape."""
    start = first_bracket(text)
    if start is None:
        return NO_JSON
    try:
        value, end = decode_strictly(text, start)
    except JsonFault as fault:
        status = "invalid_shape" if fault.reason == "duplicate_key" else "invalid_json"
        return Parsed(None, status, fault.reason)
    return read_shape(value, span=(start, end), trailing_json=has_bracket(text, end))


def reading(parsed: Parsed) -> str:
    """All that is said of a text, but for the span of what is not valid JSON."""
    span = parsed.span if parsed.reason not in ("bad_json", "duplicate_key") else None
    return repr((parsed.call, parsed.status, parsed.reason, span, parsed.trailing_json, parsed.calls))


def first_disagreement(golds: list[dict], texts: list[str], statuses: Counter) -> str | None:
    prepared = PreparedGold(golds).components(texts).tolist()
    for gold, text, ours in zip(golds, texts, prepared, strict=True):
        parsed, expected = parse_tool_call(text), oracle.components(gold, text)
        by_call = components([match_call(ToolCall(**gold), parsed.call)])[0].tolist()
        if not (
            ours == by_call == expected
            and parsed.status == oracle.parse(text)[0]
            and reading(parsed) == reading(read_strictly(text))
            and repr(read_call(text)) == repr(parsed.call)
            and tiers_agree(text)
        ):
            return f"{text!r} for {gold}\n{parsed} {ours} {by_call}\n{oracle.parse(text)} {expected}"
        statuses[parsed.status] += 1
    return None


def inputs(rng: random.Random) -> Iterator[tuple[dict, str]]:
    while True:
        gold = rng.choice(GOLDS)
        yield gold, mutate(rng, gold)


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--inputs", type=int, default=200_000)
    options.add_argument("--seed", type=int, default=1)
    chosen = options.parse_args()
    pairs = islice(inputs(random.Random(chosen.seed)), chosen.inputs)
    statuses = Counter()
    while batch := list(islice(pairs, BATCH)):
        found = first_disagreement(*map(list, zip(*batch, strict=True)), statuses)
        if found:
            print(found)
            return 1
    print(f"{chosen.inputs} inputs agree: {dict(statuses.most_common())}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
