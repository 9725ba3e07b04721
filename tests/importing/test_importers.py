"""Every importer on its table of records: each row is imported, or refused with a reason."""

import json
from pathlib import Path

import pytest

from faircall.errors import ConfigError, DataError, DuplicateId
from faircall.importing import importers
from faircall.importing.foreign import Fault, import_records

CASES = Path(__file__).parent.parent / "cases" / "importing"
DOCS = Path(__file__).parent.parent.parent / "docs" / "importers"


def cases(name):
    lines = (CASES / name).read_text(encoding="ascii").splitlines()
    return [pytest.param(case, id=case["id"]) for case in map(json.loads, lines)]


def run(form, *values):
    records = [(number, value, None) for number, value in enumerate(values, start=1)]
    return import_records(records, importers.get(form), label="file")


@pytest.mark.parametrize("case", cases("importers.jsonl"))
def test_cases(case):
    found = run(case["form"], case["value"])
    assert found.rows == case["rows"]
    assert [[entry.row_id, entry.reason] for entry in found.rejected] == case["rejected"]
    assert found.counts["seen"] == len(case["rows"]) + len(case["rejected"])


@pytest.mark.parametrize("case", cases("importers.jsonl"))
def test_what_is_imported_is_recognised_by_its_own_importer(case):
    if case["rows"]:
        assert importers.detect([case["value"]], label="file").name == case["form"]


def test_every_importer_has_cases_and_a_page():
    forms = {json.loads(line)["form"] for line in (CASES / "importers.jsonl").read_text().splitlines()}
    assert forms == set(importers.names())
    index = (DOCS / "README.md").read_text(encoding="utf-8")
    for name in importers.names():
        assert f"`{name}`" in index


def damaged(value):
    """The value with each of its parts replaced in turn by a value of every other kind."""
    yield from (None, 3, True, "x", "{}", [], {}, [None], {"id": "a"})
    members = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    for key, member in members:
        for changed in damaged(member):
            copy = dict(value) if isinstance(value, dict) else list(value)
            copy[key] = changed
            yield copy
        if isinstance(value, dict):
            yield {name: cell for name, cell in value.items() if name != key}


@pytest.mark.parametrize("name", importers.names())
def test_a_damaged_record_gives_rows_or_faults_and_nothing_else(name):
    tried = 0
    for case in (parameter.values[0] for parameter in cases("importers.jsonl")):
        if case["form"] != name:
            continue
        for value in damaged(case["value"]):
            tried += 1
            try:
                found = run(name, value)
            except (DuplicateId, DataError):
                continue
            assert found.rows or found.rejected or not any_rows(value)
            json.dumps(found.rows)
    assert tried > 100


def any_rows(value):
    """Whether a document holds records at all: an empty list of spans has none to import or refuse."""
    return not ({"observations", "resourceSpans"} & value.keys()) if isinstance(value, dict) else True


def test_i06_an_id_on_two_records_is_an_error_that_names_both_lines():
    records = behaviour("I06")["input"]["records"]
    with pytest.raises(DuplicateId, match=r"'case_3' is on line 1 and on line 3"):
        run("xlam", *records)


def test_i08_a_bad_row_is_named_and_the_others_are_kept():
    case = behaviour("I08")
    found = run("xlam", *map(json.loads, case["input"]["lines"]))
    expected = case["expected"]
    assert [row["id"] for row in found.rows] == expected["imported"]
    assert [entry.to_dict() for entry in found.rejected] == expected["rejected"]
    assert found.counts == expected["counts"]


def test_i04_one_explicit_rule_for_empty_arguments():
    calls = behaviour("I04")["input"]["tool_calls"]
    found = run("openai_message", *({"id": call["id"], "tool_calls": [call]} for call in calls))
    assert [row["id"] for row in found.rows] == ["c2"]
    assert {entry.row_id: entry.reason for entry in found.rejected} == {
        "c1": "arguments is an empty string",
        "c3": "arguments is not an object",
        "c4": "arguments is not valid JSON",
    }


def test_i12_an_item_and_a_list_of_it_are_the_same():
    forms = behaviour("I12")["input"]
    found = [importers.detect([forms[name]], label="file") for name in "ab"]
    assert [importer.name for importer in found] == ["openai_items", "openai_items"]
    assert run("openai_items", forms["a"]).rows == run("openai_items", forms["b"]).rows != []


def behaviour(name):
    lines = (CASES / "behaviour.jsonl").read_text(encoding="ascii").splitlines()
    return next(case for case in map(json.loads, lines) if case["id"].startswith(name))


def test_some_ids_missing_is_an_error():
    good = {"answers": [{"name": "f", "arguments": {}}]}
    with pytest.raises(DataError, match="1 of 2 rows have no id"):
        run("xlam", {"id": "a", **good}, good)


def test_an_unknown_form_names_the_others():
    with pytest.raises(DataError, match="no importer recognises"):
        importers.detect([{"colour": "red"}], label="file")
    with pytest.raises(ConfigError, match="anthropic"):
        importers.get("antropic")


def test_a_third_party_importer_is_asked_before_plain_rows():
    from faircall.importing.foreign import Importer

    mine = Importer("mine", "x", lambda value: "raw_text" in value, lambda value: [Fault("no")])
    importers.IMPORTERS.register("mine", mine)
    try:
        assert importers.detect([{"raw_text": "x"}], label="file").name == "mine"
    finally:
        importers.IMPORTERS.restore()
