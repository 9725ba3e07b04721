"""Draw the pictures of docs/report.md: `python docs/screenshots.py` (needs Chromium and playwright).

The pages are those of the demo's reference run; the pictures are small enough for a repository.
"""

import shutil
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PICTURES = ROOT / "docs" / "pictures"
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--hide-scrollbars"]
LAPTOP, PHONE = {"width": 1366, "height": 768}, {"width": 390, "height": 844}


def main() -> None:
    sys.path.insert(0, str(ROOT / "src"))
    from playwright.sync_api import sync_playwright

    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        page_file = write_page(Path(folder))
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        draw = Artist(browser, page_file)
        draw("report-light", LAPTOP)
        draw("report-dark", LAPTOP, color_scheme="dark")
        draw("report-phone", PHONE)
        draw("report-diagnosis", {"width": 1366, "height": 900}, scroll_to="#diagnosis")
        draw("report-examples", {"width": 1366, "height": 900}, scroll_to="#examples", flip="gained")
        browser.close()


def write_page(folder: Path) -> Path:
    """The page of the reference run, as `faircall demo --replay` writes it."""
    from faircall.cli import main as faircall

    if faircall(["demo", "--replay", "--out", str(folder)]) != 0:
        raise SystemExit("the demo could not be replayed")
    return folder / "reference.html"


class Artist:
    """Draws one page in one browser, each time in a fresh profile."""

    def __init__(self, browser, page_file: Path) -> None:
        self.browser, self.page_file = browser, page_file

    def __call__(self, name, viewport, *, scroll_to=None, flip=None, **options) -> None:
        context = self.browser.new_context(viewport=viewport, reduced_motion="reduce", **options)
        page = context.new_page()
        page.goto(f"file://{self.page_file}")
        if flip:
            page.select_option("#f-flip", flip)
        if scroll_to:
            page.eval_on_selector(scroll_to, "node => node.scrollIntoView()")
        page.screenshot(path=PICTURES / f"{name}.png")
        context.close()


if __name__ == "__main__":
    main()
