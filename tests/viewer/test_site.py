"""The pages of `faircall view` over WSGI: what they show, whom they refuse, and that nothing is written."""

import json

import pytest
from werkzeug.test import Client

from faircall.cli import main
from faircall.errors import ArtifactInvalid, FileUnreadable
from faircall.generating.journal import open_journal
from faircall.pipeline.arm_request import plan_arm
from faircall.pipeline.comparison import compare_in_run
from faircall.pipeline.evaluate import evaluate_arm
from faircall.pipeline.experiment import build_experiment_report, write_experiment
from faircall.pipeline.watch import watch_run
from faircall.records import Generation
from faircall.reporting.figures import FORMS, find
from faircall.viewer.places import chief_page, find_place
from faircall.viewer.site import Site
from pipeline.run_builder import answers, build, rows
from reporting.page_reader import Page


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A run with both arms and their comparison."""
    folder, config = build(tmp_path_factory.mktemp("run"))
    for arm in ("base", "adapter"):
        evaluate_arm(folder, config, plan_arm(config, arm))
    compare_in_run(folder, "base", "adapter")
    return folder


def visit(path, address, **headers):
    return Client(Site(find_place(path))).get(address, headers={"Host": "127.0.0.1:8000", **headers})


def half_done(folder, *, count):
    """A run whose base arm has answered `count` prompts, the first two of them right."""
    run, _ = build(folder)
    given = answers(rows(), right=(0, 1))[:count]
    with open_journal(run.journal_file("base"), {"prompts": {"limit": None, "sets": {}}}) as journal:
        for row in given:
            language = row["example_id"][:2]
            journal.append(
                language,
                Generation(row["example_id"], row["raw_text"], language=language, finish_reason="stop"),
                duration_ns=2_000_000_000,
            )
    return run


def test_an_artifact_root_lists_its_runs_with_their_signatures(run):
    answer = visit(run.path.parents[1], "/")
    report = json.loads(run.comparison_report_file().read_text())
    assert answer.status_code == 200
    assert "runs/run-1/" in answer.text
    assert report["signature"] in answer.text
    assert 'data-live="no"' in answer.text


def test_a_run_leads_to_its_reports_and_each_is_the_page_of_its_json(run):
    assert visit(run.path, "/").headers["Location"] == "/runs/run-1/"
    overview = visit(run.path, "/runs/run-1/").text
    report = json.loads(run.comparison_report_file().read_text())
    for link in ("comparison", "arms/base", "arms/adapter"):
        assert f'href="{link}"' in overview
        assert visit(run.path, f"/runs/run-1/{link}").status_code == 200
    page = visit(run.path, "/runs/run-1/comparison").text
    assert page == run.comparison_report_file("html").read_text()
    for place, form, text in Page(page).figures:
        assert text == FORMS[form](find(report, place))


def test_stored_html_is_never_served(run, tmp_path):
    file = run.comparison_report_file("html")
    before = file.read_text()
    try:
        file.write_text("<script>alert(1)</script>")
        assert visit(run.path, "/runs/run-1/comparison").text == before
    finally:
        file.write_text(before)


def test_a_run_in_progress_shows_how_far_it_is_and_the_metrics_so_far_with_intervals(tmp_path):
    run = half_done(tmp_path, count=4)
    state = watch_run(run)
    arm = state["arms"][0]
    assert (arm["done"], arm["total"], arm["state"]) == (4, 10, "in progress")
    assert arm["seconds_left"] == 12.0
    metric = arm["metrics"]["full_call_exact_match"]
    assert (metric["numerator"], metric["denominator"]) == (2, 4)
    assert 0 < metric["interval"]["lower"] < 0.5 < metric["interval"]["upper"] < 1
    answer = visit(run.path, "/runs/run-1/part")
    assert 'data-live="yes"' in answer.text
    assert "<html" not in answer.text
    assert "4</span> of" in answer.text
    for place, form, text in Page(answer.text).figures:
        assert text == FORMS[form](find(json.loads(json.dumps(state)), place))


def test_a_torn_last_line_of_a_journal_is_passed_over_and_left_alone(tmp_path):
    run = half_done(tmp_path, count=3)
    with run.journal_file("base").open("ab") as file:
        file.write(b'{"slice": "en", "gener')
    before = run.journal_file("base").read_bytes()
    assert watch_run(run)["arms"][0]["done"] == 3
    assert run.journal_file("base").read_bytes() == before


def test_a_run_whose_journal_is_empty_yet_is_shown_without_arms(tmp_path):
    run, _ = build(tmp_path)
    assert "No arm has started yet" in visit(run.path, "/runs/run-1/").text


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8000", "127.0.0.1.evil.example", "", "10.0.0.1"]
)
def test_another_host_name_is_refused_so_that_no_rebound_name_can_read(run, host):
    answer = visit(run.path, "/runs/run-1/", Host=host)
    assert answer.status_code == 403
    assert "run-1" not in answer.text


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.1:8000", "localhost:1", "[::1]:8000"])
def test_the_names_of_loopback_are_answered(run, host):
    assert visit(run.path, "/runs/run-1/", Host=host).status_code == 200


@pytest.mark.parametrize("method", ["post", "put", "delete", "patch"])
def test_nothing_but_reading_is_answered(run, method):
    client = Client(Site(find_place(run.path)))
    assert getattr(client, method)("/runs/run-1/", headers={"Host": "127.0.0.1"}).status_code == 405


@pytest.mark.parametrize(
    "address",
    [
        "/runs/other/",
        "/runs/../../etc/passwd/",
        "/runs/%2e%2e/",
        "/runs/run-1/arms/..%2f..",
        "/runs/run-1/arms/no",
        "/x",
    ],
)
def test_an_address_never_becomes_a_path(run, address):
    answer = visit(run.path, address)
    assert answer.status_code == 404
    assert "<script" not in answer.text


def test_answers_carry_the_headers_that_keep_a_page_to_itself(run):
    headers = visit(run.path, "/runs/run-1/comparison").headers
    assert headers["Content-Security-Policy"].startswith("default-src 'none'; style-src 'sha256-")
    assert headers["Content-Security-Policy"].endswith("frame-ancestors 'none'")
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Cache-Control"] == "no-store"
    assert "Set-Cookie" not in headers


def test_viewing_writes_nothing(run):
    before = {path: path.read_bytes() for path in run.path.rglob("*") if path.is_file()}
    for address in ("/runs/run-1/", "/runs/run-1/part", "/runs/run-1/comparison", "/runs/run-1/arms/base"):
        visit(run.path, address)
    assert {path: path.read_bytes() for path in run.path.rglob("*") if path.is_file()} == before


def test_files_of_every_kind_have_a_page(run, tmp_path):
    row = {"id": "a", "raw_text": "no", "gold": {"name": "wx", "arguments": {}}}
    outputs = tmp_path / "outputs.jsonl"
    outputs.write_text(json.dumps(row) + "\n")
    assert "answers" in visit(outputs, "/").text
    assert "evaluation" in visit(run.evaluation_report_file("base"), "/").text
    assert "made without the rows" in visit(run.comparison_report_file(), "/").text
    broken = tmp_path / "broken.jsonl"
    broken.write_text("<script>alert(1)</script>")
    answer = visit(broken, "/")
    assert answer.status_code == 404
    assert answer.mimetype == "text/plain"


def test_what_is_neither_a_run_nor_a_file_is_refused(tmp_path, capsys):
    with pytest.raises(FileUnreadable):
        find_place(tmp_path / "missing")
    with pytest.raises(ArtifactInvalid):
        find_place(tmp_path)
    assert main(["view", str(tmp_path / "missing")]) == 2
    assert "does not exist" in capsys.readouterr().err


def test_json_tells_how_far_the_arms_are_and_serves_nothing(run, capsys):
    assert main(["view", str(run.path), "--json"]) == 0
    state = json.loads(capsys.readouterr().out)
    assert [(arm["arm"], arm["state"]) for arm in state["arms"]] == [
        ("adapter", "finished"),
        ("base", "finished"),
    ]
    assert main(["view", str(run.path.parents[1]), "--json"]) == 0
    assert [state["run_id"] for state in json.loads(capsys.readouterr().out)["runs"]] == ["run-1"]
    assert main(["view", str(run.comparison_report_file()), "--json"]) == 2


def test_the_pairs_of_an_experiment_are_shown_with_their_examples(tmp_path):
    run, config = build(tmp_path)
    for arm in ("base", "adapter"):
        evaluate_arm(run, config, plan_arm(config, arm))
    write_experiment(run, build_experiment_report(run))
    assert 'href="pairs/0"' in visit(run.path, "/runs/run-1/").text
    page = visit(run.path, "/runs/run-1/pairs/0").text
    assert 'id="rows"' in page
    assert "<bdi>base</bdi>" in page
    assert page == chief_page(run)
    assert visit(run.path, "/runs/run-1/experiment").status_code == 200
    assert visit(run.path, "/runs/run-1/pairs/1").status_code == 404
