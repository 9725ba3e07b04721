"""The demo's model in two workers: the same texts as in one process."""

import pytest

from faircall.config import load_config
from faircall.demo.project import create_project, link_model
from faircall.generating.hugging_face.embedded_model import ensure_embedded_model
from faircall.generating.workers.engine import EngineRequest
from faircall.pipeline.arm_request import plan_arm
from faircall.pipeline.evaluate import evaluate_arm
from faircall.pipeline.run import ready_run
from faircall.store.files import read_json

pytestmark = [pytest.mark.ray, pytest.mark.model]


def test_two_replicas_write_what_one_process_writes(tmp_path, cluster):
    written = []
    for engine in (None, EngineRequest("ray", 2)):
        folder = create_project(tmp_path / ("here" if engine is None else "spread"))
        link_model(folder, ensure_embedded_model())
        text = (folder / "quick.yaml").read_text()
        assert "max_new_tokens: 48" in text
        (folder / "quick.yaml").write_text(text.replace("max_new_tokens: 48", "max_new_tokens: 3"))
        config = load_config(folder / "quick.yaml")
        run = ready_run(config)
        evaluate_arm(run, config, plan_arm(config, "en", limit=6, engine=engine))
        telemetry = read_json(run.telemetry_file("en"))
        written.append((run.generations_file("en", "en").read_bytes(), telemetry["contract"]["name"]))
    assert written[0][0] == written[1][0]
    assert written[0][0].count(b"\n") == 6
    assert [name for _, name in written] == ["faircall.sequential.v1", "faircall.distributed.v1"]
