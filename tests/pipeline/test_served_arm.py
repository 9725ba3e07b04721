"""An arm behind a server: order, concurrency, failures, resuming, and what may never be mixed."""

import json
import threading

import pytest

from faircall.canonical import canonical_json
from faircall.errors import ConfigError, EnvironmentProblem, EvaluationError, UsageError
from faircall.pipeline.arm_request import plan_arm
from faircall.pipeline.arms import read_arm
from faircall.pipeline.comparison import compare_stored
from faircall.pipeline.evaluate import evaluate_arm
from generating.fault_server import FaultServer, Reply, completion, fault
from pipeline import run_builder

CONFIG = """\
schema_version: faircall.config.v1
project: {name: tiny, artifact_root: artifacts}
model: {base_model_id: tiny, base_model_revision: r1}
arms:
  base: {}
  adapter: {adapter: owner/lora, revision: r2, served_as: tuned}
  stored: {replay: base.jsonl}
datasets:
  - {language: en, path: rows.jsonl}
  - {language: fr, path: rows.fr.jsonl, paired: true}
data: {n_test: 6}
eval: {slices: [en, fr], max_new_tokens: 64, backend: openai}
server: {base_url: BASE_URL, concurrency: 4, attempts: 1}
"""


def reply(body, *, right=range(6)):
    """The gold call for cities whose number is in `right`."""
    city = body["prompt"].rpartition(" ")[2]
    if run_builder.CITIES.index(city) not in right:
        return completion("no idea", model=body["model"])
    return completion(canonical_json({"name": "wx", "arguments": {"city": city}}), model=body["model"])


@pytest.fixture
def server():
    made = FaultServer(reply, models=("tiny", "tuned"))
    yield made
    made.close()


@pytest.fixture
def built(tmp_path, server):
    return run_builder.build(tmp_path / "work", config=CONFIG.replace("BASE_URL", server.base_url))


def evaluate(run, config, arm="base", **options):
    listener = options.pop("listener", lambda answered: None)
    return evaluate_arm(run, config, plan_arm(config, arm, **options), listener=listener)


def test_every_prompt_is_asked_once_and_written_in_order(built, server):
    run, config = built
    report = evaluate(run, config).report
    assert len(server.asked) == 10  # no warm-up
    for name, count in (("en", 6), ("fr", 4)):
        rows = [json.loads(line) for line in run.generations_file("base", name).read_text().splitlines()]
        assert [row["example_id"] for row in rows] == [f"{name}-{i}" for i in range(count)]
    assert report["metrics"]["full_call_exact_match"]["numerator"] == 10
    efficiency = report["inference_efficiency"]
    assert (efficiency["contract"], efficiency["cross_comparable"]) == ("faircall.served.v1", False)
    assert "up to 4 requests" in efficiency["cross_comparable_reason"]


def test_files_do_not_depend_on_who_was_faster(tmp_path, server):
    """The first prompt is answered last when eight are in flight, and first when one is."""
    server.default = lambda body: (
        Reply(kind="late", seconds=0.1, body=reply(body).body) if "Graz" in body["prompt"] else reply(body)
    )
    written, heard = [], []
    for count in (1, 8):
        text = CONFIG.replace("BASE_URL", server.base_url).replace("concurrency: 4", f"concurrency: {count}")
        run, config = run_builder.build(tmp_path / str(count), config=text)
        order = []
        evaluate(run, config, listener=lambda a, order=order: order.append(a.entry.generation.example_id))
        heard.append(order)
        written.append([run.generations_file("base", name).read_bytes() for name in ("en", "fr")])
    assert heard[0] != heard[1]
    assert written[0] == written[1]


def test_so_many_are_in_flight_and_no_more(built, server):
    gate = threading.Barrier(4, timeout=10)

    def wait(body):
        if len(server.asked) <= 4:
            server.lock.release()  # the server decides under its lock
            try:
                gate.wait()
            finally:
                server.lock.acquire()
        return reply(body)

    server.default = wait
    evaluate(*built)
    assert server.most_at_once <= 4


def test_a_request_that_fails_counts_and_only_it_is_asked_again(built, server):
    """Case R09: item 2 answers 500, then works in the next run."""
    run, config = built
    server.default = lambda body: fault(500) if body["prompt"] == "<en> weather in Oslo" else reply(body)
    report = evaluate(run, config).report
    assert report["metrics"]["valid_json_rate"]["numerator"] == 9
    assert report["metrics"]["valid_json_rate"]["denominator"] == 10
    assert report["diagnosis"]["backend_failed"] == 1
    row = json.loads(run.generations_file("base", "en").read_text().splitlines()[1])
    assert (row["status"], row["reason"], row["failure"]) == (
        "no_json", "backend_failed", "status 500: no; tried once",
    )  # fmt: skip

    server.asked.clear()
    server.default = reply
    second = evaluate(run, config)
    assert [body["prompt"] for _, body in server.asked] == ["<en> weather in Oslo"]
    assert second.report["metrics"]["valid_json_rate"]["numerator"] == 10
    assert second.report["diagnosis"]["backend_failed"] == 0
    assert second.report["warnings"] == []


def test_a_bad_text_is_an_answer_and_is_never_asked_again(built, server):
    run, config = built
    server.default = lambda body: reply(body, right=())
    assert evaluate(run, config).report["metrics"]["valid_json_rate"]["numerator"] == 0
    server.asked.clear()
    evaluate(run, config)
    assert server.asked == []


def test_another_server_under_the_same_name_is_refused(built, server):
    """Case R01: the second server's arm is not given the first server's answers."""
    run, config = built
    evaluate(run, config)
    other = FaultServer(lambda body: reply(body, right=()), models=("tiny",))
    try:
        with pytest.raises(EvaluationError, match=r"source\.base_url"):
            evaluate(run, config, base_url=other.base_url)
        assert other.asked == []
    finally:
        other.close()


def test_an_adapter_is_asked_for_by_its_own_name(built, server):
    run, config = built
    evaluate(run, config, "adapter")
    assert {body["model"] for _, body in server.asked} == {"tuned"}
    with pytest.raises(UsageError, match="by the base model's name"):
        evaluate(run, config, "another", adapter="owner/lora")
    with pytest.raises(EvaluationError, match="does not serve 'absent'"):
        evaluate(run, config, "another", adapter="owner/lora", served_as="absent")


def test_base_and_adapter_of_one_server_compare_by_the_adapter_alone(built, server):
    run, config = built
    server.default = lambda body: reply(body, right=range(6) if body["model"] == "tuned" else ())
    evaluate(run, config, "base")
    evaluate(run, config, "adapter")
    report = compare_stored(read_arm(run, "base"), read_arm(run, "adapter"))
    assert list(report["treatment"]["differs"]) == ["adapter.source"]
    assert report["overall"]["metrics"]["full_call_exact_match"]["delta"] == 1.0
    assert "model.dtype" in report["not_attested"]


def test_a_stopped_run_goes_on_and_asks_only_for_the_rest(built, server):
    run, config = built
    heard = []

    def stop(answered):
        heard.append(answered.entry.generation.example_id)
        if len(heard) == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        evaluate(run, config, listener=stop)
    kept = len(run.journal_file("base").read_text().splitlines()) - 1
    assert kept >= 5
    outcome = evaluate(run, config)
    assert outcome.generated == 10 - kept
    assert outcome.report["metrics"]["full_call_exact_match"]["numerator"] == 10


def test_an_error_of_the_run_keeps_what_was_answered(built, server):
    run, config = built
    server.default = lambda body: (
        completion("x", model="other") if body["prompt"] == "<fr> weather in Lima" else reply(body)
    )
    with pytest.raises(EvaluationError, match="fr-3: 'tiny' was asked and 'other' answered"):
        evaluate(run, config)
    assert len(run.journal_file("base").read_text().splitlines()) >= 6


def test_a_repeat_check_asks_the_server_again(built, server):
    """In this process and, over another connection, in a new one; what it batches is its own affair."""
    outcome = evaluate(*built, repeats=3)
    ways = outcome.report["inference_efficiency"]["repeat_check"]["ways"]
    assert [ways[way]["identical"] for way in ("same", "fresh", "permuted")] == [3, 3, 3]
    assert ways["batched"]["status"] == "not_possible"
    assert "the server decides" in ways["batched"]["reason"]
    assert ways["fresh"]["how"] == "a new process, up to 4 requests in flight"
    assert len(server.asked) == 10 + 3 * 3


def test_two_arms_may_not_be_one_on_the_server(tmp_path, server):
    text = CONFIG.replace("base: {}", "base: {served_as: tuned}").replace("BASE_URL", server.base_url)
    with pytest.raises(ConfigError, match=r"served_as.*base"):
        run_builder.build(tmp_path / "work", config=text)


def test_several_servers_are_a_pool_in_this_process_too(tmp_path, built, server):
    run, config = built
    evaluate(run, config)
    other = FaultServer(reply, models=("tiny",))
    try:
        urls = f"base_urls: [{other.base_url}, {server.base_url}]"
        text = CONFIG.replace("base_url: BASE_URL", urls)
        pooled, same = run_builder.build(tmp_path / "pool", config=text)
        server.asked.clear()
        evaluate(pooled, same)
        assert len(server.asked) + len(other.asked) == 10
        assert server.asked
        assert other.asked
        for name in ("en", "fr"):
            assert (
                pooled.generations_file("base", name).read_bytes()
                == run.generations_file("base", name).read_bytes()
            )
        stored = read_arm(pooled, "base").facts.conditions["source"]
        assert stored["base_urls"] == sorted([server.base_url, other.base_url])
        with pytest.raises(EvaluationError, match=r"source\.base_url"):
            evaluate(pooled, same, base_url=server.base_url)
        other.models = ("another",)
        again, same = run_builder.build(tmp_path / "again", config=text)
        with pytest.raises(EvaluationError, match="does not serve 'tiny'"):
            evaluate(again, same)
    finally:
        other.close()


def test_a_pool_is_given_in_one_way(tmp_path):
    text = CONFIG.replace("base_url: BASE_URL", "base_url: 'http://a/v1', base_urls: ['http://b/v1']")
    with pytest.raises(ConfigError, match=r"base_urls.*is given beside server\.base_url"):
        run_builder.build(tmp_path / "work", config=text)


def test_a_finished_arm_does_not_miss_its_server(built, server):
    run, config = built
    evaluate(run, config)
    server.close()
    assert evaluate(run, config).generated == 0
    with pytest.raises(EnvironmentProblem):  # something is to be generated
        evaluate(run, config, "adapter")
    with pytest.raises(EnvironmentProblem):  # another server would have to say that it serves the same
        evaluate(run, config, base_url="http://127.0.0.1:9/v1")
