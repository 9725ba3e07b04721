"""Preparing rows: one reason per dropped row, counts that add up, splits that never leak."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from faircall.config import DataPolicy
from faircall.errors import DataError, DuplicateId
from faircall.importing.drop_summary import summarise
from faircall.importing.prepare import Source, normalise_query, prepare
from faircall.importing.reasons import Reason
from faircall.importing.rows import read_rows

TOOLS = [{"name": f"tool_{number}", "parameters": {}} for number in range(6)]


def row(number, *, query=None, tool=None, prefix="r", **more):
    name = f"tool_{number % 6 if tool is None else tool}"
    call = {"name": name, "arguments": {"n": number}}
    asked = f"request number {number}" if query is None else query
    return {"id": f"{prefix}{number}", "query": asked, "tools": TOOLS, "answers": [call], **more}


def french(number, **more):
    changes = {"source_example_id": f"r{number}", **more}
    return row(number, query=changes.pop("query", f"demande {number}, merci"), prefix="f", **changes)


def source(rows, *, language="en", paired=False):
    outcomes = list(read_rows(enumerate(rows, start=1), language=language))
    return Source(language, f"rows.{language}.jsonl", outcomes, paired)


def run(rows, translations=None, *, seed=42, **policy):
    sources = [source(rows)]
    if translations is not None:
        sources.append(source(translations, language="fr", paired=True))
    return prepare(sources, policy=DataPolicy(**{"n_test": 1, **policy}), seed=seed)


def ids(prepared, split):
    return [example.example_id for example in prepared.splits[split]]


def reasons(prepared, language="en"):
    return {one.example_id: one.reason for one in prepared.rejected[language]}


def check_account(prepared):
    summary = summarise(prepared)
    for part in [summary, *summary["datasets"]]:
        assert part["seen"] == part["kept"] + part["dropped"]
    for dataset in summary["datasets"]:
        assert sum(dataset["reasons"].values()) == dataset["dropped"] == len(dataset["rows"])
        assert sum(dataset["splits"].values()) == dataset["kept"]
    return summary


def test_counts_are_exact_and_the_account_adds_up():
    prepared = run([row(n) for n in range(50)], n_train=20, n_validation=5, n_test=10)
    assert {split: len(examples) for split, examples in prepared.splits.items()} == {
        "train": 20, "validation": 5, "test": 10,
    }  # fmt: skip
    summary = check_account(prepared)
    assert summary["datasets"][0]["reasons"] == {Reason.NOT_SAMPLED.value: 15}


POLICY_CASES = [
    (row(7, query="short"), Reason.QUERY_SHORT),
    (row(7, query="   short   \n"), Reason.QUERY_SHORT),
    (row(7, query="x" * 41), Reason.QUERY_LONG),
    (row(7, query=" "), Reason.QUERY_MISSING),
    ({key: value for key, value in row(7).items() if key != "query"}, Reason.QUERY_MISSING),
    ({**row(7), "tools": []}, Reason.TOOLS_MISSING),
    ({**row(7), "tools": None}, Reason.TOOLS_MISSING),
    ({**row(7), "tools": TOOLS[2:]}, Reason.GOLD_NOT_OFFERED),
    ({**row(7), "source_example_id": "r1"}, Reason.ROOT_NAMES_SOURCE),
    (row(7, query="Request  NUMBER 1 "), Reason.QUERY_REPEATED),
    ({**row(7), "answers": row(7)["answers"] * 2}, Reason.MULTI_CALL),
]


@pytest.mark.parametrize(("bad", "reason"), POLICY_CASES, ids=[reason.name for _, reason in POLICY_CASES])
def test_each_rule_drops_by_its_own_reason(bad, reason):
    prepared = run([row(1), bad, row(2)], n_test=2, max_query_chars=40)
    assert sorted(ids(prepared, "test")) == ["r1", "r2"]
    assert reasons(prepared) == {"r7": reason}
    assert check_account(prepared)["datasets"][0]["rows"] == [
        {"file": "rows.en.jsonl", "line": 2, "id": "r7", "reason": reason.value}
    ]


def test_duplicate_ids_are_an_error_that_names_both_lines():
    rows = [{"id": "case_3", "query": "a"}, {"id": "case_17", "query": "b"}, {"id": "case_3", "query": "c"}]
    with pytest.raises(DuplicateId) as caught:
        run(rows)
    for part in ("case_3", "line 1", "line 3", "rows.en.jsonl"):
        assert part in caught.value.message


def test_ids_are_unique_across_datasets():
    with pytest.raises(DuplicateId, match=r"'r1' stands on rows.en.jsonl line 1 and rows.fr.jsonl line 1"):
        run([row(1)], [{**french(1), "id": "r1"}])


def test_translations_follow_their_root():
    rows = [row(n) for n in range(30)]
    prepared = run(rows, [french(n) for n in range(0, 30, 2)], n_train=10, n_validation=4, n_test=6)
    for split in ("train", "validation", "test"):
        roots = {example.example_id for example in prepared.splits[split] if example.language == "en"}
        translated = [example for example in prepared.splits[split] if example.language == "fr"]
        assert {example.source_example_id for example in translated} == {
            root for root in roots if int(root[1:]) % 2 == 0
        }
    check_account(prepared)


PAIR_CASES = [
    (french(1, source_example_id=None), Reason.SOURCE_MISSING),
    (french(1, source_example_id="r99"), Reason.ROOT_UNKNOWN),
    (french(1, source_example_id="r8"), Reason.ROOT_DROPPED),
    ({**french(1), "answers": [{"name": "tool_1", "arguments": {"n": 1.0}}]}, Reason.ROOT_DIFFERS),
    ({**french(1), "tools": TOOLS[:3]}, Reason.ROOT_DIFFERS),
    ({**french(1), "tools": list(reversed(TOOLS))}, Reason.ROOT_DIFFERS),
    ({**french(1), "id": "again"}, Reason.TRANSLATION_REPEATED),
    (french(3, query="Demande 1, MERCI"), Reason.QUERY_REPEATED),
    (french(3, query="request number 2"), Reason.QUERY_REPEATED),
    (french(3, query="court"), Reason.QUERY_SHORT),
]


@pytest.mark.parametrize(("bad", "reason"), PAIR_CASES)
def test_translations_that_do_not_fit_are_dropped(bad, reason):
    first = french(1)
    translations = [first, bad] if bad["id"] != first["id"] else [bad]
    prepared = run([row(1), row(2), row(3), row(8, query="no")], translations, n_test=3)
    assert reasons(prepared, "fr") == {bad["id"]: reason}
    check_account(prepared)


def test_key_order_does_not_make_a_translation_differ():
    shuffled = [dict(reversed(tool.items())) for tool in TOOLS]
    prepared = run([row(1)], [{**french(1), "tools": shuffled}])
    assert ids(prepared, "test") == ["r1", "f1"]


def test_an_untranslated_translation_may_repeat_its_own_root():
    prepared = run([row(1)], [french(1, query="request number 1")])
    assert ids(prepared, "test") == ["r1", "f1"]


def test_a_root_that_is_not_needed_takes_its_translation_along():
    prepared = run([row(1), row(2)], [french(1), french(2)], n_test=1)
    assert list(reasons(prepared, "fr").values()) == [Reason.NOT_SAMPLED]


@pytest.mark.parametrize(
    ("policy", "message", "hint"),
    [
        ({"n_test": 4}, "3 usable examples of 4, 4 needed .*test 3 of 4", "shorter than"),
        (
            {"n_test": 3, "n_train": 1},
            "4 needed .train 0 of 1, validation 0 of 0, test 3 of 3",
            "shorter than",
        ),
    ],
)
def test_too_few_rows_say_how_many_there_are_and_are_needed(policy, message, hint):
    with pytest.raises(DataError, match=message) as caught:
        run([row(1), row(2), row(3), row(4, query="no")], **policy)
    assert hint in caught.value.hint


def test_no_usable_row_at_all():
    with pytest.raises(DataError, match="0 usable examples of 1, 1 needed"):
        run([row(1, query="no")])


def test_order_of_rows_does_not_move_the_splits():
    rows = [row(n) for n in range(40)]
    shuffled = random.Random(3).sample(rows, len(rows))
    for policy in ({"split_by": "example"}, {"split_by": "tool"}):
        first = run(rows, n_test=10, n_train=10, **policy)
        second = run(shuffled, n_test=10, n_train=10, **policy)
        for split in ("test", "train"):
            assert set(ids(first, split)) == set(ids(second, split))


def test_more_train_rows_leave_the_test_split_alone():
    rows = [row(n) for n in range(40)]
    assert ids(run(rows, n_test=10), "test") == ids(run(rows, n_test=10, n_train=20), "test")


def test_another_seed_is_another_split():
    rows = [row(n) for n in range(40)]
    assert ids(run(rows, n_test=10), "test") != ids(run(rows, n_test=10, seed=43), "test")


def test_split_by_tool_keeps_tools_apart():
    prepared = run([row(n) for n in range(60)], n_test=15, n_validation=8, n_train=20, split_by="tool")
    tools = {
        split: {example.gold.name for example in prepared.splits[split]}
        for split in ("train", "validation", "test")
    }
    assert all(tools.values())
    assert not tools["test"] & tools["train"]
    assert not tools["test"] & tools["validation"]
    assert not tools["validation"] & tools["train"]
    assert [len(prepared.splits[split]) for split in ("test", "validation", "train")] == [15, 8, 20]


def test_tools_that_cannot_stay_apart_are_an_error():
    with pytest.raises(DataError, match="train 0 of 1") as caught:
        run([row(n, tool=1) for n in range(9)], n_test=2, n_train=1, split_by="tool")
    assert "stay apart" in caught.value.hint


def conversation(number, steps):
    messages = []
    for step in range(steps):
        arguments = {"n": number, "step": step}
        messages.append({"role": "user", "content": f"conversation {number}, step {step}"})
        call = {"function": {"name": f"tool_{step % 6}", "arguments": arguments}}
        messages.append({"role": "assistant", "tool_calls": [call]})
    return {"id": f"c{number}", "messages": messages, "tools": TOOLS}


@settings(max_examples=30, deadline=None)
@given(
    sizes=st.lists(st.integers(1, 4), min_size=6, max_size=14),
    seed=st.integers(0, 5),
    split_by=st.sampled_from(["example", "tool"]),
)
def test_a_conversation_is_never_divided_between_splits(sizes, seed, split_by):
    rows = [conversation(number, steps) for number, steps in enumerate(sizes)]
    wanted = {"n_test": 2, "n_validation": 1, "n_train": 2}
    try:
        prepared = run(rows, seed=seed, split_by=split_by, **wanted)
    except DataError:
        assert split_by == "tool" or sum(sizes) < 9
        return
    home = {}
    for split, examples in prepared.splits.items():
        assert len(examples) == wanted[f"n_{split}"]
        for example in examples:
            assert home.setdefault(example.example_id.split(":")[0], split) == split
    check_account(prepared)


@pytest.mark.parametrize(
    ("one", "other"),
    [("Straße", "STRASSE"), ("caf\u00e9", "cafe\u0301"), ("a\u00a0 b", " A\tb"), ("\u03a3as", "\u03c3as")],
)
def test_queries_are_compared_in_one_form(one, other):
    assert normalise_query(one) == normalise_query(other)
    assert normalise_query(one) != normalise_query(other + "!")
