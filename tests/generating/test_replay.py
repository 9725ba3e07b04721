"""The replay backend: stored answers for the prompts that they belong to, nothing filled in."""

import json

import pytest

from faircall.digest import sha256_text
from faircall.errors import (
    DuplicateId,
    FileUnreadable,
    IdMismatch,
    InvariantViolation,
    RowInvalid,
    UsageError,
)
from faircall.generating.backend import BACKENDS, AdapterSettings, BackendRequest, Decoding, ModelSettings
from faircall.records import Prompt


def prompt(name):
    return Prompt(name, "en", None, name, "{}", sha256_text(name), "m", "t", ())


def replay(tmp_path, rows, *, adapter=None):
    path = tmp_path / "stored.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    request = BackendRequest(
        ModelSettings("smol"), Decoding(8), adapter=adapter, options={"generations": path}
    )
    return BACKENDS.get("replay")(request)


def test_the_stored_text_comes_back_under_this_prompt(tmp_path):
    backend = replay(tmp_path, [{"id": "a", "raw_text": "{}", "finish_reason": "length", "new_tokens": 8}])
    backend.check([prompt("a")])
    answer = backend.generate(prompt("a"))
    assert (answer.raw_text, answer.finish_reason, answer.new_tokens) == ("{}", "length", 8)
    assert answer.prompt_sha256 == sha256_text("a")
    assert answer.language == "en"


def test_a_stored_failure_stays_a_failure(tmp_path):
    backend = replay(tmp_path, [{"example_id": "a", "raw_text": "", "failure": "timeout"}])
    assert backend.generate(prompt("a")).failure == "timeout"


def test_a_prompt_without_an_answer_is_refused_before_anything_runs(tmp_path):
    with pytest.raises(IdMismatch, match=r"1 prompt has no stored generation in .*stored\.jsonl: b"):
        replay(tmp_path, [{"id": "a", "raw_text": ""}]).check([prompt("a"), prompt("b")])


def test_an_answer_to_another_prompt_is_refused(tmp_path):
    backend = replay(tmp_path, [{"id": "a", "raw_text": "", "prompt_sha256": sha256_text("other")}])
    with pytest.raises(InvariantViolation, match="answers another prompt"):
        backend.check([prompt("a")])


@pytest.mark.parametrize("decoding", [{"temperature": 0.7}, {"max_new_tokens": 9}, {"do_sample": True}])
def test_an_answer_that_was_decoded_otherwise_is_refused(tmp_path, decoding):
    backend = replay(tmp_path, [{"id": "a", "raw_text": "", "decoding": decoding}])
    with pytest.raises(InvariantViolation, match=rf"of a was decoded with {next(iter(decoding))}"):
        backend.check([prompt("a")])


def test_an_answer_of_this_decoding_is_taken(tmp_path):
    backend = replay(tmp_path, [{"id": "a", "raw_text": "", "decoding": Decoding(8).to_dict()}])
    backend.check([prompt("a")])
    assert backend.generate(prompt("a")).decoding == Decoding(8).to_dict()


@pytest.mark.parametrize("column", ["decoding", "prompt_sha256", "failure", "new_tokens", "message"])
def test_a_column_of_another_type_names_its_line(tmp_path, column):
    with pytest.raises(RowInvalid, match=rf"stored\.jsonl:1: not a stored generation: .*{column}"):
        replay(tmp_path, [{"id": "a", "raw_text": "", column: [1]}])


def test_one_id_on_two_rows_is_refused_with_both_lines(tmp_path):
    rows = [{"id": name, "raw_text": ""} for name in ("case_3", "case_17", "case_3")]
    with pytest.raises(DuplicateId, match=r"'case_3' on line 1 and line 3"):
        replay(tmp_path, rows)


@pytest.mark.parametrize("row", [[], {"id": 3, "raw_text": ""}, {"id": "a"}, {"id": "a", "raw_text": None}])
def test_a_row_that_is_no_generation_names_its_line(tmp_path, row):
    with pytest.raises(RowInvalid, match=r"stored\.jsonl:1"):
        replay(tmp_path, [row])


def test_a_replay_without_a_file_says_where_to_name_it():
    with pytest.raises(UsageError) as caught:
        BACKENDS.get("replay")(BackendRequest(ModelSettings("smol"), Decoding(8)))
    assert "replay" in caught.value.hint
    missing = BackendRequest(ModelSettings("smol"), Decoding(8), options={"generations": "nowhere.jsonl"})
    with pytest.raises(FileUnreadable, match="nowhere"):
        BACKENDS.get("replay")(missing)


def test_another_file_is_another_condition(tmp_path):
    one = replay(tmp_path, [{"id": "a", "raw_text": "x"}]).describe()
    two = replay(tmp_path, [{"id": "a", "raw_text": "y"}]).describe()
    assert one["source"] != two["source"]
    assert {**one, "source": 0} == {**two, "source": 0}


def test_a_local_adapter_folder_is_named_by_its_content(tmp_path):
    folder = tmp_path / "lora"
    folder.mkdir()
    (folder / "weights").write_bytes(b"1")
    rows = [{"id": "a", "raw_text": ""}]
    first = replay(tmp_path, rows, adapter=AdapterSettings(str(folder))).describe()["source"]["adapter"]
    (folder / "weights").write_bytes(b"2")
    second = replay(tmp_path, rows, adapter=AdapterSettings(str(folder))).describe()["source"]["adapter"]
    assert first["name"] == second["name"] == "lora"
    assert first["tree_sha256"] != second["tree_sha256"]
    declared = replay(tmp_path, rows, adapter=AdapterSettings("owner/lora", "main")).describe()
    assert declared["source"]["adapter"]["immutable"] is False
    assert declared["adapter"]["source"] == "owner/lora@main"
