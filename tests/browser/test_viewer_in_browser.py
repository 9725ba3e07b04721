"""`faircall view` in Chromium: a run in progress keeps its page current until it is finished."""

import threading

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from faircall.generating.journal import open_journal
from faircall.pipeline.arm_request import plan_arm
from faircall.pipeline.evaluate import evaluate_arm
from faircall.records import Generation
from faircall.viewer.places import find_place
from faircall.viewer.serve import make_local_server
from pipeline.run_builder import answers, build, rows

pytestmark = pytest.mark.browser


@pytest.fixture
def serve():
    """Starts servers on free ports and stops them when the test ends."""
    servers = []

    def start(path):
        server = make_local_server(find_place(path))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
        return f"http://127.0.0.1:{server.server_port}/"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def append(run, given):
    with open_journal(run.journal_file("base"), {"prompts": {"limit": None, "sets": {}}}) as journal:
        for row in given:
            language = row["example_id"][:2]
            generation = Generation(
                row["example_id"], row["raw_text"], language=language, finish_reason="stop"
            )
            journal.append(language, generation, duration_ns=1_000_000_000)


def test_the_page_of_a_run_follows_it_to_its_end(open_page, serve, tmp_path):
    run, config = build(tmp_path)
    given = answers(rows(), right=(0, 1))
    append(run, given[:3])
    page = open_page(serve(run.path))
    live = page.locator("#live")
    expect(live).to_contain_text("3 of 10 answered")
    expect(page.locator("tbody.lead")).to_contain_text("2/3")
    append(run, given[3:7])
    expect(live).to_contain_text("7 of 10 answered", timeout=15_000)
    expect(page.locator("progress")).to_have_attribute("value", "7")
    run.journal_file("base").unlink()
    evaluate_arm(run, config, plan_arm(config, "base"))
    expect(live).to_contain_text("Nothing is in progress", timeout=20_000)
    page.get_by_role("link", name="The arm base").click()
    expect(page.locator("h1")).to_have_text("base answers 4 of 10 requests exactly right.")
    found = Axe().run(page).response["violations"]
    assert [(v["id"], v["nodes"][0]["html"]) for v in found if v["impact"] != "minor"] == []


def test_an_artifact_root_leads_to_a_run_and_back(open_page, serve, tmp_path):
    run, config = build(tmp_path)
    evaluate_arm(run, config, plan_arm(config, "base"))
    page = open_page(serve(run.path.parents[1]))
    page.get_by_role("link", name="run-1").click()
    expect(page.locator("h1")).to_have_text("run-1")
    page.get_by_role("link", name="All runs").click()
    expect(page.locator("h1")).to_have_text("artifacts")
