"""Make the demo's rows: the test set from `test.yaml`, training sets from `train.yaml`. Seeded, no network.

    PYTHONPATH=src python examples/demo/make_requests.py

writes `src/faircall/demo/data/test.{en,fr}.jsonl` (shipped) and `examples/demo/rows/train.{en,en_fr}.jsonl`
(made again at will). It refuses to write anything when a request, a phrasing or a copied value occurs both in
test and in training.
"""

from __future__ import annotations

import argparse
import random
import re
from pathlib import Path
from typing import Any

import yaml

from faircall.canonical import canonical_json

HERE = Path(__file__).parent
DATA = HERE.parent.parent / "src" / "faircall" / "demo" / "data"
LANGUAGES = ("en", "fr")
SLOT = re.compile(r"\{([a-z_.]+)\}")
Row = dict[str, Any]


def load(name: str) -> dict[str, Any]:
    content: dict[str, Any] = yaml.safe_load((HERE / name).read_text(encoding="utf-8"))
    return content


def tool_schema(name: str, tool: dict[str, Any]) -> Row:
    """The tool as a model sees it: name, description and a JSON Schema of its parameters."""
    parameters = {"type": "object", "properties": tool["properties"], "required": tool["required"]}
    return {"name": name, "description": tool["description"], "parameters": parameters}


def offer(gold: str, tools: dict[str, Any], rng: random.Random) -> list[Row]:
    """The gold tool and one or two others (one of them, mostly, a tool that is easily confused), shuffled."""
    first = rng.choice(tools[gold]["near"]) if rng.random() < 0.7 else rng.choice(sorted(set(tools) - {gold}))
    names = [gold, first]
    if rng.random() < 0.5:
        names.append(rng.choice(sorted(set(tools) - set(names))))
    rng.shuffle(names)
    return [tool_schema(name, tools[name]) for name in names]


def row(example_id: str, query: str, tools: list[Row], call: Row) -> Row:
    return {"id": example_id, "query": query, "tools": tools, "answers": [call]}


# -------------------------------------------------------------------------------------------- test set


def make_test(tools: dict[str, Any], requests: dict[str, Any], rng: random.Random) -> dict[str, list[Row]]:
    """One English root per hand-written request and its French translation, with the same tools and gold."""
    made: dict[str, list[Row]] = {language: [] for language in LANGUAGES}
    entries = [(name, entry) for name, entries in requests.items() for entry in entries]
    rng.shuffle(entries)
    for number, (name, (arguments, english, french)) in enumerate(entries, start=1):
        check_request(name, arguments, (english, french))
        offered, call = offer(name, tools, rng), {"name": name, "arguments": arguments}
        root = f"en-{number:03}"
        made["en"].append(row(root, english, offered, call))
        made["fr"].append(row(f"fr-{number:03}", french, offered, call) | {"source_example_id": root})
    return made


def check_request(name: str, arguments: Row, texts: tuple[str, str]) -> None:
    """Every copied value stands verbatim in both requests."""
    for value in copied_values(name, arguments):
        for text, language in zip(texts, LANGUAGES, strict=True):
            if spoken(value, language) not in text:
                raise SystemExit(f"{name}: {value!r} is not in the {language} request {text!r}")


def leaves(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [leaf for item in value.values() for leaf in leaves(item)]
    if isinstance(value, list):
        return [leaf for item in value for leaf in leaves(item)]
    return [value]


def copied_values(name: str, arguments: Row) -> list[Any]:
    """The values that come from the request itself: everything but booleans and enums."""
    properties = TOOLS[name]["properties"]
    free = [value for key, value in arguments.items() if "enum" not in properties[key]]
    return [leaf for leaf in leaves(free) if not isinstance(leaf, bool)]


def spoken(value: Any, language: str) -> str:
    """A value as a request writes it: French has a decimal comma."""
    text = str(value)
    return text.replace(".", ",") if language == "fr" and isinstance(value, float) else text


# ---------------------------------------------------------------------------------------- training set


def make_train(languages: list[str], *, count: int, seed: int) -> list[Row]:
    """`count` rows: tools in turn, languages in turn, every template of a tool equally often."""
    rng = random.Random(seed)
    material, made, seen = load("train.yaml"), [], set[str]()
    decks: dict[tuple[str, str], list[Any]] = {}
    for number in range(count):
        name = sorted(TOOLS)[number % len(TOOLS)]
        language = languages[(number // len(TOOLS)) % len(languages)]
        deck = decks.setdefault((name, language), [])
        query, call = draw_request(name, material[name], language, deck, rng, seen)
        made.append(row(f"train-{number:04}", query, offer(name, TOOLS, rng), call) | {"language": language})
    rng.shuffle(made)
    return made


def draw_request(
    name: str, material: Row, language: str, deck: list[Any], rng: random.Random, seen: set[str]
) -> tuple[str, Row]:
    """A request that was not drawn before (three tries; the closed worlds of some tools are small)."""
    for _ in range(3):
        if not deck:
            deck.extend(material["rows"])
            rng.shuffle(deck)
        query, arguments = fill(deck.pop(), material["values"], language, rng)
        if query not in seen:
            break
    seen.add(query)
    return query, {"name": name, "arguments": arguments}


def fill(template: list[Any], values: Row, language: str, rng: random.Random) -> tuple[str, Row]:
    """Draw a value for each slot of the template and put it into the request and into the arguments."""
    fixed, text = template[0], template[1 + LANGUAGES.index(language)]
    arguments, words, used = dict(fixed), dict[str, str](), []
    for slot in dict.fromkeys(SLOT.findall(template[1])):
        value, words[slot] = draw(values[slot], language, rng, used)
        used.append(value)
        head, _, leaf = slot.partition(".")
        if leaf:
            arguments.setdefault(head, {})[leaf] = value
        else:
            arguments[head] = value
    return SLOT.sub(lambda match: words[match[1]], text), arguments


def draw(pool: Any, language: str, rng: random.Random, used: list[Any]) -> tuple[Any, str]:
    """A value of a pool and how the language writes it; `used` keeps two slots of one request apart."""
    if isinstance(pool, list):
        value = rng.choice([item for item in pool if item not in used and item not in HELD_OUT])
        return value, spoken(value, language)
    if "list" in pool:
        chosen = rng.sample(pool["list"], k=rng.choice([1, 1, 2, 2, 3]))
        return chosen, enumerate_words(chosen, language)
    if kinds := set(pool) & {"range", "money", "degrees"}:
        value = draw_number(kinds.pop(), pool, rng)
        return value, spoken(value, language)
    value = rng.choice(sorted(pool))
    return value, pool[value][LANGUAGES.index(language)]


def draw_number(kind: str, pool: Row, rng: random.Random) -> int | float:
    """A number that no test request uses; money and degrees have a fraction now and then."""
    low, high = pool[kind]
    while True:
        value: int | float = rng.randint(low, high)
        if kind == "money":
            value = round(10 ** rng.uniform(len(str(low)) - 0.5, len(str(high)) - 0.1))
        if kind != "range" and rng.random() < 0.3:
            value += rng.choice([0.5, 0.25] if kind == "money" else [0.5])
        if value not in HELD_OUT:
            return value


def enumerate_words(items: list[str], language: str) -> str:
    """`A, B and C` in the language.

    >>> enumerate_words(["A", "B", "C"], "fr")
    'A, B et C'
    """
    word = {"en": "and", "fr": "et"}[language]
    return f" {word} ".join(part for part in (", ".join(items[:-1]), items[-1]) if part)


# ---------------------------------------------------------------------------------- disjointness check


def skeleton(row_: Row) -> str:
    """The request without its values: what is left is the phrasing."""
    call, text = row_["answers"][0], row_["query"]
    for value in sorted(map(str, copied_values(call["name"], call["arguments"])), key=len, reverse=True):
        text = text.replace(value, "_").replace(value.replace(".", ","), "_")
    return re.sub(r"[^\w]+", " ", text).strip().casefold()


def check_disjoint(train: list[Row], test: list[Row]) -> None:
    """No test request, phrasing or copied value occurs in training.

    Booleans and enum values are closed sets that both must use.
    """
    for what, key in (("request", lambda r: r["query"].casefold()), ("phrasing", skeleton)):
        if common := {key(r) for r in train} & {key(r) for r in test}:
            raise SystemExit(f"{what} in training and test: {sorted(common)}")
    if common := values_of(train) & values_of(test):
        raise SystemExit(f"values in training and test: {sorted(common)}")


def values_of(rows: list[Row]) -> set[str]:
    calls = [r["answers"][0] for r in rows]
    return {canonical_json(v) for call in calls for v in copied_values(call["name"], call["arguments"])}


def write_rows(path: Path, rows: list[Row]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(canonical_json(r) + "\n" for r in rows), encoding="ascii")
    print(f"{len(rows):5} rows  {path.relative_to(HERE.parent.parent)}")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--seed", type=int, default=42)
    options.add_argument("--train", type=int, default=960, help="rows of each training set")
    asked = options.parse_args()
    test = make_test(TOOLS, REQUESTS, random.Random(asked.seed))
    train = {
        "en": make_train(["en"], count=asked.train, seed=asked.seed + 1),
        "en_fr": make_train(["en", "fr"], count=asked.train, seed=asked.seed + 2),
    }
    check_disjoint([*train["en"], *train["en_fr"]], [*test["en"], *test["fr"]])
    for language in LANGUAGES:
        write_rows(DATA / f"test.{language}.jsonl", test[language])
    for name, rows in train.items():
        write_rows(HERE / "rows" / f"train.{name}.jsonl", rows)


TOOLS = load("tools.yaml")
REQUESTS = load("test.yaml")
HELD_OUT = {
    value
    for name, entries in REQUESTS.items()
    for entry in entries
    for value in copied_values(name, entry[0])
}

if __name__ == "__main__":
    main()
