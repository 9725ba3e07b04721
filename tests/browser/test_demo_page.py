"""The page of the demo's reference run opens from disk, without a server and without an error."""

import pytest

from faircall.cli import main

pytestmark = pytest.mark.browser


def test_the_demo_s_report_opens_from_disk_and_answers_on_its_first_screen(open_page, tmp_path, capsys):
    assert main(["demo", "--replay", "--out", str(tmp_path)]) == 0
    assert f"wrote {tmp_path / 'reference.html'}" in capsys.readouterr().out
    page = open_page(tmp_path / "reference.html")
    for selector in ("h1", ".counts", ".headline-number", ".split-box", ".limits", ".forests tbody.lead"):
        box = page.locator(selector).bounding_box()
        assert 0 <= box["y"] <= 768 - box["height"], selector
    assert page.locator("h1").inner_text() == "en_fr is better than base."
    assert page.locator("#shown").inner_text() == "240 of 240 examples"
