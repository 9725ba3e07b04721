"""No config: a log is replayed against a server, compared without gold, sampled, labelled, and scored."""

import json

import pytest

from faircall import cli
from faircall.errors import DuplicateId, EvaluationError, RowInvalid
from faircall.generating.servers.server_settings import ServerSettings
from faircall.importing.requests import read_requests
from faircall.pipeline.replayed_requests import replay_requests
from faircall.store.files import JsonLine
from generating.fault_server import FaultServer, chat, fault

TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "wx",
            "parameters": {
                "type": "object",
                "properties": {"city": {"type": "string"}},
                "required": ["city"],
            },
        },
    }
]
CITIES = ("Graz", "Oslo", "Rome", "Lima", "Pune", "Bern")


def call(city, name="wx"):
    return json.dumps({"name": name, "arguments": {"city": city}})


def log_row(city):
    earlier = [
        {"role": "user", "content": "Hello"},
        {"role": "assistant", "content": None, "tool_calls": [
            {"id": "c0", "type": "function", "function": {"name": "wx", "arguments": '{"city": "Wien"}'}}]},
        {"role": "tool", "tool_call_id": "c0", "content": "rain"},
    ]  # fmt: skip
    asked = {"role": "user", "content": f"And in {city}"}
    return {
        "id": f"r-{city}",
        "messages": [*earlier, asked, {"role": "assistant", "content": call(city)}],
        "tools": TOOLS,
    }


def answer(body):
    city = body["messages"][-1]["content"].rpartition(" ")[2]
    texts = {
        "Graz": call("Graz"),
        "Oslo": call("OSLO"),
        "Rome": call("Rome", "rain"),
        "Lima": "I cannot say.",
    }
    return chat(texts.get(city, call(city)), model=body["model"])


@pytest.fixture
def server():
    made = FaultServer(answer, models=("new",))
    yield made
    made.close()


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "logs.jsonl"
    path.write_text("".join(json.dumps(log_row(city)) + "\n" for city in CITIES))
    return path


def replay(log, folder, server, **options):
    settings = ServerSettings(server.base_url, "new", **options)
    return replay_requests(log, folder, server=settings, max_new_tokens=32)


def read(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_earlier_turns_and_tools_are_sent_as_they_were(log, tmp_path, server):
    done = replay(log, tmp_path / "out", server)
    assert (done.requests, done.asked_now, done.failed) == (6, 6, 0)
    bodies = {body["messages"][-1]["content"]: body for _, body in server.asked}
    body = bodies["And in Graz"]
    assert body["messages"] == log_row("Graz")["messages"][:-1]
    assert body["tools"] == TOOLS
    assert body["temperature"] == 0
    rows = read(done.outputs)
    assert [row["id"] for row in rows] == [f"r-{city}" for city in CITIES]
    assert rows[0]["raw_text"] == call("Graz")
    assert read(done.logged)[1]["raw_text"] == call("Oslo")


def test_what_failed_is_asked_again_and_nothing_else(log, tmp_path, server):
    server.default = lambda body: (
        fault(400, "no") if "Oslo" in body["messages"][-1]["content"] else answer(body)
    )
    assert replay(log, tmp_path / "out", server).failed == 1
    server.asked.clear()
    server.default = answer
    done = replay(log, tmp_path / "out", server)
    assert (done.asked_now, done.failed, len(server.asked)) == (1, 0, 1)


def test_another_server_does_not_get_the_answers_of_the_first(log, tmp_path, server):
    replay(log, tmp_path / "out", server)
    with pytest.raises(EvaluationError, match=r"requests_sha256|decoding|sent"):
        replay(log, tmp_path / "out", server, extra_body={"cache_prompt": False})


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"messages": []}, "at least one message"),
        ({"messages": ["hi"]}, "no message with a role"),
        ({"messages": [{"role": "user", "content": "x"}], "tools": "{"}, "JSON"),
        ([1], "not an object"),
    ],
)
def test_rows_that_are_no_request_are_named(row, reason):
    with pytest.raises(RowInvalid, match=rf"log:7: .*{reason}"):
        read_requests([JsonLine(7, row)], label="log")


def test_ids_join_and_may_not_repeat():
    lines = [JsonLine(number, log_row("Graz")) for number in (1, 2)]
    with pytest.raises(DuplicateId, match="log:2"):
        read_requests(lines, label="log")


def test_a_whole_exchange_is_a_request_and_its_answer():
    message = {"role": "assistant", "content": "hi"}
    row = {
        "id": "x",
        "request": {"messages": [{"role": "user", "content": "q"}], "tools": TOOLS},
        "response": {"choices": [{"message": message}]},
    }
    (request,) = read_requests([JsonLine(1, row)], label="log")
    assert (len(request.messages), request.tools, request.answer) == (1, tuple(TOOLS), message)


# --- The command line, from the log to labelled gold


def run(*arguments):
    return cli.main([str(argument) for argument in arguments])


def test_from_a_log_to_a_labelled_comparison(log, tmp_path, server, capsys):
    out = tmp_path / "out"
    status = run("eval", "run", "--requests", log, "--base-url", server.base_url, "--model", "new", "-o", out)
    assert status == 0
    assert "6 requests, 6 asked now, 0 failed" in capsys.readouterr().out

    labels = tmp_path / "labels.jsonl"
    assert run(
        "compare", out / "logged.jsonl", out, "--no-gold", "--sample", 4, "--export-labels", labels, "--json"
    ) == 0  # fmt: skip
    report = json.loads(capsys.readouterr().out)
    assert report["classes"] == {
        "same_call": 3, "only_baseline_calls": 1, "other_tool": 1, "text_form": 1,
    }  # fmt: skip
    assert (report["agreement"]["numerator"], report["agreement"]["denominator"]) == (3, 6)
    assert report["agreement"]["interval"]["method"] == "wilson"
    validity = report["candidate"]["schema_validity"]
    assert (validity["numerator"], validity["denominator"], validity["unknown_tool"]) == (4, 4, 1)
    assert report["disagreements"] == ["r-Oslo", "r-Rome", "r-Lima"]

    rows = read(labels)
    assert len(rows) == 4
    assert {row["sampling"]["weight"] for row in rows} == {1.5}
    assert all(row["gold"] is None for row in rows)
    assert run("compare", out / "logged.jsonl", out / "outputs.jsonl", "--gold", labels) == 2
    refused = capsys.readouterr().err
    assert "labels.jsonl:1: the row has no gold call" in refused
    assert "fill in its gold, or take the row out" in refused

    labels.write_text(
        "".join(json.dumps({**row, "gold": json.loads(call(row["id"][2:]))}) + "\n" for row in rows)
    )
    assert run(
        "compare", out / "logged.jsonl", out / "outputs.jsonl", "--gold", labels, "--vary", "model",
        "--vary", "decoding", "--json",
    ) == 0  # fmt: skip
    printed = capsys.readouterr()
    assert '"examples": 4' in printed.out, printed.err


def test_the_table_says_that_agreement_is_not_accuracy(log, tmp_path, server, capsys):
    done = replay(log, tmp_path / "out", server)
    assert run("compare", done.logged, done.outputs, "--no-gold", "-o", tmp_path / "report") == 0
    printed = capsys.readouterr().out
    assert "agreement: 3/6 50.0%" in printed
    assert "Agreement is not accuracy" in printed
    told = " ".join(next(line for line in printed.splitlines() if "not offered" in line).split())
    assert told == "calls of tools that were not offered 0 1"
    assert json.loads((tmp_path / "report" / "agreement_report.json").read_text())["examples"] == 6


def test_calls_that_a_server_parsed_need_the_native_reader(log, tmp_path, server, capsys):
    function = {"name": "wx", "arguments": '{"city": "Graz"}'}
    server.default = lambda body: chat(
        None, model="new", tool_calls=[{"id": "c", "type": "function", "function": function}]
    )
    arguments = (
        "eval", "run", "--requests", log, "--base-url", server.base_url, "--model", "new", "-o",
        tmp_path / "out",
    )  # fmt: skip
    assert run(*arguments) == 4
    assert "the server parses tool calls" in capsys.readouterr().err
    native = ("--reader", "openai_chat.native.v1")
    assert run(*arguments, *native) == 0
    assert "--no-gold --reader openai_chat.native.v1\n" in capsys.readouterr().out
    pair = (tmp_path / "out" / "outputs.jsonl", tmp_path / "out" / "outputs.jsonl")
    assert run("compare", *pair, "--no-gold", "--label", "a", "--label", "b") == 4
    capsys.readouterr()
    assert run("compare", *pair, "--no-gold", "--label", "a", "--label", "b", *native, "--json") == 0
    assert json.loads(capsys.readouterr().out)["classes"] == {"same_call": 6}


@pytest.mark.parametrize(
    "flags",
    [
        ("--requests", "x.jsonl"),
        ("--requests", "x.jsonl", "--arm", "base"),
        ("--requests", "x.jsonl", "--shard", "1/2"),
        ("--requests", "x.jsonl", "--backend", "vllm"),
        (),
    ],
)
def test_what_is_missing_is_a_usage_error(flags, capsys):
    assert run("eval", "run", *flags) == 2
    told = capsys.readouterr().err
    assert "hint:" in told
    assert all(name in told for name in flags[2:3])


# --- What the log knows of its conditions


def exchange(city):
    row = log_row(city)
    request = {"model": "prod", "messages": row["messages"][:-1], "tools": TOOLS, "temperature": 0,
               "max_tokens": 64, "stream": None}  # fmt: skip
    choice = {"message": row["messages"][-1], "finish_reason": "stop"}
    return {"id": row["id"], "request": request, "response": {"model": "prod", "choices": [choice]}}


@pytest.fixture
def exchanges(tmp_path):
    path = tmp_path / "exchanges.jsonl"
    path.write_text("".join(json.dumps(exchange(city)) + "\n" for city in CITIES))
    return path


def test_the_answers_of_the_log_keep_its_conditions(exchanges, tmp_path, server):
    (row, *_) = read(replay(exchanges, tmp_path / "out", server).logged)
    known = {key: row[key] for key in ("model", "finish_reason", "decoding")}
    assert known == {
        "model": "prod", "finish_reason": "stop", "decoding": {"temperature": 0, "max_tokens": 64},
    }  # fmt: skip


def test_a_row_that_is_no_exchange_names_its_conditions_itself():
    row = {**log_row("Graz"), "model": "prod", "finish_reason": 7}
    (request,) = read_requests([JsonLine(1, row)], label="log")
    assert request.conditions == {"model": "prod"}


def test_the_answers_of_the_log_are_compared_by_the_models_it_names(exchanges, tmp_path, server, capsys):
    """The rows of `faircall import` too: they repeat the last user message, a task is messages and tools."""
    done = replay(exchanges, tmp_path / "out", server)
    imported = tmp_path / "imported.jsonl"
    assert run("import", exchanges, "-o", imported) == 0
    assert all(row["query"] for row in read(imported))
    gold = tmp_path / "gold.jsonl"
    gold.write_text(
        "".join(json.dumps({"id": f"r-{city}", "gold": json.loads(call(city))}) + "\n" for city in CITIES)
    )
    varied = ("--vary", "model", "--vary", "decoding")
    for baseline in (done.logged, imported):
        capsys.readouterr()
        assert run("compare", baseline, done.outputs, "--gold", gold, *varied, "--json") in (0, 1)
        treatment = json.loads(capsys.readouterr().out)["treatment"]
        assert {"prod", "new"} <= set(json.dumps(treatment).split('"'))
