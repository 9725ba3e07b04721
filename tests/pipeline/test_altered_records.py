"""Telemetry and repeat checks that were altered, manifests included: told as such, never a traceback."""

import json

import pytest

from faircall.errors import ArtifactInvalid
from faircall.pipeline.arm_request import plan_arm
from faircall.pipeline.evaluate import evaluate_arm
from faircall.pipeline.repeat_record import SCHEMA, bind_record, read_record
from faircall.pipeline.telemetry_record import read_telemetry
from pipeline import run_builder

ANSWER = {"generation": {"example_id": "en-0", "raw_text": "", "failure": None}, "divergence": None}
WAY = {"status": "made", "how": "again", "reason": None, "repeats": [ANSWER]}
RECORD = {"asked": 1, "compared": "greedy answers", "ways": {"same": WAY}}


@pytest.fixture(scope="module")
def telemetry(tmp_path_factory):
    folder = tmp_path_factory.mktemp("run")
    run, config = run_builder.build(folder)
    evaluate_arm(run, config, plan_arm(config, "base"))
    return json.loads(run.telemetry_file("base").read_text())


def put(value, path, new):
    """A copy of a JSON value with another one at a dotted path."""
    copy = json.loads(json.dumps(value))
    *steps, last = [int(step) if step.isdigit() else step for step in path.split(".")]
    inner = copy
    for step in steps:
        inner = inner[step]
    inner[last] = new
    return copy


@pytest.mark.parametrize(
    ("path", "new", "words"),
    [
        ("overall.total_ns", 1, r"overall\.total_ns is not what its rows add up to"),
        ("slices.fr.median_ns", 1, r"slices\.fr\.median_ns is not what"),
        ("slices.de", {"examples": 1}, r"slices\.de\.examples is not what"),
        ("examples", "x", r"no telemetry: Expected `array`, got `str`"),
        ("examples.0.duration_ns", -5, r"no telemetry: Expected `int` >= 0"),
        ("overall", [], r"no telemetry: Expected `object`, got `array`"),
        ("cross_comparable", True, r"is comparable and says why it is not"),
        ("schema_version", "x", r"no telemetry of version"),
    ],
)
def test_altered_telemetry_is_refused(tmp_path, telemetry, path, new, words):
    file = tmp_path / "t.json"
    file.write_text(json.dumps(telemetry))
    assert read_telemetry(file) == telemetry
    file.write_text(json.dumps(put(telemetry, path, new)))
    with pytest.raises(ArtifactInvalid, match=words):
        read_telemetry(file)


@pytest.mark.parametrize(
    ("path", "new", "words"),
    [
        ("asked", "many", "cannot be read: Expected `int`"),
        ("ways", 3, "cannot be read: Expected `object`"),
        ("ways.same", 3, "cannot be read: Expected `object`"),
        ("ways.same.repeats.0.generation", {}, "cannot be read: Object missing required field"),
        ("ways.same.repeats", [ANSWER, ANSWER], "holds an example twice in the way 'same'"),
        ("conditions_sha256", "0", "repeats an arm of other conditions"),
    ],
)
def test_an_altered_repeat_check_is_refused(tmp_path, path, new, words):
    file, record = tmp_path / "r.json", bind_record(RECORD, conditions={})
    file.write_text(json.dumps(record))
    assert read_record(file, conditions={}) == record
    assert record["schema_version"] == SCHEMA
    file.write_text(json.dumps(put(record, path, new)))
    with pytest.raises(ArtifactInvalid, match=words):
        read_record(file, conditions={})
