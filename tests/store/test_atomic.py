"""Atomic writes: the old file or the new one, and nothing beside it."""

import os

import pytest

from faircall.errors import FileUnreadable, ResourceExhausted
from faircall.store.atomic import open_atomically, write_bytes_atomically, write_json, write_json_lines
from faircall.store.files import read_json_lines


def test_lines_written_are_lines_read(tmp_path):
    values = [{"b": 1, "a": "\u2028"}, {"x": "\ud800"}, 10**900]
    path = tmp_path / "new" / "rows.jsonl"
    write_json_lines(path, iter(values))
    assert [line.value for line in read_json_lines(path)] == values
    assert path.read_bytes().startswith(b'{"a":"\\u2028","b":1}\n')


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "rows.jsonl"
    write_bytes_atomically(path, b"old")

    def broken():
        yield {}
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_json_lines(path, broken())
    with pytest.raises(ValueError, match="JSON compliant"):
        write_json(path, float("nan"))
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["rows.jsonl"]


def test_a_pipe_takes_the_bytes_and_stays_a_pipe(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    descriptor = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)
    try:
        write_bytes_atomically(pipe, b"x\n")
        assert os.read(descriptor, 9) == b"x\n"
    finally:
        os.close(descriptor)
    assert pipe.is_fifo()
    link = tmp_path / "link"
    link.symlink_to(pipe)
    write_bytes_atomically(link, b"y\n")  # a link in a run is not followed: it is replaced
    assert (link.is_symlink(), link.read_bytes(), pipe.is_fifo()) == (False, b"y\n", True)


def test_a_full_disk_has_its_own_error(tmp_path):
    with pytest.raises(ResourceExhausted), open_atomically(tmp_path / "x"):
        raise OSError(28, "No space left on device")
    with pytest.raises(FileUnreadable), open_atomically(tmp_path):
        pass
