"""How often `accepted_values.v1` and BFCL's own `ast_checker` agree, on gold answers and perturbed ones.

    pip install --no-deps bfcl-eval==2026.3.23
    PYTHONPATH=src python bench/bfcl_agreement.py [--answers 2] [--seed 7] [--show CLASS]

Each question of the four Python single-call categories is imported as `faircall import` does. Its gold and
random changes of it are given to both. Every disagreement is put into the first class of `CLASSES` that
fits; "unexplained" fails the run. BFCL's checker is imported without its model table, which loads the clients
of some twenty vendors and serves here only to say whether dots in names become underscores (no).
"""

import argparse
import copy
import json
import random
import sys
import types
from collections import Counter, defaultdict
from importlib.util import find_spec
from pathlib import Path

from bfcl_changes import CHANGES, truth_of

from faircall.api.importing import import_files
from faircall.canonical import canonical_json
from faircall.records import ToolCall
from faircall.scoring.protocols.accepted_values import load_truth, match_accepted
from faircall.tools import find_tool

CATEGORIES = ("simple_python", "multiple", "live_simple", "live_multiple")


def stand_in_for_models():
    """Put a table in which no model renames anything in place of the one that imports vendors' clients."""

    class NoRename:
        underscore_to_dot = False

    stand_in = types.ModuleType("bfcl_eval.constants.model_config")
    stand_in.MODEL_CONFIG_MAPPING = defaultdict(NoRename)
    sys.modules[stand_in.__name__] = stand_in


def load_ast_checker():
    stand_in_for_models()
    from bfcl_eval.constants.enums import Language
    from bfcl_eval.eval_checker.ast_eval.ast_checker import ast_checker

    def is_right(functions, call, truth, category):
        try:
            output = [{call["name"]: copy.deepcopy(call["arguments"])}]
            functions, truth = copy.deepcopy(functions), copy.deepcopy(truth)
            return bool(ast_checker(functions, output, truth, Language.PYTHON, category, "none")["valid"])
        except Exception as error:  # what its checker does not expect, it raises on
            return f"raises {type(error).__name__}"

    return is_right


def questions(category):
    folder = Path(find_spec("bfcl_eval").submodule_search_locations[0]) / "data"
    file = folder / f"BFCL_v4_{category}.json"
    (imported,) = import_files([str(file)])
    with (folder / "possible_answer" / file.name).open(encoding="utf-8") as lines:
        truths = {row["id"]: row["ground_truth"] for row in map(json.loads, lines)}
    counts = imported.outcome.counts
    assert counts["seen"] == len(truths) == counts["imported"] + counts["rejected"]
    return imported, [(row, truths[row["id"]]) for row in imported.outcome.rows]


# Why both differ: the first class that fits. `faircall` is our verdict, `bfcl` theirs.


def properties(row):
    tool = find_tool(row["tools"], row["accepted"]["name"])
    return tool["parameters"]["properties"] if tool else {}


def bfcl_raises(row, truth, call, faircall, bfcl):
    return isinstance(bfcl, str)


def required_but_absent(row, truth, call, faircall, bfcl):
    """The answers do not know an argument that the schema requires: no call is right for BFCL."""
    tool = find_tool(row["tools"], row["accepted"]["name"])
    return faircall and set(tool["parameters"].get("required", ())) - truth_of(truth).keys()


def undeclared_gold(row, truth, call, faircall, bfcl):
    """The answers name an argument that the schema lacks: BFCL takes no call that gives it."""
    return faircall and set(call["arguments"]) - properties(row).keys()


def empty_list_for_optional(row, truth, call, faircall, bfcl):
    """Where a list may be left out, BFCL's list checker turns the mark "" into [] and accepts it."""
    return bfcl is True and any(
        value == [] and isinstance(value, list) and "" in truth_of(truth).get(name, ())
        for name, value in call["arguments"].items()
    )


def unicode_form(row, truth, call, faircall, bfcl):
    """Texts that differ only in how accents are written, or in letters that folding joins: we accept them."""
    return faircall and "\\u" in canonical_json(call["arguments"])


def mixed_lists(row, truth, call, faircall, bfcl):
    """Accepted lists of texts beside lists of something else: one rule for the argument, so it is exact."""
    kinds = [
        {type(member) for answer in values if isinstance(answer, list) for member in answer}
        for name, values in truth_of(truth).items()
        if isinstance(call["arguments"].get(name), list)
    ]
    return bfcl is True and any(len(found) > 1 for found in kinds)


def python_equality(row, truth, call, faircall, bfcl):
    """Inside objects and lists BFCL asks Python's ==, for which True is 1 and 1 is 1.0."""
    nested = [value for value in call["arguments"].values() if isinstance(value, (list, dict))]
    return bfcl is True and nested


CLASSES = (bfcl_raises, required_but_absent, undeclared_gold, empty_list_for_optional, unicode_form,
           mixed_lists, python_equality)  # fmt: skip


def classify(*case):
    return next((known.__name__ for known in CLASSES if known(*case)), "unexplained")


def answers_of(row, truth, rng, count):
    """Name of the change -> changed calls, each once; the gold call is the first."""
    yield "gold", row["gold"]
    for change in CHANGES:
        made = [change(row["gold"], truth, rng) for _ in range(count)]
        unique = {canonical_json(call): call for call in made if call is not None}
        yield from ((change.__name__, call) for call in unique.values())


def judge(category, is_right, rng, given):
    """Totals and classes of one category."""
    imported, rows = questions(category)
    totals, classes = Counter(), Counter()
    for row, truth in rows:
        gold = load_truth(row["accepted"])
        for change, call in answers_of(row, truth, rng, given.answers):
            faircall = bool(match_accepted(gold, ToolCall(call["name"], call["arguments"])).full)
            bfcl = is_right(row["tools"], call, truth, category)
            kind = "gold" if change == "gold" else "perturbed"
            totals[kind, "answers"] += 1
            totals[kind, "agree"] += faircall is bfcl
            totals[kind, "accepted by both"] += faircall and bfcl is True
            totals["gold", "wrong for faircall"] += kind == "gold" and not faircall
            if faircall is not bfcl:
                found = classify(row, truth, call, faircall, bfcl)
                classes[found, "faircall accepts" if faircall else "BFCL accepts"] += 1
                if given.show == found:
                    print(row["id"], change, bfcl, json.dumps(call["arguments"]), "|", json.dumps(truth))
    counts = imported.outcome.counts
    print(f"{category}: {counts['imported']} of {counts['seen']} imported")
    return totals, classes


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--answers", type=int, default=2, help="perturbed answers per change and question")
    options.add_argument("--seed", type=int, default=7)
    options.add_argument("--show", help="print every disagreement of a class")
    given = options.parse_args()
    is_right, rng = load_ast_checker(), random.Random(given.seed)
    totals, classes = Counter(), Counter()
    for category in CATEGORIES:
        more = judge(category, is_right, rng, given)
        totals.update(more[0])
        classes.update(more[1])
    for kind in ("gold", "perturbed"):
        both = totals[kind, "accepted by both"]
        print(f"{kind}: {totals[kind, 'agree']} of {totals[kind, 'answers']} agree ({both} accepted by both)")
    for (name, side), count in sorted(classes.items()):
        print(f"  {name}: {count} ({side})")
    unexplained = any(name == "unexplained" for name, _ in classes)
    return int(unexplained or totals["gold", "wrong for faircall"] > 0)


if __name__ == "__main__":
    sys.exit(main())
