"""The journal: bound to its conditions, torn lines cut off, nothing else ever lost."""

import errno
import json
import os

import pytest

from faircall.errors import ArtifactInvalid, EvaluationError, FileUnreadable, ResourceExhausted
from faircall.generating import journal as journal_module
from faircall.generating.journal import differing_fields, open_journal
from faircall.records import Generation

CONDITIONS = {"model": {"base_model_id": "smol", "dtype": "float32"}, "prompts": {"en": "p0"}}


def answer(name, text="x", **facts):
    return Generation(name, text, **facts)


def fill(path, *names):
    with open_journal(path, CONDITIONS) as journal:
        for name in names:
            journal.append("en", answer(name, f"text of {name} \ud800 é"), duration_ns=5)


def held(path, conditions=CONDITIONS):
    with open_journal(path, conditions) as journal:
        return sorted(name for _, name in journal._entries)


def test_what_was_appended_is_found_again_unchanged(tmp_path):
    path = tmp_path / "arm" / "journal"
    generation = answer("a", "\ud800\u2028é", decoding={"temperature": 0.0}, new_tokens=3, stop_token="</s>")
    with open_journal(path, CONDITIONS) as journal:
        journal.append("en", generation, duration_ns=17)
    with open_journal(path, CONDITIONS) as journal:
        entry = journal.find("en", "a")
        assert (entry.generation, entry.duration_ns, entry.session) == (generation, 17, 1)
        assert journal.sessions == 2
        assert journal.find("fr", "a") is None


@pytest.mark.parametrize("cut", range(1, 60, 7))
def test_a_torn_last_line_is_cut_off_and_the_rest_is_kept(tmp_path, cut):
    path = tmp_path / "journal"
    fill(path, "a", "b")
    whole = path.read_bytes()
    path.write_bytes(whole[:-cut])
    assert held(path) == ["a"]
    assert whole.startswith(path.read_bytes())
    fill(path, "b")
    assert held(path) == ["a", "b"]


def test_a_journal_cut_anywhere_can_be_resumed(tmp_path):
    path = tmp_path / "journal"
    fill(path, "a", "b")
    whole = path.read_bytes()
    for size in range(len(whole)):
        path.write_bytes(whole[:size])
        complete = whole[:size].count(b"\n") - 1
        assert held(path) == ["a", "b"][: max(complete, 0)]


def test_a_last_line_of_garbage_is_cut_off_even_with_its_newline(tmp_path):
    path = tmp_path / "journal"
    fill(path, "a")
    with path.open("ab") as file:
        file.write(b"\0\0\0\0\n")
    assert held(path) == ["a"]


def test_a_broken_line_in_the_middle_is_no_torn_write(tmp_path):
    path = tmp_path / "journal"
    fill(path, "a", "b")
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + b"{broken\n" + lines[2])
    with pytest.raises(ArtifactInvalid, match="journal:2"):
        held(path)


def test_a_file_that_is_no_journal_is_left_alone(tmp_path):
    path = tmp_path / "journal"
    path.write_text('{"id": 1}\n{"id": 2}\n')
    with pytest.raises(ArtifactInvalid, match="journal:1"):
        held(path)
    assert path.read_text() == '{"id": 1}\n{"id": 2}\n'


@pytest.mark.parametrize(
    ("other", "named"),
    [
        (
            {**CONDITIONS, "model": {"base_model_id": "big", "dtype": "float32"}},
            'model.base_model_id: "smol"',
        ),
        ({**CONDITIONS, "prompts": {"en": "p1"}}, "prompts.en"),
        ({**CONDITIONS, "adapter": {"source": "lora"}}, "adapter"),
    ],
)
def test_other_conditions_are_refused_by_the_name_of_the_field(tmp_path, other, named):
    path = tmp_path / "journal"
    fill(path, "a")
    before = path.read_bytes()
    with pytest.raises(EvaluationError, match=named):
        held(path, other)
    assert path.read_bytes() == before


def test_a_failed_generation_is_asked_for_again(tmp_path):
    path = tmp_path / "journal"
    with open_journal(path, CONDITIONS) as journal:
        journal.append("en", answer("a"), duration_ns=1)
        journal.append("en", answer("b", "", failure="RuntimeError: memory"), duration_ns=1)
    assert held(path) == ["a"]


def test_two_processes_cannot_write_one_journal(tmp_path):
    path = tmp_path / "journal"
    with (
        open_journal(path, CONDITIONS),
        pytest.raises(EvaluationError, match="in use by another process"),
        open_journal(path, CONDITIONS),
    ):
        pass


def test_every_record_is_synced_before_the_next(tmp_path, monkeypatch):
    synced = []
    real = os.fsync
    monkeypatch.setattr(journal_module.os, "fsync", lambda number: synced.append(number) or real(number))
    fill(tmp_path / "journal", "a", "b", "c")
    assert len(synced) == 4


def test_a_full_disk_keeps_what_was_written(tmp_path, monkeypatch):
    path = tmp_path / "journal"
    fill(path, "a")
    real = os.write

    def half_a_line(descriptor, data):
        if len(data) > 20:
            return real(descriptor, data[:20])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(journal_module.os, "write", half_a_line)
    with pytest.raises(ResourceExhausted, match="No space left"):
        fill(path, "b")
    monkeypatch.undo()
    assert held(path) == ["a"]


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "arm").write_text("a file where the folder should be")
    with pytest.raises(FileUnreadable, match="arm"):
        held(tmp_path / "arm" / "journal")


def test_conditions_differ_where_a_leaf_differs_in_type():
    assert differing_fields({"t": 0}, {"t": 0.0}) == [("t", 0, 0.0)]
    assert differing_fields({"a": [1, 2]}, {"a": [1, 2]}) == []
    assert differing_fields({"a": {"b": 1}}, {"a": {}}) == [("a.b", 1, None)]
    assert json.dumps(differing_fields({}, {})) == "[]"
