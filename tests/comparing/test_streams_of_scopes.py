"""The documented scopes: what the statistics page promises about random streams."""

from comparing.arms import languages
from faircall.comparing import deltas
from faircall.comparing.comparison import compare_arms


def test_scopes_are_the_documented_ones(monkeypatch):
    seen = []
    draw = deltas.resample_totals
    monkeypatch.setattr(deltas, "resample_totals", lambda c, **k: seen.append(k["scope"]) or draw(c, **k))
    data = [(("right", "none"), ("none", "right"))] * 3
    compare_arms(languages(data), languages(data, side=1), resamples=39)
    assert seen == ["overall", "slice:en", "slice:fr", "gap:fr", "gap:fr"]
