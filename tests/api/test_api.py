"""`faircall.score` and `faircall.compare`: what a caller gets, stores, reads back and is refused."""

import gzip
import json

import numpy as np
import pytest

import faircall
from faircall.api import load_evaluation, score_file
from faircall.errors import (
    ArtifactInvalid,
    DataError,
    DuplicateId,
    Incomparable,
    RowInvalid,
    UsageError,
)
from faircall.store.atomic import write_json, write_json_lines

GOLD = [{"name": "wx", "arguments": {"city": city}} for city in ("Graz", "Oslo", "Graz", "Oslo")]
RIGHT = [faircall.canonical_json(gold) for gold in GOLD]
COLUMNS = {
    "ids": ["a", "b", "a.fr", "b.fr"],
    "slices": ["en", "en", "fr", "fr"],
    "roots": [None, "b", "a", "b"],
}


def scored(texts, name="arm", **columns):
    return faircall.score(GOLD, texts, name=name, **{**COLUMNS, **columns})


def counts(metrics):
    return {name: (value.numerator, value.denominator) for name, value in metrics.items()}


def test_metrics_overall_and_by_slice():
    evaluation = scored([RIGHT[0], "no", RIGHT[2], RIGHT[3]])
    assert counts(evaluation.metrics)["full_call_exact_match"] == (3, 4)
    assert counts(evaluation.by_slice["en"])["argument_f1"] == (2, 3)
    assert list(evaluation.by_slice) == ["en", "fr"]
    assert evaluation.scores.roots == ("a", "b", "a", "b")
    assert evaluation.diagnosis["causes"] == {"no_json:no_bracket": 1}
    record = evaluation.records[1]
    assert (record["id"], record["status"], record["cause"], record["call"]) == (
        "b",
        "no_json",
        "no_json:no_bracket",
        None,
    )
    assert "full_call_exact_match" in evaluation.table()


def test_gold_may_be_a_tool_call_or_any_mapping():
    from types import MappingProxyType

    gold = [
        faircall.ToolCall("f", {"x": (1, 2)}),
        MappingProxyType({"name": "f", "arguments": {"x": [1, 2]}}),
    ]
    evaluation = faircall.score(gold, ['{"name":"f","arguments":{"x":[1,2]}}'] * 2)
    assert counts(evaluation.metrics)["full_call_exact_match"] == (2, 2)


def test_none_is_a_model_that_wrote_nothing():
    assert scored([None] * 4).diagnosis["statuses"]["no_json"] == 4


def test_tools_are_one_list_for_all_or_one_per_row():
    tool = {"name": "wx", "parameters": {"properties": {"city": {"type": "string"}}}}
    other = '{"name": "zz", "arguments": {}}'
    for tools in ([tool], [[tool]] * 4):
        assert scored([other] * 4, tools=tools).scores.causes == ("unknown_tool",) * 4
    mixed = scored([other] * 4, tools=[[tool], None, [tool], []])
    assert mixed.scores.causes == ("unknown_tool", "wrong_tool", "unknown_tool", "unknown_tool")


@pytest.mark.parametrize(
    ("change", "error", "told"),
    [
        ({"ids": ["a"]}, UsageError, "1 ids for 4"),
        ({"slices": ["a"]}, UsageError, "1 slices for 4"),
        ({"tools": [[{}]]}, UsageError, "1 lists of tools for 4"),
        ({"ids": ["a", "b", 1, "1"]}, DuplicateId, "'1' is on row 2 and on row 3"),
    ],
)
def test_columns_must_fit(change, error, told):
    with pytest.raises(error, match=told):
        scored(RIGHT, **change)


@pytest.mark.parametrize(
    "gold",
    [
        {"name": "f"},
        {"name": "f", "arguments": {"x": float("nan")}},
        {"name": "f", "arguments": {1: 2}},
        {"name": "f", "arguments": {"x": {1, 2}}},
        {"name": "f", "arguments": {"x": 10**1200}},
        3,
        None,
        [["name", "f"], ["arguments", {}]],
    ],
)
def test_a_gold_call_that_cannot_be_used_is_named(gold):
    with pytest.raises(DataError, match="row 1"):
        faircall.score([GOLD[0], gold], ["", ""])
    with pytest.raises(DataError, match="row 0"):
        faircall.score([GOLD[0]], [b"bytes"])


def test_an_evaluation_survives_being_stored(tmp_path):
    evaluation = scored([RIGHT[0], "\ud83d {", '[{"name":"wx","arguments":{"city":"\\ud83d"}}] [', ""])
    write_json(tmp_path / "e.json", evaluation.to_dict())
    again = load_evaluation(tmp_path / "e.json")
    assert again.to_dict() == evaluation.to_dict()
    assert np.array_equal(again.scores.components, evaluation.scores.components)
    assert load_evaluation(tmp_path / "e.json", name="other").name == "other"
    assert faircall.compare(evaluation, again).to_dict()["treatment"]["kind"] == "A/A"


@pytest.mark.parametrize(
    "change",
    [
        {"schema_version": "faircall.evaluation.v0"},
        {"records": [{}]},
        {"records": None},
        {"identity": []},
        {"name": None},
        {"diagnosis": []},
    ],
)
def test_a_broken_evaluation_is_refused(tmp_path, change):
    write_json(tmp_path / "e.json", {**scored(RIGHT).to_dict(), **change})
    with pytest.raises(ArtifactInvalid, match=r"e\.json"):
        load_evaluation(tmp_path / "e.json")


def test_a_record_whose_call_denies_its_status_is_refused():
    value = scored(RIGHT).to_dict()
    value["records"][0] = {**value["records"][0], "call": None}
    with pytest.raises(ArtifactInvalid, match="denies"):
        faircall.Evaluation.from_dict(value)


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("id", 3, "the id 3"),
        ("id", "b", "twice"),
        ("root", None, "the root None"),
        ("raw_text", None, "the raw_text None"),
        ("status", "fine", "the status 'fine'"),
        ("reason", "limit", "the reason 'limit'"),
        ("truncated", 0, "the truncated 0"),
        ("components", [[1, 1], [1.5, 1], [1, 1], [2, 2], [1, 1]], "whole number"),
        ("components", [[1, 1], [2, 1], [1, 1], [2, 2], [1, 1]], "above its denominator"),
        ("components", [[1, 1], [1, 1], [-1, 1], [2, 2], [1, 1]], "below 0"),
        ("components", [[1, 1], [1, 1], [1, 1], [2, 2], [0, 1]], "add up to its full_call_exact_match"),
        ("call", {"name": "wx", "arguments": "{}"}, "not a call"),
        ("gold", {"name": "wx", "arguments": {}}, "digested"),
    ],
)
def test_a_record_that_was_not_written_so_is_refused(key, value, message):
    stored = scored(RIGHT).to_dict()
    stored["records"][0] = {**stored["records"][0], key: value}
    with pytest.raises(ArtifactInvalid, match=message):
        faircall.Evaluation.from_dict(stored)


def test_an_evaluation_of_an_older_version_has_no_digests_and_is_read():
    evaluation = scored(RIGHT)
    older = evaluation.to_dict()
    del older["identity_sha256"]
    again = faircall.Evaluation.from_dict(older)
    report = faircall.compare(evaluation, again).to_dict()
    assert report["baseline"]["identity_sha256"] == report["candidate"]["identity_sha256"]
    assert report["candidate"]["identity_sha256"] == evaluation.to_dict()["identity_sha256"]
    assert report["baseline"]["identity_sha256"]["model"] is None


@pytest.mark.parametrize(
    ("section", "change"),
    [
        ("reader", lambda stored: stored["identity"]["reader"].update(name="hermes.v1")),
        ("model", lambda stored: stored["identity"].update(model={"dtype": "float16"})),
        ("data", lambda stored: stored["records"][0].update(id="z")),
        ("metrics", lambda stored: stored["identity_sha256"].update(metrics="0" * 64)),
    ],
)
def test_an_identity_that_its_digests_deny_is_refused(section, change):
    stored = json.loads(json.dumps(scored(RIGHT).to_dict()))
    change(stored)
    with pytest.raises(ArtifactInvalid, match=f"identity was altered: {section} "):
        faircall.Evaluation.from_dict(stored)


@pytest.mark.parametrize(
    ("column", "value"),
    [("ids", None), ("ids", ""), ("ids", 1.0), ("ids", True), ("roots", ""), ("roots", b"a"), ("slices", 1)],
)
def test_an_id_root_or_slice_that_names_nothing_is_refused(column, value):
    with pytest.raises(DataError, match=f"the {column[:-1]} of row 3 is"):
        scored(RIGHT, **{column: [*COLUMNS[column][:3], value]})


@pytest.mark.parametrize("tools", [3, "wx", ["wx"], {"name": "wx"}])
def test_tools_of_a_row_that_are_no_list_of_objects_are_refused(tools):
    with pytest.raises(DataError, match="the tools of row 1"):
        scored(RIGHT, tools=[None, tools, None, None])


def test_whole_numbers_are_ids_whoever_made_them():
    evaluation = scored(RIGHT, ids=np.arange(4), roots=[None, None, 0, np.int64(1)])
    assert evaluation.scores.ids == ("0", "1", "2", "3")
    assert evaluation.scores.roots == ("0", "1", "0", "1")


@pytest.mark.parametrize(
    "wrong",
    [
        {"level": "0.95"},
        {"level": None},
        {"level": float("nan")},
        {"resamples": 9999.0},
        {"seed": 1.5},
        {"seed": True},
    ],
)
def test_a_setting_that_is_no_number_is_refused_by_name(wrong):
    with pytest.raises(UsageError, match=next(iter(wrong))):
        faircall.compare(scored(RIGHT), scored(RIGHT), **wrong)


def test_settings_from_numpy_reach_the_report_as_plain_numbers():
    options = {"seed": np.int64(7), "resamples": np.int32(39)}
    report = faircall.compare(scored(RIGHT), scored(RIGHT), **options).to_dict()
    assert json.loads(json.dumps(report))["overall"]["metrics"]["argument_f1"]["bootstrap"]["seed"] == 7


def test_one_declaration_may_be_a_plain_name():
    with pytest.raises(UsageError, match="nothing differs in model"):
        faircall.compare(scored(RIGHT), scored(RIGHT), vary="model")


def test_unknown_arms_that_fail_in_other_words_are_no_a_a_comparison():
    report = faircall.compare(scored(["No."] * 4), scored(["Sunny."] * 4), resamples=39).to_dict()
    assert report["treatment"]["kind"] == "not_attested"


def test_a_comparison_is_candidate_minus_baseline():
    before, after = (
        scored([RIGHT[0], "", "", ""], "before"),
        scored([RIGHT[0], RIGHT[1], "", RIGHT[3]], "after"),
    )
    report = faircall.compare(before, after, resamples=999).to_dict()
    delta = report["overall"]["metrics"]["full_call_exact_match"]
    assert delta["delta"] == 0.5
    assert delta["table"] == {"both": 1, "baseline_only": 0, "candidate_only": 2, "neither": 1}
    assert report["baseline"]["arm"] == "before"
    assert report["overall"]["roots"] == 2
    assert list(report["slices"]) == ["en", "fr"]
    assert "fr" in report["paired_language_gaps"]
    assert report["signature"].startswith(
        "full_call_exact_match|d:after-before|treat:not_attested|n:4|roots:2|"
    )
    json.dumps(report, allow_nan=False)
    turned = faircall.compare(after, before, resamples=999).to_dict()
    assert turned["overall"]["metrics"]["full_call_exact_match"]["delta"] == -0.5
    assert "before -> after" in faircall.compare(before, after, resamples=999).table()


def test_slices_whose_names_differ_in_a_zero_character_stay_apart():
    labels = {"slices": ["en", "en", "en\0", "en\0"]}
    report = faircall.compare(scored([""] * 4, **labels), scored(RIGHT, **labels), resamples=39).to_dict()
    assert {name: scope["examples"] for name, scope in report["slices"].items()} == {"en": 2, "en\0": 2}
    assert report["marginal_full_slices"]["candidate"]["en\0"]["full_call_exact_match"] == 0.0


def test_the_same_seed_gives_the_same_bytes_and_row_order_gives_none():
    before, after = scored([RIGHT[0], "", "", ""]), scored(RIGHT)
    rows = [3, 1, 0, 2]
    turned = faircall.score(
        [GOLD[row] for row in rows],
        [RIGHT[row] for row in rows],
        **{name: [column[row] for row in rows] for name, column in COLUMNS.items()},
    )
    first = faircall.compare(before, after, resamples=999).to_dict()
    assert faircall.compare(before, after, resamples=999).to_dict() == first
    assert faircall.compare(before, turned, resamples=999).to_dict()["overall"] == first["overall"]


def test_unequal_examples_are_refused():
    with pytest.raises(Incomparable, match="data"):
        faircall.compare(scored(RIGHT), scored(RIGHT, ids=["a", "b", "a.fr", "c"]))
    other = [{"name": "wx", "arguments": {}}] * 4
    with pytest.raises(Incomparable, match="gold"):
        faircall.compare(scored(RIGHT), faircall.score(other, RIGHT, **COLUMNS))


def test_files_of_rows_in_any_honest_form_score_alike(tmp_path):
    rows = [
        {"id": example_id, "output": text, "gold": gold, "lang": "en", "level": level}
        for example_id, text, gold, level in zip(
            "abcd", [*RIGHT[:3], "x\u2028"], GOLD, [1, 2, 1, 2], strict=True
        )
    ]
    plain = tmp_path / "rows.jsonl"
    write_json_lines(plain, rows)
    packed = tmp_path / "rows.jsonl.gz"
    packed.write_bytes(gzip.compress(b"\xef\xbb\xbf" + plain.read_bytes().replace(b"\n", b"\r\n").rstrip()))
    first, second = (score_file(path, slice_keys=["level"]) for path in (plain, packed))
    assert first.to_dict() == second.to_dict()
    assert first.name == "rows"
    assert counts(first.by_slice["level=2"])["full_call_exact_match"] == (1, 2)
    gold = tmp_path / "gold.jsonl"
    write_json_lines(gold, [{"id": row["id"], "gold": row["gold"]} for row in reversed(rows)])
    write_json_lines(plain, [{"id": row["id"], "output": row["output"]} for row in rows])
    assert counts(score_file(plain, gold=gold).metrics) == counts(first.metrics)


def test_a_bad_row_is_named_by_file_and_line(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text('{"id": 1, "raw_text": "", "gold": {"name": "f", "arguments": {}}}\n[1\n')
    with pytest.raises(RowInvalid, match=r"rows\.jsonl:2: "):
        score_file(path)
