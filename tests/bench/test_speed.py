"""The bench measures what it says: seeded corpora, and two implementations that agree on them."""

import importlib
import sys
from pathlib import Path

import pytest

from faircall.api.prepared_gold import PreparedGold
from faircall.canonical import canonical_json

BENCH = str(Path(__file__).parent.parent.parent / "bench")


@pytest.fixture
def bench(monkeypatch):
    monkeypatch.syspath_prepend(BENCH)
    names = ("corpus", "obvious", "speed", "bfcl_speed")
    yield [importlib.import_module(name) for name in names][:3]
    for name in names:
        sys.modules.pop(name, None)


@pytest.mark.parametrize("kind", ["plain", "worst", "long"])
def test_the_obvious_implementation_and_prepared_gold_have_the_same_sums(bench, kind):
    corpus, obvious, _ = bench
    rows = list(corpus.rows(kind, 300))
    assert rows == list(corpus.rows(kind, 300))
    golds, texts = [row["gold"] for row in rows], [row["raw_text"] for row in rows]
    assert PreparedGold(golds).components(texts).sum(axis=0).tolist() == obvious.score_texts(golds, texts)
    identical = sum(canonical_json(gold) == text for gold, text in zip(golds, texts, strict=True))
    assert (identical > 150) == (kind == "plain")


def test_a_figure_says_whether_it_meets_its_bounds(bench):
    figure = bench[2].Figure("f", "a / b", 5.0, "x", 4, 6)
    assert figure.verdict == "met"
    assert figure._replace(value=6.0).verdict == "reached"
    assert figure._replace(value=None).verdict == "not measured"
    assert "| not installed | 4 x |" in figure._replace(value=None).line()
    assert figure._replace(value=3.0).verdict == "**not met**"
    assert figure._replace(value=3.0, at_most=True).verdict == "reached"
    assert figure._replace(value=7.0, at_most=True).verdict == "**not met**"
