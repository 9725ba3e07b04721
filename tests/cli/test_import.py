"""`faircall import`: what is detected, counted, refused and written, and that the rows can be scored."""

import json

import pytest

from faircall.cli import main
from faircall.digest import sha256_text
from faircall.store.atomic import write_json_lines
from faircall.store.files import read_json_lines

GOLD = {"name": "wx", "arguments": {"city": "Graz"}}
CALL = {"type": "function", "function": {"name": "wx", "arguments": '{"city": "Graz"}'}}


def lines(path):
    return [line.value for line in read_json_lines(path)]


def run(capsys, *arguments):
    status = main(["import", *map(str, arguments)])
    return status, capsys.readouterr()


def exchange(row_id, *calls, content=None):
    message = {"role": "assistant", "content": content, "tool_calls": list(calls)}
    return {
        "id": row_id,
        "request": {"messages": []},
        "response": {"choices": [{"message": message}]},
        "gold": GOLD,
    }


def test_a_log_is_detected_imported_and_scored(tmp_path, capsys):
    log, rows = tmp_path / "log.jsonl", tmp_path / "rows.jsonl"
    write_json_lines(log, [exchange("a", CALL), exchange("b", CALL, CALL), exchange("c", content="Sunny.")])
    status, said = run(capsys, log, "-o", rows)
    assert status == 0
    assert "openai_chat; 3 seen, 3 imported, 0 rejected" in said.out
    assert said.out.splitlines()[-1] == f"wrote {rows}"
    assert main(["score", str(rows), "--reader", "openai_chat.native.v1", "--json"]) == 0
    metrics = json.loads(capsys.readouterr().out)["metrics"]
    assert (metrics["valid_json_rate"]["numerator"], metrics["valid_json_rate"]["denominator"]) == (1, 3)


def test_responses_and_anthropic_logs_are_scored_by_their_readers(tmp_path, capsys):
    item = {"type": "function_call", "name": "wx", "arguments": '{"city": "Graz"}'}
    block = {"type": "tool_use", "name": "wx", "input": {"city": "Graz"}}
    logs = {
        "openai_responses.native.v1": {"output": [item]},
        "anthropic.native.v1": {"content": [block], "stop_reason": "tool_use"},
    }
    for reader, response in logs.items():
        log, rows = tmp_path / f"{reader}.log", tmp_path / f"{reader}.jsonl"
        write_json_lines(log, [{"id": "a", "request": {}, "response": response, "gold": GOLD}])
        status, said = run(capsys, log, "-o", rows)
        assert status == 0
        assert f"--reader {reader}" in said.out
        assert main(["score", str(rows), "--reader", reader, "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["metrics"]["full_call_exact_match"]["value"] == 1.0


def test_refused_rows_are_named_with_line_and_reason(tmp_path, capsys):
    path = tmp_path / "rows.jsonl"
    good = '{"id": "ok", "answers": [{"name": "f", "arguments": {}}]}\n'
    path.write_text(good + '{"id": "bad", "answers": "[{]"}\n{"id": "torn", "answ\n')
    status, said = run(capsys, path, "--json")
    assert status == 0
    report = json.loads(said.out)
    (summary,) = report["files"]
    assert summary["counts"] == {"seen": 3, "imported": 1, "rejected": 2}
    assert summary["rejected"] == [
        {"line": 2, "id": "bad", "reason": "answers is not valid JSON"},
        {"line": 3, "id": None, "reason": "the record is not valid JSON"},
    ]
    assert [row["id"] for row in report["rows"]] == ["ok"]
    status, said = run(capsys, path)
    assert "answers is not valid JSON" in said.out


def test_i01_a_byte_order_mark_changes_nothing(tmp_path, capsys):
    rows = [
        {"id": "1", "query": "q", "answers": '[{"name":"f","arguments":{"city":"Oslo"}}]', "tools": "[]"},
        {"id": "2", "query": "q", "answers": '[{"name":"g","arguments":{"unit":"C"}}]', "tools": "[]"},
    ]
    path, out = tmp_path / "calls.jsonl", tmp_path / "out.jsonl"
    path.write_text("\ufeff" + "".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert run(capsys, path, "-o", out)[0] == 0
    assert [(row["id"], row["gold"]["arguments"]) for row in lines(out)] == [
        ("1", {"city": "Oslo"}),
        ("2", {"unit": "C"}),
    ]


def test_i06_an_id_on_two_lines_exits_with_2_and_writes_nothing(tmp_path, capsys):
    path, out = tmp_path / "rows.jsonl", tmp_path / "out.jsonl"
    write_json_lines(path, [{"id": name, "query": "q"} for name in ("case_3", "case_17", "case_3")])
    status, said = run(capsys, path, "-o", out)
    assert status == 2
    assert "'case_3' is on line 1 and on line 3" in said.err
    assert not out.exists()


def test_a_table_with_a_column_map(tmp_path, capsys):
    path, out = tmp_path / "rows.csv", tmp_path / "out.jsonl"
    path.write_text('nr,said,wanted\n1,none,"{""name"": ""wx"", ""arguments"": {}}"\n')
    maps = ["--map", "id=nr", "--map", "raw_text=said", "--map", "gold=wanted"]
    assert run(capsys, path, *maps, "-o", out)[0] == 0
    assert lines(out) == [{"id": "1", "raw_text": "none", "gold": '{"name": "wx", "arguments": {}}'}]
    assert main(["score", str(out)]) == 0


def test_bfcl_answers_are_found_beside_the_questions(tmp_path, capsys):
    question = {
        "id": "simple_0",
        "question": [[{"role": "user", "content": "q"}]],
        "function": [{"name": "wx"}],
    }
    write_json_lines(tmp_path / "BFCL_v4_simple.json", [question])
    (tmp_path / "possible_answer").mkdir()
    truth = {"id": "simple_0", "ground_truth": [{"wx": {"city": ["Graz", "graz"]}}]}
    write_json_lines(tmp_path / "possible_answer" / "BFCL_v4_simple.json", [truth])
    out = tmp_path / "out.jsonl"
    assert run(capsys, tmp_path / "BFCL_v4_simple.json", "-o", out)[0] == 0
    assert lines(out)[0]["gold"] == GOLD
    moved = tmp_path / "elsewhere.json"
    (tmp_path / "BFCL_v4_simple.json").rename(moved)
    assert run(capsys, moved)[0] == 2
    answers = tmp_path / "possible_answer" / "BFCL_v4_simple.json"
    assert run(capsys, moved, "--with", answers, "-o", out)[0] == 0


@pytest.fixture
def sommelier_run(tmp_path):
    texts = {"a": json.dumps(GOLD), "b": '{"name": "wx", "arguments": {"x": NaN}}', "c": "no", "d": "no"}
    stored = {"a": "ok", "b": "ok", "c": "no_json", "d": "ok"}
    formatted, generations = [], []
    for name, text in texts.items():
        prompt = f"prompt {name}"
        shared = {"example_id": name, "language": "en", "prompt_sha256": sha256_text(prompt)}
        target = json.dumps([GOLD])
        formatted.append({**shared, "source_example_id": None, "prompt_text": prompt, "target_text": target})
        facts = {"model_kind": "base", "parsed_call": None, "decoding": {"temperature": 0.0}}
        generations.append({**shared, **facts, "raw_text": text, "parse_status": stored[name]})
    generations[2]["prompt_sha256"] = "0" * 64
    write_json_lines(tmp_path / "run" / "formatted" / "test.jsonl", formatted)
    arm = tmp_path / "run" / "eval" / "base"
    write_json_lines(arm / "generations.en.jsonl", generations)
    return arm


def test_a_sommelier_run_is_checked_and_parsed_again(sommelier_run, tmp_path, capsys):
    out = tmp_path / "out.jsonl"
    status, said = run(capsys, sommelier_run, "-o", out, "--json")
    assert status == 0
    (summary,) = json.loads(said.out)["files"]
    assert summary["form"] == "sommelier"
    assert summary["rejected"] == [{"line": 3, "id": "c", "reason": "the generation answers another prompt"}]
    changes = {change["id"]: change for change in summary["status_changes"]}
    assert changes["b"]["found"] == "invalid_json"
    assert changes["b"]["decision"].startswith("D1")
    assert changes["d"]["decision"].startswith("no decision")
    assert "a" not in changes
    assert main(["score", str(out)]) == 0


def test_a_folder_that_is_no_arm(tmp_path, capsys):
    assert run(capsys, tmp_path)[0] == 2


def test_forms_are_listed(capsys):
    status, said = run(capsys, "--list")
    assert status == 0
    assert "anthropic" in said.out
    status, said = run(capsys, "--list", "--json")
    assert {"name", "summary"} == json.loads(said.out)[0].keys()


def test_no_file_and_an_unknown_form(tmp_path, capsys):
    assert run(capsys)[0] == 2
    write_json_lines(tmp_path / "x.jsonl", [{"colour": "red"}])
    status, said = run(capsys, tmp_path / "x.jsonl")
    assert status == 2
    assert "colour" in said.err


def test_gold_that_is_no_call_is_refused_in_a_table_too(tmp_path, capsys):
    path, out = tmp_path / "rows.jsonl", tmp_path / "out.jsonl"
    torn = {**GOLD, "arguments": '{"city": "Graz"}'}
    golds = [GOLD, torn, [GOLD, GOLD], []]
    write_json_lines(path, [{"id": str(n), "raw_text": "", "gold": gold} for n, gold in enumerate(golds)])
    status, told = run(capsys, path, "-o", out)
    assert status == 0
    assert "gold has arguments that are not an object" in told.out
    assert [row["id"] for row in lines(out)] == ["0", "2", "3"]


def test_without_an_output_it_is_said_that_nothing_was_written(tmp_path, capsys):
    path = tmp_path / "rows.jsonl"
    write_json_lines(path, [{"id": "a", "raw_text": "", "gold": GOLD}])
    assert "nothing was written: -o FILE" in run(capsys, path)[1].out


@pytest.mark.parametrize(("name", "text"), [("a.csv", "id,raw_text\n1,x\n"), ("a.json", '[{"id": "1"}]\n')])
def test_a_table_in_another_form_is_sent_to_import(tmp_path, capsys, name, text):
    path = tmp_path / name
    path.write_text(text)
    assert main(["score", str(path)]) == 2
    assert "`faircall import FILE -o rows.jsonl` reads" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b'{"id":"1","answers":' + b"9" * 4400 + b"}", "past a limit"),
        (b"[" * 20_000 + b"]" * 20_000, "past a limit"),
        (b'{"id":"\xe9"}', "not UTF-8"),
    ],
)
def test_a_file_without_a_readable_record_is_refused_by_line(tmp_path, capsys, data, reason):
    """Case L01: one line with file, line and reason, whichever verb reads the file."""
    file = tmp_path / "hostile.jsonl"
    file.write_bytes(data + b"\n")
    status, said = run(capsys, file, "-o", tmp_path / "rows.jsonl")
    assert (status, said.err.count("\n")) == (2, 2)
    assert f"{file}:1: " in said.err
    assert reason in said.err
