"""The openai backend against `transformers serve`: the demo's model, asked the same bytes here and there."""

import contextlib
import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

import pytest

from faircall.config import load_config
from faircall.demo.project import PACKAGED
from faircall.errors import Incomparable
from faircall.generating.hugging_face.embedded_model import ensure_embedded_model
from faircall.pipeline.arm_request import plan_arm
from faircall.pipeline.arms import read_arm
from faircall.pipeline.comparison import compare_stored
from faircall.pipeline.evaluate import evaluate_arm
from faircall.pipeline.run import ready_run

pytestmark = [pytest.mark.server, pytest.mark.model]

COUNT = 2
START_SECONDS = 180
CONFIG = """\
schema_version: faircall.config.v1
project: {name: served, artifact_root: artifacts}
model: {base_model_id: MODEL, dtype: float32}
arms: {local: {}, served: {base_url: BASE_URL, served_as: MODEL}}
datasets: [{language: en, path: rows.jsonl}]
data: {n_test: 2}
formatting:
  system_prompt: |-
    You call tools. Tools:
    {tools}
    Answer in JSON.
eval: {max_new_tokens: 12, threads: 1}
"""


@pytest.fixture(scope="module")
def model():
    return ensure_embedded_model()


@pytest.fixture(scope="module")
def base_url(model):
    """The address of a server in a process of its own."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    program = "from transformers.cli.transformers import main; main()"
    options = ["--host", "127.0.0.1", "--port", str(port), "--device", "cpu", "--dtype", "float32"]
    process = subprocess.Popen(
        [sys.executable, "-c", program, "serve", str(model), *options],
        env={**os.environ, "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        wait_for(f"http://127.0.0.1:{port}/health", process)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.kill()
        process.communicate()


def wait_for(address, process):
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            pytest.fail(f"the server ended: {process.stderr.read()[-2000:]}")
        with contextlib.suppress(urllib.error.URLError, ConnectionError):
            urllib.request.urlopen(address, timeout=5).close()
            return
        time.sleep(0.2)
    pytest.fail(f"{address} did not answer within {START_SECONDS} s")


def test_the_same_weights_here_and_behind_the_server(tmp_path, model, base_url):
    text = CONFIG.replace("MODEL", str(model)).replace("BASE_URL", base_url)
    (tmp_path / "config.yaml").write_text(text)
    lines = (PACKAGED / "data" / "test.en.jsonl").read_text("utf-8").splitlines(keepends=True)
    (tmp_path / "rows.jsonl").write_text("".join(lines[:COUNT]), "utf-8")

    config = load_config(tmp_path / "config.yaml")
    run = ready_run(config)
    for arm in ("local", "served"):
        evaluate_arm(run, config, plan_arm(config, arm))

    local, served = (
        [json.loads(line) for line in run.generations_file(arm, "en").read_text("utf-8").splitlines()]
        for arm in ("local", "served")
    )
    assert len(served) == COUNT
    for here, there in zip(local, served, strict=True):
        assert there["failure"] is None
        assert there["prompt_sha256"] == here["prompt_sha256"]
        assert there["prompt_tokens"] == here["prompt_tokens"]
        assert there["raw_text"] == here["raw_text"]  # one library, one dtype, one request at a time
    arms = [read_arm(run, arm) for arm in ("local", "served")]
    with pytest.raises(Incomparable, match=r"backend\.engine \(transformers \| openai\)"):
        compare_stored(*arms)
    report = compare_stored(*arms, vary=["model", "backend"])
    assert "backend.server" in report["treatment"]["differs"]
    assert {metric["delta"] for metric in report["overall"]["metrics"].values()} == {0.0}
