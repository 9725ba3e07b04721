"""SIGKILL at random moments: the run is resumed and ends with the bytes of an undisturbed one."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

from faircall.pipeline.arm_request import plan_arm
from faircall.pipeline.evaluate import evaluate_arm
from faircall.store.manifest import stage_is_done
from faircall.store.verification import verify
from pipeline import run_builder

SCRIPT = Path(__file__).with_name("slow_arm.py")
KILLS = 10


def start(config_path):
    source = Path(run_builder.__file__).parents[2] / "src"
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(source), os.environ.get("PYTHONPATH", "")]),
    }
    command = [sys.executable, str(SCRIPT), str(config_path), "0.03"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, env=environment)
    assert process.stdout.readline() == b"started\n"
    return process


def test_ten_kills_change_no_byte_of_the_generations(tmp_path):
    undisturbed, config = run_builder.build(tmp_path / "undisturbed")
    evaluate_arm(undisturbed, config, plan_arm(config, "base"))
    run, _ = run_builder.build(tmp_path / "killed")
    moments = random.Random(20261130)
    journalled = []
    for _ in range(KILLS):
        process = start(tmp_path / "killed" / "config.yaml")
        time.sleep(moments.uniform(0.0, 0.09))
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        journal = run.journal_file("base")
        journalled.append(journal.read_bytes().count(b"\n") if journal.exists() else 0)
    assert journalled == sorted(journalled)  # nothing that was finished is ever lost
    process = start(tmp_path / "killed" / "config.yaml")
    process.communicate()
    assert process.returncode == 0
    assert stage_is_done(run, "eval-base")
    assert verify(run).mismatches == ()
    for name in ("en", "fr"):
        expected = undisturbed.generations_file("base", name).read_bytes()
        assert run.generations_file("base", name).read_bytes() == expected
