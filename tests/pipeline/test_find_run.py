"""Finding the run of a config among others, some of them damaged."""

import logging

import pytest

from faircall.errors import InputError
from faircall.pipeline.runs import find_run
from faircall.store.layout import run_folder
from pipeline import run_builder


def test_a_damaged_run_of_another_is_passed_over_with_a_notice(tmp_path, caplog):
    run, config = run_builder.build(tmp_path)[:2]
    root = run.path.parents[1]
    other = run_folder(root, "zz-damaged")
    other.path.mkdir()
    other.manifest_file.write_text("{")
    with caplog.at_level(logging.WARNING):
        assert find_run(config).path == run.path
    assert "zz-damaged is passed over" in caplog.text
    with pytest.raises(InputError):
        find_run(config, "zz-damaged")
