"""What each way of a repeat check sends, and when it is not possible."""

import pytest

from faircall.digest import sha256_text
from faircall.generating.backend import BackendRequest, Decoding, ModelSettings
from faircall.generating.repeating.repeats import choose_prompts, plan_way, repeat_answers
from faircall.records import Generation, Prompt
from generating import moody_backend


def prompt(name):
    text = name + "." * (ord(name) % 5)
    return Prompt(name, "en", None, text, "{}", sha256_text(text), "m", "t", ())


PROMPTS = [prompt(name) for name in "abcdefghij"]
SLICES = {"en": PROMPTS}


def opened(kind, *, batch_size=1):
    return kind(BackendRequest(ModelSettings("m"), Decoding(8), batch_size=batch_size))


def plan(way, backend, chosen=PROMPTS, *, sampled=False):
    return plan_way(way, backend, SLICES, chosen=chosen, sampled=sampled)


def names(planned):
    return ["".join(prompt.example_id for prompt in batch) for batch in planned.batches]


class Served(moody_backend.Even):
    in_flight = 4


def test_prompts_are_chosen_by_hash_and_keep_the_order_of_the_run():
    chosen = choose_prompts(PROMPTS, 4)
    assert chosen == sorted(chosen, key=lambda prompt: prompt.example_id)
    assert choose_prompts(PROMPTS[::-1], 4) == chosen[::-1]
    assert set(choose_prompts(PROMPTS, 3)) < set(chosen)
    assert choose_prompts(PROMPTS, 99) == PROMPTS


def test_one_by_one_the_order_is_that_of_the_run_or_its_reverse():
    backend = opened(moody_backend.Even)
    assert names(plan("same", backend)) == names(plan("fresh", backend)) == list("abcdefghij")
    assert names(plan("permuted", backend)) == list("jihgfedcba")


def test_a_sequential_arm_is_batched_by_length():
    planned = plan("batched", opened(moody_backend.Batched))
    assert planned.together
    assert [len(batch) for batch in planned.batches] == [8, 2]
    assert planned.how == "batches of up to 8, where the run went one by one"
    assert [len(batch) for batch in plan("batched", opened(moody_backend.Batched), PROMPTS[:3]).batches] == [
        3
    ]


def test_a_batched_arm_is_repeated_in_its_own_batches_and_one_by_one_against_them():
    backend = opened(moody_backend.Batched, batch_size=3)
    whole = plan("same", backend)
    assert whole.together
    chosen = PROMPTS[:2]
    kept = plan("same", backend, chosen)
    assert set(names(kept)) < set(names(whole))
    assert all(any(name in batch for name in "ab") for batch in names(kept))
    assert names(plan("permuted", backend)) == names(whole)[::-1]
    single = plan("batched", backend, chosen)
    assert (single.together, names(single)) == (False, ["a", "b"])


def test_companions_in_a_batch_are_asked_and_not_compared():
    backend = opened(moody_backend.Batched, batch_size=3)
    earlier = {"b": Generation("b", "{}")}
    repeats = repeat_answers(backend, plan("same", backend, [PROMPTS[1]]), earlier=earlier)
    assert [len(batch) for batch in backend.asked] == [3]
    assert [repeat.generation.example_id for repeat in repeats] == ["b"]


@pytest.mark.parametrize(
    ("way", "backend", "chosen", "sampled", "reason"),
    [
        ("batched", opened(moody_backend.Even), PROMPTS, False, "one prompt at a time"),
        ("batched", opened(Served), PROMPTS, False, "the server decides"),
        ("batched", opened(moody_backend.Batched), PROMPTS, True, "a seed of its own"),
        ("batched", opened(moody_backend.Batched), PROMPTS[:1], False, "one prompt makes no batch"),
        ("permuted", opened(moody_backend.Even), PROMPTS[:1], False, "one prompt has one order"),
        ("permuted", opened(moody_backend.Batched, batch_size=99), PROMPTS, False, "one batch has one order"),
        ("same", opened(moody_backend.Even), [], False, "no answer"),
    ],
)
def test_what_is_not_possible_has_its_reason(way, backend, chosen, sampled, reason):
    assert reason in plan(way, backend, chosen, sampled=sampled)


def test_requests_to_a_server_are_in_flight_as_in_the_run():
    backend = opened(Served)
    planned = plan("same", backend)
    assert planned.how == "the same process, up to 4 requests in flight"
    earlier = {p.example_id: Generation(p.example_id, "{}", finish_reason="stop") for p in PROMPTS}
    repeats = repeat_answers(backend, planned, earlier=earlier)
    assert [repeat.generation.example_id for repeat in repeats] == list("abcdefghij")
    assert all(repeat.divergence is None for repeat in repeats)
