"""Agreement of `accepted_values.v1` with BFCL's own checker on perturbed answers.

Needs bfcl-eval (`pip install --no-deps bfcl-eval`). Its checker is imported without its vendor clients: the
one module that pulls them in is replaced by the single setting that the checker reads from it.

    python bench/bfcl_agreement.py
"""

import copy
import importlib.util
import json
import random
import sys
import types
from collections import Counter
from pathlib import Path

from faircall.api.importing import import_files
from faircall.records import ToolCall
from faircall.scoring.protocols.accepted_values import load_truth, match_accepted

CATEGORIES = ("simple_python", "multiple", "live_simple", "live_multiple")
ANSWERS_PER_QUESTION = 3
SEED = 7


def main() -> None:
    checker, python, data = load_checker()
    rng = random.Random(SEED)
    outcomes, shown = Counter(), {}
    for category in CATEGORIES:
        path = data / f"BFCL_v4_{category}.json"
        questions, answers = by_id(path), by_id(data / "possible_answer" / path.name)
        (file,) = import_files([str(path)])
        for row in file.outcome.rows:
            truth = load_truth(row["accepted"])
            for _ in range(ANSWERS_PER_QUESTION):
                name, arguments = perturbed_call(row["gold"], rng)
                ours = bool(match_accepted(truth, ToolCall(name, arguments)).full)
                verdict = checker(
                    questions[row["id"]]["function"],
                    [{name: copy.deepcopy(arguments)}],
                    copy.deepcopy(answers[row["id"]]["ground_truth"]),
                    python,
                    category,
                    "model",
                )
                kind = (ours, verdict["valid"], "" if verdict["valid"] else verdict["error_type"])
                outcomes[kind] += 1
                shown.setdefault(kind, (row["id"], name, arguments))
    for (ours, theirs, error), count in outcomes.most_common():
        mark = "" if ours == theirs else f"  DISAGREE, first: {shown[ours, theirs, error]}"
        print(f"{count:6} here {ours!s:5} there {theirs!s:5} {error}{mark}")
    agree = sum(count for (ours, theirs, _), count in outcomes.items() if ours == theirs)
    print(f"{agree} of {sum(outcomes.values())} agree")


def load_checker():
    spec = importlib.util.find_spec("bfcl_eval")
    if spec is None or spec.origin is None:
        sys.exit("bfcl-eval is not installed: pip install --no-deps bfcl-eval")
    settings = types.ModuleType("bfcl_eval.constants.model_config")
    settings.MODEL_CONFIG_MAPPING = {"model": types.SimpleNamespace(underscore_to_dot=False)}
    sys.modules[settings.__name__] = settings
    from bfcl_eval.constants.enums import Language
    from bfcl_eval.eval_checker.ast_eval.ast_checker import ast_checker

    return ast_checker, Language.PYTHON, Path(spec.origin).parent / "data"


def by_id(path):
    return {row["id"]: row for row in map(json.loads, path.read_text(encoding="utf-8").splitlines())}


def perturbed_call(gold, rng):
    """The gold with one thing changed: an argument dropped, added or altered, or another name."""
    name, arguments = gold["name"], copy.deepcopy(gold["arguments"])
    chance = rng.random()
    if chance < 0.10 and arguments:
        arguments.pop(rng.choice(list(arguments)))
    elif chance < 0.15:
        arguments["zz_extra"] = 1
    elif chance < 0.20:
        name += "x"
    elif arguments:
        key = rng.choice(list(arguments))
        arguments[key] = perturbed(arguments[key], rng)
    return name, arguments


def perturbed(value, rng):
    if isinstance(value, bool):
        return rng.choice([not value, str(value), int(value), value])
    if isinstance(value, (int, float)):
        return rng.choice([value + 1, float(value), int(value), str(value), value])
    if isinstance(value, str):
        return rng.choice(
            [value.upper(), f" {value}", value.replace(" ", ""), f"{value}.", f"{value}x", "", value]
        )
    if isinstance(value, list) and value:
        first = perturbed(value[0], rng)
        return rng.choice([value[::-1], value[:-1], [first, *value[1:]], value])
    if isinstance(value, dict) and value:
        key = rng.choice(list(value))
        less = {name: member for name, member in value.items() if name != key}
        return rng.choice([less, {**value, key: perturbed(value[key], rng)}])
    return value


if __name__ == "__main__":
    main()
