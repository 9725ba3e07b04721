"""A real browser over pages from disk. A dialog, a console line or an outside request fails a test."""

import shutil

import pytest
from playwright.sync_api import sync_playwright

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
LAPTOP = {"width": 1366, "height": 768}


@pytest.fixture(scope="session")
def chromium():
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    assert path, "no chromium here: apt-get install chromium (`make check` does it for root)"
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=list(FLAGS))
        yield browser
        browser.close()


@pytest.fixture
def open_page(chromium):
    """Opens a file or an address in a fresh profile, and watches it until the test ends."""
    contexts, found = [], []

    def open_it(place, **options):
        context = chromium.new_context(**{"viewport": LAPTOP, **options})
        contexts.append(context)
        page = context.new_page()
        home = str(place) if str(place).startswith("http") else f"file://{place}"
        page.on("dialog", lambda dialog: (found.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.on("console", lambda message: found.append(f"console {message.type}: {message.text}"))
        page.on("pageerror", lambda error: found.append(f"error: {error}"))
        page.on("request", lambda request: _judge(request.url, home, found))
        page.goto(home)
        return page

    yield open_it
    for context in contexts:
        context.close()
    assert found == []


def _judge(url, home, found):
    origin = home if home.startswith("file:") else "/".join(home.split("/")[:3])
    if not url.startswith((origin, "data:")):
        found.append(f"request: {url}")
