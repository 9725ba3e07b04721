"""The demo's rows: made again from their sources, paired, and disjoint from training."""

import importlib.util
import random
from pathlib import Path

import jsonschema
import pytest

from faircall.canonical import canonical_json
from faircall.store.files import read_json_lines

ROOT = Path(__file__).parents[2]
DATA = ROOT / "src" / "faircall" / "demo" / "data"


@pytest.fixture(scope="module")
def maker():
    spec = importlib.util.spec_from_file_location(
        "make_requests", ROOT / "examples" / "demo" / "make_requests.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def shipped(language):
    return [line.value for line in read_json_lines(DATA / f"test.{language}.jsonl")]


def test_shipped_rows_are_what_the_script_makes(maker):
    made = maker.make_test(maker.TOOLS, maker.REQUESTS, random.Random(42))
    for language in ("en", "fr"):
        assert list(map(canonical_json, shipped(language))) == list(map(canonical_json, made[language]))


def test_translations_share_tools_and_gold_with_their_root():
    roots = {row["id"]: row for row in shipped("en")}
    translated = shipped("fr")
    assert len(roots) == len(translated) >= 100
    assert {row["source_example_id"] for row in translated} == set(roots)
    for row in translated:
        root = roots[row["source_example_id"]]
        assert row["query"] != root["query"]
        for key in ("tools", "answers"):
            assert canonical_json(row[key]) == canonical_json(root[key])


def test_every_gold_call_fits_its_own_tool():
    for row in shipped("en"):
        (call,) = row["answers"]
        (tool,) = (tool for tool in row["tools"] if tool["name"] == call["name"])
        jsonschema.validate(call["arguments"], tool["parameters"] | {"additionalProperties": False})


@pytest.mark.parametrize(("languages", "seed"), [(["en"], 43), (["en", "fr"], 44)])
def test_training_is_disjoint_from_test(maker, languages, seed):
    train = maker.make_train(languages, count=960, seed=seed)
    maker.check_disjoint(train, [*shipped("en"), *shipped("fr")])
    with pytest.raises(SystemExit, match="in training and test"):
        maker.check_disjoint([*train, shipped("fr")[0]], shipped("fr"))


def test_training_fills_every_slot_and_repeats_itself(maker):
    first = maker.make_train(["en", "fr"], count=80, seed=1)
    assert first == maker.make_train(["en", "fr"], count=80, seed=1)
    assert not [row["query"] for row in first if "{" in row["query"]]


def test_a_value_that_is_not_in_the_request_is_refused(maker):
    with pytest.raises(SystemExit, match="not in the fr request"):
        maker.check_request("get_stock_price", {"ticker": "ABC"}, ("Price of ABC?", "Le prix ?"))
