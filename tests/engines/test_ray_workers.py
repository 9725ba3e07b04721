"""Workers on a real Ray cluster: the bytes of a sequential run, whoever of them is killed."""

import json
import os
import signal
import socket
import time

import pytest

from faircall.errors import EnvironmentProblem, EvaluationError, IdMismatch
from faircall.generating.workers.engine import EngineRequest
from faircall.pipeline.arm_request import plan_arm
from faircall.pipeline.evaluate import evaluate_arm
from faircall.store.files import read_json
from faircall.store.verification import verify
from generating.fault_server import FaultServer
from pipeline import run_builder
from pipeline.test_served_arm import CONFIG as SERVED
from pipeline.test_served_arm import reply

pytestmark = [pytest.mark.ray, pytest.mark.usefixtures("cluster")]


def build(folder, **told):
    run, config = run_builder.build(folder)
    (folder / "told.json").write_text(json.dumps(told))
    return run, config


def request(config, workers, *, arm="base", backend="told", **options):
    engine = None if workers is None else EngineRequest("ray", workers)
    return plan_arm(config, arm, backend=backend, engine=engine, **options)


def bytes_of(run, arm="base"):
    return [run.generations_file(arm, name).read_bytes() for name in ("en", "fr")]


def report_of(outcome):
    """The report without what was timed, and without what names the run."""
    return {key: value for key, value in outcome.report.items() if key != "inference_efficiency"}


@pytest.fixture
def sequential(tmp_path):
    run, config = build(tmp_path / "sequential")
    outcome = evaluate_arm(run, config, request(config, None))
    return bytes_of(run), report_of(outcome)


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_any_number_of_workers_gives_the_bytes_of_one_process(tmp_path, sequential, workers):
    run, config = build(tmp_path / "spread")
    outcome = evaluate_arm(run, config, request(config, workers))
    assert (bytes_of(run), report_of(outcome)) == sequential
    assert verify(run).mismatches == ()
    assert not run.journal_file("base").exists()
    efficiency = outcome.report["inference_efficiency"]
    assert (efficiency["contract"], efficiency["cross_comparable"]) == ("faircall.distributed.v1", False)
    assert f"up to {workers} prompts in flight" in efficiency["cross_comparable_reason"]
    assert read_json(run.telemetry_file("base"))["memory"] is None


@pytest.mark.parametrize("workers", [1, 2])
def test_a_worker_that_is_killed_over_a_prompt_changes_nothing(tmp_path, sequential, workers):
    run, config = build(tmp_path / "spread", die_once=["en-2", "fr-1"], pause=0.01)
    outcome = evaluate_arm(run, config, request(config, workers))
    assert (bytes_of(run), report_of(outcome)) == sequential
    assert (tmp_path / "spread" / "died-en-2").exists()


def test_workers_that_are_killed_from_outside_change_nothing(tmp_path, sequential, capfd):
    run, config = build(tmp_path / "spread", pause=0.05)
    heard, killed = [], []

    def kill(answered):
        heard.append(answered)
        if len(heard) == 3:
            killed.extend(int(path.name[4:]) for path in (tmp_path / "spread").glob("pid-*"))
            for process in killed:
                os.kill(process, signal.SIGKILL)

    outcome = evaluate_arm(run, config, request(config, 2), listener=kill)
    assert (bytes_of(run), report_of(outcome)) == sequential
    assert killed
    assert capfd.readouterr() == ("", "")  # what Ray says of it is not for our standard output
    assert len(list((tmp_path / "spread").glob("pid-*"))) > len(killed)  # others took their places


def test_a_prompt_that_kills_every_worker_ends_the_run_and_keeps_the_rest(tmp_path, sequential):
    run, config = build(tmp_path / "spread", die_always=["fr-3"])
    with pytest.raises(EnvironmentProblem, match=r"3 workers died over 'fr-3'"):
        evaluate_arm(run, config, request(config, 1))
    assert len(run.journal_file("base").read_text().splitlines()) == 10
    (tmp_path / "spread" / "told.json").write_text("{}")
    outcome = evaluate_arm(run, config, request(config, None))  # it goes on without the engine
    assert outcome.generated == 1
    assert bytes_of(run) == sequential[0]


def test_a_worker_that_cannot_even_open_is_given_up(tmp_path):
    run, config = build(tmp_path / "spread", die_on_open=True)
    with pytest.raises(EnvironmentProblem, match="worker 1 died 3 times in a row"):
        evaluate_arm(run, config, request(config, 2))
    assert not run.journal_file("base").exists()


def test_a_driver_that_was_stopped_goes_on_with_the_engine_and_without(tmp_path, sequential):
    run, config = build(tmp_path / "spread", pause=0.02)

    def stop_after(count):
        heard = []

        def listen(answered):
            heard.append(answered)
            if sum(answered.fresh for answered in heard) == count:
                raise KeyboardInterrupt

        return listen

    for workers in (2, None):
        with pytest.raises(KeyboardInterrupt):
            evaluate_arm(run, config, request(config, workers), listener=stop_after(2))
    kept = len(run.journal_file("base").read_text().splitlines()) - 1
    assert kept >= 4
    outcome = evaluate_arm(run, config, request(config, 2))
    assert outcome.generated == 10 - kept
    assert (bytes_of(run), report_of(outcome)) == sequential
    again = evaluate_arm(run, config, request(config, 2))
    assert again.generated == 0


def test_a_worker_under_other_conditions_is_refused(tmp_path):
    run, config = build(tmp_path / "spread", device_of_second="cuda", pause=0.2)
    told = r'worker 2 on .* under other conditions than the first: backend.device: "cpu" .* "cuda" here'
    with pytest.raises(EvaluationError, match=told):
        evaluate_arm(run, config, request(config, 2))


def test_a_refusal_of_the_backend_is_told_as_without_an_engine(tmp_path):
    run, config = build(tmp_path / "spread")
    lines = config.path_of("base.jsonl").read_text().splitlines()
    config.path_of("base.jsonl").write_text("\n".join(lines[1:]) + "\n")
    with pytest.raises(IdMismatch, match=r"1 prompt has no stored generation in .*: en-0") as told:
        evaluate_arm(run, config, request(config, 2))
    assert "one row for every example" in told.value.hint


@pytest.mark.parametrize("workers", [1, 2])
def test_batches_are_those_of_one_process(tmp_path, workers):
    alone, config = build(tmp_path / "alone", batch_size=4)
    evaluate_arm(alone, config, request(config, None))
    assert b"fr-3 among" in bytes_of(alone)[1]
    run, config = build(tmp_path / "spread", batch_size=4, die_once=["en-2"], pause=0.01)
    heard = []

    def stop(answered):
        heard.append(answered)
        if len(heard) == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        evaluate_arm(run, config, request(config, workers), listener=stop)
    journal = run.journal_file("base")
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:4]))  # as if it had ended within a batch
    evaluate_arm(run, config, request(config, workers))
    assert bytes_of(run) == bytes_of(alone)
    contract = read_json(run.telemetry_file("base"))["contract"]
    assert (contract["name"], contract["concurrency"]) == ("faircall.distributed.v1", 4 * workers)


def test_more_than_the_cluster_has_is_refused_at_once(tmp_path):
    run, config = build(tmp_path / "spread")
    with pytest.raises(EnvironmentProblem, match="4 x 1 CPU are needed, and the cluster has 3"):
        evaluate_arm(run, config, request(config, 4))
    engine = EngineRequest("ray", 1, gpus_per_worker=1)
    with pytest.raises(EnvironmentProblem, match="1 x 1 GPU are needed, and the cluster has 0"):
        evaluate_arm(run, config, plan_arm(config, "base", engine=engine))


def test_a_cluster_that_others_use_is_waited_for_with_a_word(
    tmp_path, cluster, sequential, caplog, monkeypatch
):
    monkeypatch.setattr("faircall.generating.workers.ray_workers._SILENT_SECONDS", 1.0)
    begun = tmp_path / "begun"

    def work():
        begun.touch()
        time.sleep(4)

    other = cluster.ray.remote(num_cpus=3)(work).remote()
    while not begun.exists():
        time.sleep(0.05)
    run, config = build(tmp_path / "spread")
    outcome = evaluate_arm(run, config, request(config, 1))
    assert (bytes_of(run), report_of(outcome)) == sequential
    assert "no place for a worker in 1 s" in caplog.text
    cluster.ray.get(other)


@pytest.fixture
def servers():
    made = [FaultServer(reply, models=("tiny", "tuned")) for _ in range(2)]
    yield made
    for server in made:
        server.close()


@pytest.mark.parametrize("workers", [None, 2, 4])
def test_a_pool_of_servers_gives_the_bytes_of_one(tmp_path, servers, workers):
    text = SERVED.replace("BASE_URL", servers[0].base_url)
    alone, config = run_builder.build(tmp_path / "alone", config=text)
    evaluate_arm(alone, config, plan_arm(config, "base"))
    asked = len(servers[0].asked)
    run, config = run_builder.build(tmp_path / "pool", config=text)
    urls = [server.base_url for server in servers]
    engine = EngineRequest("ray", workers)
    outcome = evaluate_arm(run, config, plan_arm(config, "base", base_url=urls, engine=engine))
    assert bytes_of(run) == bytes_of(alone)
    assert len(servers[0].asked) - asked + len(servers[1].asked) == 10
    assert servers[1].asked
    assert outcome.report["inference_efficiency"]["contract"] == "faircall.distributed.v1"
    again = evaluate_arm(run, config, plan_arm(config, "base", base_url=urls))  # the same pool, without Ray
    assert again.generated == 0


def test_a_pool_is_one_only_if_all_serve_the_same(tmp_path, servers):
    servers[1].models = ("tuned",)
    text = SERVED.replace("BASE_URL", servers[0].base_url)
    run, config = run_builder.build(tmp_path / "pool", config=text)
    urls = [server.base_url for server in servers]
    with pytest.raises(EvaluationError, match="does not serve 'tiny'"):
        evaluate_arm(run, config, plan_arm(config, "base", base_url=urls, engine=EngineRequest("ray")))
    assert servers[0].asked == []


def test_the_cluster_listens_on_loopback_only(cluster):
    nodes = cluster.ray.nodes()
    assert [node["NodeManagerAddress"] for node in nodes] == ["127.0.0.1"]
    for host in {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}:
        if not host.startswith("127."):
            with pytest.raises(OSError):
                socket.create_connection((host, nodes[0]["NodeManagerPort"]), timeout=1).close()
