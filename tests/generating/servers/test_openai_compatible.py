"""The openai backend against a server that behaves, and against one that does not."""

import json

import pytest

from faircall.canonical import canonical_json
from faircall.digest import sha256_text
from faircall.errors import ConfigError, EnvironmentProblem, EvaluationError, InvariantViolation, UsageError
from faircall.generating.backend import BACKENDS, AdapterSettings, BackendRequest, Decoding, ModelSettings
from faircall.generating.servers import openai_compatible
from faircall.generating.servers.http_client import Dropped, HttpClient
from faircall.generating.servers.openai_compatible import OpenAiBackend, find_model
from faircall.generating.servers.retries import RetryPolicy
from faircall.generating.servers.server_connection import ServerConnection
from faircall.generating.servers.server_settings import ServerSettings
from faircall.records import Prompt
from generating.fault_server import CALL, PAGE, FakeTime, FaultServer, Reply, chat, completion, fault

KEY = "sk-abcdefghijklmnopqrstuvwx"
TOOLS = [{"type": "function", "function": {"name": "f"}}]


@pytest.fixture
def server():
    made = FaultServer()
    yield made
    made.close()


def make_prompt(text=None, name="p1"):
    text = text or canonical_json({"messages": [{"role": "user", "content": "do it"}], "tools": TOOLS})
    return Prompt(name, "en", None, text, CALL, sha256_text(text), "m" * 64, "t" * 64, ())


def open_backend(server, *, time=None, adapter=None, **options):
    time = time or FakeTime()
    options = {"retries": RetryPolicy(attempts=3, deadline_seconds=60.0), **options}
    settings = ServerSettings(server.base_url, options.pop("model", "m"), **options)
    connection = ServerConnection(settings, sleep=time.sleep, draw=lambda: 0.5)
    request = BackendRequest(ModelSettings("owner/m"), Decoding(64), adapter=adapter)
    models = find_model(connection, settings)
    return OpenAiBackend(request, settings, connection=connection, models=models)


# --- What is sent and kept


def test_a_chat_prompt_is_sent_as_it_is_stored_and_greedily(server):
    """Case R07: temperature 0 stands in the request; what was sent stands in the conditions."""
    backend = open_backend(server, seed=7, extra_body={"top_k_note": 1})
    answer = backend.generate(make_prompt())
    path, body = server.asked[0]
    assert path == "/v1/chat/completions"
    assert body == {
        "model": "m", "messages": [{"role": "user", "content": "do it"}], "tools": TOOLS,
        "temperature": 0, "max_tokens": 64, "stream": False, "seed": 7, "top_k_note": 1,
    }  # fmt: skip
    assert type(body["temperature"]) is int
    sent = backend.describe()["backend"]["sent"]
    assert sent == {key: body[key] for key in sent}
    assert sent.keys() == body.keys() - {"model", "messages", "tools"}
    assert (answer.raw_text, answer.finish_reason, answer.prompt_tokens, answer.new_tokens) == (
        CALL, "stop", 9, 4,
    )  # fmt: skip
    assert answer.message == {"role": "assistant", "content": CALL}
    assert answer.prompt_sha256 == make_prompt().prompt_sha256


def test_no_tools_are_sent_where_there_are_none(server):
    text = canonical_json({"messages": [{"role": "user", "content": "x"}], "tools": []})
    open_backend(server).generate(make_prompt(text))
    assert "tools" not in server.asked[0][1]


def test_rendered_text_goes_to_completions(server):
    server.default = lambda body: completion()
    answer = open_backend(server, endpoint="completions").generate(make_prompt("<user>hi"))
    path, body = server.asked[0]
    assert (path, body["prompt"]) == ("/v1/completions", "<user>hi")
    assert (answer.raw_text, answer.finish_reason, answer.message) == (CALL, "length", None)
    assert answer.prompt_tokens is None


def test_the_whole_message_is_kept(server):
    server.default = lambda body: chat("text", reasoning_content="because", refusal=None)
    answer = open_backend(server).generate(make_prompt())
    assert answer.message["reasoning_content"] == "because"
    assert answer.raw_text == "text"


def test_rendered_text_is_no_chat_prompt(server):
    with pytest.raises(InvariantViolation, match="p1 is not the JSON"):
        open_backend(server).check([make_prompt("<user>hi")])
    assert server.asked == []


# --- Model and adapter


def test_a_model_that_is_not_listed_is_refused_before_the_run(server):
    with pytest.raises(
        EvaluationError, match=rf"^{server.base_url}: the server does not serve 'other'; it lists m$"
    ):
        open_backend(server, model="other")
    assert server.asked == []


def test_a_server_without_a_list_is_refused_unless_told(server):
    server.models = None
    with pytest.raises(EnvironmentProblem, match=f"^{server.base_url}: the server gives no model list"):
        open_backend(server)
    assert open_backend(server, model_list="ignored").generate(make_prompt()).raw_text == CALL


def test_another_model_in_an_answer_ends_the_run(server):
    server.default = lambda body: chat(model="m-small")
    with pytest.raises(EvaluationError, match=f"'m' was asked and 'm-small' answered.*{server.base_url}"):
        open_backend(server).generate(make_prompt())
    assert open_backend(server, answers_as="m-small").generate(make_prompt()).failure is None


def test_what_only_the_server_knows_stays_unknown(server):
    described = open_backend(server, adapter=AdapterSettings("owner/lora", "r2"), model="m").describe()
    assert described["model"]["dtype"] is None
    assert described["model"]["quantization"] is None
    assert described["adapter"] == {"source": "owner/lora@r2"}
    assert (described["backend"]["server"], described["backend"]["version"]) == ("faulty", None)
    stated = open_backend(server, stated=frozenset({"dtype", "quantization"})).describe()
    assert (stated["model"]["dtype"], stated["model"]["quantization"]) == ("float32", "none")


def test_describing_twice_is_the_same_though_the_list_has_a_clock(server):
    assert open_backend(server).describe() == open_backend(server).describe()


# --- Calls that the server parsed (case R11)

PARSED = [{"id": "c1", "type": "function", "function": {"name": "wx", "arguments": '{"city": "Graz"}'}}]


def test_a_parsed_call_under_a_text_reader_is_a_run_error(server):
    server.default = lambda body: chat(None, tool_calls=PARSED)
    with pytest.raises(EvaluationError, match="the server parses tool calls") as caught:
        open_backend(server).generate(make_prompt())
    assert "openai_chat.native.v1" in caught.value.hint


def test_a_parsed_call_under_a_native_reader_is_kept(server):
    server.default = lambda body: chat(None, tool_calls=PARSED)
    answer = open_backend(server, takes_tool_calls=True).generate(make_prompt())
    assert answer.raw_text == ""
    assert answer.message["tool_calls"] == PARSED


@pytest.mark.parametrize(
    ("content", "extra", "text"),
    [("It is sunny.", {}, "It is sunny."), (None, {}, ""), ("", {"tool_calls": []}, "")],
)
def test_messages_without_a_call_are_texts(server, content, extra, text):
    server.default = lambda body: chat(content, **extra)
    answer = open_backend(server).generate(make_prompt())
    assert (answer.raw_text, answer.failure) == (text, None)


# --- Faults that pass


@pytest.mark.parametrize(
    "first",
    [
        fault(429, "slow down", Retry_After="3"),
        fault(408),
        fault(409),
        fault(500),
        fault(503),
        Reply(status=502, body=PAGE),
        Reply(body=PAGE),
        Reply(body=b'{"choices": []}'),
        Reply(kind="half", body=b"x" * 400),
    ],
    ids=["429", "408", "409", "500", "503", "502-page", "200-page", "no-choice", "half"],
)
def test_a_fault_that_passes_leaves_no_trace(server, first):
    server.script.append(first)
    time = FakeTime()
    answer = open_backend(server, time=time).generate(make_prompt())
    assert (answer.raw_text, answer.failure) == (CALL, None)
    assert len(server.asked) == 2
    assert len(time.slept) == 1
    assert time.slept[0] >= (3.0 if first.status == 429 else 0.0)


def test_a_dropped_connection_is_tried_again(server):
    server.script.extend([Reply(kind="reset")] * 2)  # the first looks like one that went stale
    time = FakeTime()
    assert open_backend(server, time=time).generate(make_prompt()).failure is None
    assert len(time.slept) == 1


def test_a_storm_is_waited_out(server):
    server.script.extend([fault(429, Retry_After="20")] * 4)
    time = FakeTime()
    policy = RetryPolicy(attempts=6, deadline_seconds=600.0)
    assert open_backend(server, time=time, retries=policy).generate(make_prompt()).failure is None
    assert len(time.slept) == 4
    assert min(time.slept) >= 20.0


@pytest.mark.parametrize("kind", ["endless", "late"])
def test_an_answer_that_never_ends_meets_the_deadline(server, kind):
    server.script.append(Reply(kind=kind, seconds=5.0))
    policy = RetryPolicy(attempts=2, deadline_seconds=0.3)
    failure = open_backend(server, retries=policy).generate(make_prompt()).failure
    assert failure.startswith("no whole answer within the deadline")


def test_an_answer_that_is_too_long_is_cut_off(server, monkeypatch):
    monkeypatch.setattr("faircall.generating.servers.http_client.MAX_BYTES", 1000)
    client = HttpClient(server.base_url, headers={})
    server.script.append(Reply(body=b"x" * 5000))
    with pytest.raises(Dropped, match="longer than 1000 bytes"):
        client.exchange("POST", "/completions", seconds=5.0, body=b"{}")
    client.close()


def test_a_connection_that_went_stale_is_replaced_without_a_retry(server):
    time = FakeTime()
    backend = open_backend(server, time=time)
    backend.generate(make_prompt())
    server.script.append(Reply(kind="reset"))
    assert backend.generate(make_prompt()).failure is None
    assert time.slept == []


# --- Faults that stay


def test_what_finally_fails_is_a_record(server):
    server.default = lambda body: fault(500, "out of memory")
    answer = open_backend(server).generate(make_prompt())
    assert (answer.raw_text, answer.failure) == ("", "status 500: out of memory; tried 3 times")
    assert answer.decoding == Decoding(64).to_dict()


def test_a_refusal_of_one_prompt_is_not_tried_again(server):
    server.script.append(fault(400, "the prompt is too long"))
    backend = open_backend(server)
    assert backend.generate(make_prompt()).failure == "status 400: the prompt is too long"
    assert backend.generate(make_prompt()).failure is None
    assert len(server.asked) == 2


@pytest.mark.parametrize("status", [401, 403, 404])
def test_a_refusal_of_every_prompt_ends_the_run(server, status):
    backend = open_backend(server)
    server.default = lambda body: fault(status, "who are you")
    with pytest.raises(EnvironmentProblem, match=f"^{server.base_url}: .*status {status}: who are you"):
        backend.generate(make_prompt())


def test_a_server_that_is_down_ends_the_run_after_some_prompts(server):
    backend = open_backend(server)
    server.default = lambda body: fault(500)
    for _ in range(openai_compatible.GIVE_UP_AFTER - 1):
        assert backend.generate(make_prompt()).failure
    with pytest.raises(EnvironmentProblem, match=f"^{server.base_url}: .*20 prompts in a row"):
        backend.generate(make_prompt())


def test_nobody_there_is_a_problem_of_the_environment():
    request = BackendRequest(
        ModelSettings("m"),
        Decoding(8),
        options={"server": ServerSettings("http://127.0.0.1:9/v1", "m", retries=RetryPolicy(attempts=1))},
    )
    with pytest.raises(EnvironmentProblem, match="connection failed"):
        BACKENDS.get("openai")(request)


# --- The key


def test_the_key_goes_to_the_server_and_nowhere_else(server, monkeypatch):
    monkeypatch.setenv("MY_KEY", KEY)
    server.default = lambda body: fault(400, f"bad key {KEY} and {KEY[3:]}")
    backend = open_backend(server, api_key_env="MY_KEY")
    failure = backend.generate(make_prompt()).failure
    assert server.seen_headers[0]["Authorization"] == f"Bearer {KEY}"
    assert KEY not in failure
    assert KEY not in json.dumps(backend.describe())


def test_a_key_of_any_form_is_masked(server, monkeypatch):
    monkeypatch.setenv("MY_KEY", "short-key")
    server.default = lambda body: fault(401, "key short-key is unknown")
    with pytest.raises(EnvironmentProblem) as caught:
        open_backend(server, api_key_env="MY_KEY").generate(make_prompt())
    assert "short-key" not in caught.value.message


def test_without_a_key_no_header_is_sent(server, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    open_backend(server).generate(make_prompt())
    assert "Authorization" not in server.seen_headers[0]


# --- Settings


@pytest.mark.parametrize(
    "url", ["ftp://h/v1", "http://", "http://u:p@h/v1", "http://h/v1?key=1", "h:80/v1", "http://h:x/v1"]
)
def test_what_is_no_base_url_is_refused_without_repeating_it(url):
    with pytest.raises(UsageError, match="base URL") as caught:
        ServerSettings(url, "m")
    assert "u:p" not in caught.value.message


@pytest.mark.parametrize("field", ["temperature", "model", "seed", "max_tokens", "tools", "top_p"])
def test_extra_fields_may_not_undo_what_is_promised(field):
    with pytest.raises(ConfigError, match=field):
        ServerSettings("http://h/v1", "m", extra_body={field: 1})


def test_extra_fields_may_hold_no_key():
    with pytest.raises(ConfigError, match="credential"):
        ServerSettings("http://h/v1", "m", extra_body={"auth": {"api_key": "x"}})


def test_limits_are_kept_over_all_requests(server):
    time = FakeTime()
    settings = ServerSettings(server.base_url, "m", requests_per_minute=60, tokens_per_minute=6000)
    connection = ServerConnection(settings, sleep=time.sleep, clock=time.clock)
    request = BackendRequest(ModelSettings("m"), Decoding(64))
    backend = OpenAiBackend(request, settings, connection=connection, models=find_model(connection, settings))
    for _ in range(3):
        backend.generate(make_prompt())
    assert time.slept == [1.0, 1.0]  # 13 tokens an answer are well below 100 a second
