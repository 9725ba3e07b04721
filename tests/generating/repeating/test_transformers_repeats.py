"""Repeats on a tiny model: tokens of an answer, a new process, batches, and memory given back."""

import gc
import weakref
from dataclasses import replace

import pytest

from faircall.digest import sha256_text
from faircall.generating.backend import BACKENDS, BackendRequest, Decoding, ModelSettings
from faircall.generating.repeating.divergence import locate_divergence
from faircall.generating.repeating.fresh_process import FreshTask, repeat_afresh
from faircall.generating.repeating.repeats import plan_way, repeat_here
from faircall.records import Generation, Prompt

pytestmark = pytest.mark.hf

TEXTS = ("a", "bcd", "ef")
PROMPTS = [Prompt(text, "en", None, text, "{}", sha256_text(text), "m", "t", ()) for text in TEXTS]


def request(model):
    return BackendRequest(ModelSettings(str(model)), Decoding(6))


def test_tokens_of_an_answer_are_those_that_were_drawn_with_the_stop_token_last(tiny):
    backend = BACKENDS.get("transformers")(request(tiny))
    answer = Generation("a", "<s>hi", finish_reason="stop", stop_token="</s>")
    tokens = backend.tokens_of(answer)
    assert [text for _, text in tokens] == ["<s>", "h", "i", "</s>"]
    assert (tokens[0][0], tokens[-1][0]) == (0, 1)
    longer = locate_divergence(answer, Generation("a", "<s>hit", finish_reason="length"), backend=backend)
    assert (longer.index, longer.first.text, longer.again.text) == (3, "</s>", "t")


def test_a_new_process_and_batches_answer_what_this_process_answers(tiny):
    opener = BACKENDS.get("transformers")
    backend = opener(request(tiny))
    earlier = {prompt.example_id: backend.generate(prompt) for prompt in PROMPTS}
    plans = {
        way: plan_way(way, backend, {"en": PROMPTS}, chosen=PROMPTS, sampled=False)
        for way in ("same", "batched", "fresh")
    }
    task = FreshTask(opener, request(tiny), backend.describe(), plans["fresh"], earlier)
    here = [repeat_here(backend, plans[way], earlier=earlier) for way in ("same", "batched")]
    for done in (*here, repeat_afresh(task)):
        assert (done.status, done.reason) == ("made", None)
        assert [row["divergence"] for row in done.repeats] == [None] * 3
        texts = {row["generation"]["example_id"]: row["generation"]["raw_text"] for row in done.repeats}
        assert texts == {name: answer.raw_text for name, answer in earlier.items()}


def test_a_new_process_that_would_answer_under_other_conditions_does_not(tiny):
    opener = BACKENDS.get("transformers")
    backend = opener(request(tiny))
    plan = plan_way("fresh", backend, {"en": PROMPTS}, chosen=PROMPTS, sampled=False)
    other = replace(request(tiny), decoding=Decoding(7))
    done = repeat_afresh(FreshTask(opener, other, backend.describe(), plan, {}))
    assert done.status == "failed"
    assert "decoding.max_new_tokens" in done.reason


def test_a_closed_backend_holds_no_model(tiny):
    backend = BACKENDS.get("transformers")(request(tiny))
    model = weakref.ref(backend._model)
    backend.close()
    gc.collect()
    assert model() is None
