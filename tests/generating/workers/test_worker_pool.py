"""The pool of workers, with workers that are objects in this process and die as they are told."""

import subprocess
import sys
from dataclasses import replace
from types import SimpleNamespace
from typing import ClassVar

import pytest

from faircall import cli
from faircall.digest import sha256_text
from faircall.errors import ConfigError, DependencyMissing, EnvironmentProblem, EvaluationError, UsageError
from faircall.generating import extras
from faircall.generating.answering import answer_prompts
from faircall.generating.backend import BACKENDS, AdapterSettings, BackendRequest, Decoding, ModelSettings
from faircall.generating.journal import open_journal
from faircall.generating.servers.server_settings import ServerSettings
from faircall.generating.workers import replica
from faircall.generating.workers.distribution import open_workers, plan_seats
from faircall.generating.workers.engine import ENGINES, EngineRequest, WorkerLost, WorkerNeeds
from faircall.generating.workers.replica import Replica, Software
from faircall.records import Generation, Prompt

DEADLINE = 10.0


class Local:
    """A worker in this process."""

    def __init__(self, engine, number):
        self.engine, self.number, self.replica, self.stopped = engine, number, Replica(), False

    def call(self, method, *arguments):
        self.engine.calls.append((self.number, method))
        if self.stopped or self.engine.dies(self, method, arguments):
            self.stopped = True
            raise WorkerLost("exit code 137")
        return getattr(self.replica, method)(*arguments)

    def release(self):
        self.call("close")
        self.stopped = True

    def stop(self):
        self.stopped = True


class LocalEngine:
    def __init__(self):
        self.started, self.calls, self.closed = [], [], False
        self.dies = lambda worker, method, arguments: False

    def start(self, number):
        self.started.append(Local(self, number))
        return self.started[-1]

    def close(self):
        self.closed = True


class Echo:
    """Answers with the prompt; all replicas share `facts`."""

    facts: ClassVar = [{}]
    closed: ClassVar = 0

    def __init__(self, request):
        self.request = request

    def describe(self):
        facts = Echo.facts.pop(0) if len(Echo.facts) > 1 else Echo.facts[0]
        source = {"adapter": None, **facts.get("source", {})}
        backend = {"engine": "echo", **facts.get("backend", {})}
        model, adapter = facts.get("model", {}), facts.get("adapter", {"source": "none"})
        return {"model": model, "adapter": adapter, "decoding": {}, "backend": backend, "source": source}

    def check(self, prompts):
        assert prompts

    def generate(self, prompt):
        return Generation(prompt.example_id, prompt.prompt_text)

    def close(self):
        Echo.closed += 1


@pytest.fixture
def engine():
    made = LocalEngine()
    ENGINES.register("local", lambda request, workers, needs: made)
    BACKENDS.register("echo", Echo)
    Echo.facts, Echo.closed = [{}], 0
    yield made
    ENGINES.restore()
    BACKENDS.restore()


def prompts(count):
    texts = [f"text {number}" for number in range(count)]
    return [
        Prompt(f"p{n}", "en", None, text, "", sha256_text(text), "m", "t", ()) for n, text in enumerate(texts)
    ]


REQUEST = BackendRequest(ModelSettings("owner/model"), Decoding(8))


def open_pool(workers=2, request=REQUEST):
    return open_workers("echo", request, EngineRequest("local", workers))


def run(pool, count, folder):
    with open_journal(folder / "journal.jsonl", {"a": 1}) as journal:
        return answer_prompts(pool, {"en": prompts(count)}, journal=journal, clock=lambda: 0)


def test_answers_come_in_the_order_of_the_prompts(engine, tmp_path):
    pool = open_pool(3)
    found = run(pool, 50, tmp_path)
    pool.close()
    assert [entry.generation.example_id for entry in found.entries] == [f"p{n}" for n in range(50)]
    assert (found.mode, found.in_flight, found.warm_up_calls) == ("distributed", 3, 0)
    assert engine.closed
    assert Echo.closed == 3
    assert all(worker.stopped for worker in engine.started)


def test_a_lost_worker_is_replaced_and_its_prompt_goes_elsewhere(engine, tmp_path):
    left = {"p3", "p7", "p8"}

    def dies(worker, method, arguments):
        name = arguments[0][0][1].example_id if method == "answer" else None
        if name in left:
            left.discard(name)
            return True
        return False

    engine.dies = dies
    pool = open_pool(1)
    found = run(pool, 20, tmp_path)
    pool.close()
    assert [entry.generation.raw_text for entry in found.entries] == [f"text {n}" for n in range(20)]
    assert len(engine.started) == 4
    assert not left


def test_losses_with_answers_between_them_are_forgiven(engine, tmp_path):
    seen = set()

    def dies(worker, method, arguments):
        name = arguments[0][0][1].example_id if method == "answer" else None
        fresh = name is not None and name not in seen
        seen.add(name)
        return fresh

    engine.dies = dies
    pool = open_pool(1)
    assert len(run(pool, 9, tmp_path).entries) == 9
    pool.close()
    assert len(engine.started) == 10


def test_a_seat_whose_workers_keep_dying_ends_the_run(engine, tmp_path):
    engine.dies = lambda worker, method, arguments: worker.number == 1
    pool = open_pool(2)
    for opener in pool._openers:
        opener.join(DEADLINE)
    with pytest.raises(
        EnvironmentProblem, match="worker 2 died 3 times in a row, last: exit code 137"
    ) as told:
        run(pool, 200, tmp_path)
    assert "the same command goes on" in told.value.hint
    pool.close()
    with pytest.raises(EnvironmentProblem):
        pool.generate(prompts(1)[0])


def test_a_pool_that_cannot_be_opened_closes_its_engine(engine):
    engine.dies = lambda worker, method, arguments: True
    with pytest.raises(EnvironmentProblem, match="worker 1 died 3 times"):
        open_pool()
    assert engine.closed


def test_workers_of_another_version_are_refused(engine, monkeypatch):
    told = iter([Software("0.0.9", "3.11"), Software("0.1.0", "3.11")])
    monkeypatch.setattr(replica, "installed_software", lambda: next(told))
    monkeypatch.setattr("faircall.generating.workers.agreement.installed_software", lambda: next(told))
    with pytest.raises(EvaluationError, match=r"runs faircall 0\.0\.9 on Python 3\.11, and this process"):
        open_pool()


def test_another_copy_of_the_model_or_the_adapter_is_refused(engine, tmp_path):
    (tmp_path / "weights").write_text("x")
    Echo.facts = [{"model": {"base_model_revision": "sha256:abc"}}]
    request = replace(REQUEST, model=ModelSettings(str(tmp_path)))
    with pytest.raises(EvaluationError, match=r"another copy.*model\.base_model_revision.*sha256:abc there"):
        open_pool(request=request)
    Echo.facts = [{"adapter": {"source": "lora@sha256:abc"}}]
    request = replace(REQUEST, adapter=AdapterSettings(str(tmp_path)))
    with pytest.raises(EvaluationError, match=r"another copy.*adapter\.source"):
        open_pool(request=request)


def test_a_second_replica_that_differs_ends_the_run(engine, tmp_path):
    Echo.facts = [{}, {"backend": {"version": "2"}}]
    pool = open_pool(2)
    for opener in pool._openers:
        opener.join(DEADLINE)
    with pytest.raises(EvaluationError, match=r'backend\.version: null at the first, "2" here'):
        for prompt in prompts(2):
            pool.answer([("en", prompt)])
    pool.close()


def served(*urls, **options):
    settings = ServerSettings(urls[0], "m", mirrors=tuple(urls[1:]), **options)
    return replace(REQUEST, options={"server": settings})


def test_seats_share_what_a_server_takes():
    request = served("http://a/v1", "http://b/v1", in_flight=8, requests_per_minute=60)
    seats = plan_seats(request, 5)
    urls = [seat.request.options["server"].base_url for seat in seats]
    assert urls == ["http://a/v1", "http://b/v1", "http://a/v1", "http://b/v1", "http://a/v1"]
    assert [seat.share for seat in seats] == [2, 4, 2, 4, 2]
    assert [seat.request.options["server"].requests_per_minute for seat in seats] == [20, 30, 20, 30, 20]
    assert {seat.request.options["server"].mirrors for seat in seats} == {()}
    assert len(plan_seats(request, None)) == 2
    with pytest.raises(UsageError, match="1 workers for 2 servers"):
        plan_seats(request, 1)
    with pytest.raises(UsageError, match="named twice"):
        served("http://a/v1", "http://a/v1")


def test_what_makes_no_sense_is_refused(engine):
    with pytest.raises(UsageError, match="0 workers"):
        EngineRequest("ray", 0)
    for gpus in (-1, float("nan"), float("inf"), 1.5):
        with pytest.raises(UsageError, match=rf"^{gpus:g} GPUs per worker"):
            EngineRequest("ray", gpus_per_worker=gpus)
    with pytest.raises(ConfigError, match="unknown engine 'rey'; did you mean 'ray'"):
        open_workers("echo", REQUEST, EngineRequest("rey"))


def test_without_ray_one_line_says_what_to_install(monkeypatch):
    def missing(name):
        raise ModuleNotFoundError(name)

    monkeypatch.setattr(extras.importlib, "import_module", missing)
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    from faircall.generating.workers.ray_cluster import connect

    with pytest.raises(DependencyMissing, match="--engine ray needs ray, which is not installed") as told:
        connect(purpose="--engine ray")
    assert told.value.hint == "pip install 'faircall[ray]'"


@pytest.mark.parametrize("flag", [["--workers", "2"], ["--gpus-per-worker", "1"], ["--ray-address", "auto"]])
def test_options_of_an_engine_need_one(flag, tmp_path, capsys):
    from pipeline import run_builder

    run_builder.build(tmp_path)
    config = str(tmp_path / "config.yaml")
    assert cli.main(["eval", "run", "-c", config, "--arm", "base", *flag]) == 2
    assert f"{flag[0]} goes with --engine" in capsys.readouterr().err


@pytest.mark.parametrize("address", ["foo", "host:", ":1", "host:x", "host:70000"])
def test_what_is_no_address_is_refused(address):
    from faircall.generating.workers.ray_cluster import connect

    with pytest.raises(UsageError, match="is no address of a Ray cluster"):
        connect(address, purpose="a test")


def test_a_cluster_that_is_not_there_is_told_in_seconds():
    from faircall.generating.workers.ray_cluster import connect

    with pytest.raises(EnvironmentProblem, match=r"no Ray cluster answers at 127\.0\.0\.1:1 "):
        connect("127.0.0.1:1", purpose="a test")


def test_whatever_ray_raises_is_told_as_a_problem_of_the_environment():
    from faircall.generating.workers import ray_cluster

    with (
        pytest.raises(EnvironmentProblem, match="cannot use a cluster on this machine: timed out") as told,
        ray_cluster._connecting(ray_cluster._HERE),
    ):
        raise Exception("timed out during startup")
    assert "$TMPDIR" in told.value.hint


@pytest.mark.parametrize(
    ("machines", "needs", "places"),
    [
        ([{"CPU": 4.0}, {"CPU": 4.0}], WorkerNeeds(8.0), 0),
        ([{"CPU": 4.0}, {"CPU": 7.0}], WorkerNeeds(3.0), 3),
        ([{"CPU": 12.0, "GPU": 1.0}, {"CPU": 12.0}], WorkerNeeds(1.0, 0.1), 10),
        ([{"CPU": 9.0, "GPU": 2.0}], WorkerNeeds(1.0, 0.6), 2),
        ([{"CPU": 9.0, "GPU": 3.0}], WorkerNeeds(1.0, 2.0), 1),
    ],
)
def test_a_worker_needs_a_place_on_one_machine(machines, needs, places):
    """Ray would wait for ever for a machine that the cluster does not have."""
    from faircall.generating.workers.ray_workers import _require_room

    total = {name: sum(one.get(name, 0.0) for one in machines) for name in ("CPU", "GPU")}
    cluster = SimpleNamespace(resources=total, machines=machines)
    if places:
        _require_room(cluster, places, needs)
    with pytest.raises(EnvironmentProblem, match=f"have places for {places}|are needed, and the cluster has"):
        _require_room(cluster, places + 1, needs)


def test_a_cluster_on_loopback_is_told_from_one_that_others_reach(monkeypatch):
    """Ray would look for the first at this machine's own address, where it is not."""
    from faircall.generating.workers import ray_cluster

    def connect(place, timeout):
        raise ConnectionRefusedError

    assert not ray_cluster._is_on_loopback_only("192.0.2.7", 6379)
    monkeypatch.setattr(ray_cluster.socket, "create_connection", connect)
    assert ray_cluster._is_on_loopback_only("127.0.0.1", 6379)


def test_help_loads_no_ray():
    program = (
        "import sys, faircall, faircall.cli as c; c.main(['eval', 'run', '--help']); "
        "import faircall.pipeline.evaluate; assert 'ray' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert "--engine" in done.stdout
