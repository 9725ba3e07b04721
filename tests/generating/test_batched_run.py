"""Batches: like lengths together, the same plan after a stop, every answer where it belongs."""

import contextlib

import pytest

from faircall.generating.answering import answer_prompts
from faircall.generating.batched_run import plan_batches
from faircall.generating.journal import open_journal
from faircall.generating.telemetry import Allocation, build_telemetry
from faircall.records import Generation, Prompt


def make(name, length, language="en"):
    return Prompt(name, language, None, "x" * length, "", "p", "m", "t", ())


SLICES = {
    "en": [make("a", 3), make("b", 9), make("c", 5)],
    "fr": [make("d", 4, "fr"), make("e", 8, "fr")],
}


class Counting:
    """Answers with the ids that shared the batch, so that another plan would show."""

    batch_size = 2

    def __init__(self, stop_after=None):
        self.batches, self.stop_after = [], stop_after

    def describe(self):
        return {}

    def check(self, prompts):
        pass

    def close(self):
        pass

    def prompt_length(self, prompt):
        return len(prompt.prompt_text)

    def generate(self, prompt):
        raise AssertionError("one by one")

    def generate_batch(self, prompts):
        if len(self.batches) == self.stop_after:
            raise KeyboardInterrupt
        self.batches.append([prompt.example_id for prompt in prompts])
        together = "+".join(self.batches[-1])
        return [
            Generation(p.example_id, f"{p.example_id} of {together}", language=p.language) for p in prompts
        ]


def run(path, backend, ticks=None):
    ticks = iter(ticks or range(0, 10_000, 100))
    with open_journal(path, {"x": 1}) as journal:
        return answer_prompts(backend, SLICES, journal=journal, clock=lambda: next(ticks))


def test_like_lengths_share_a_batch_longest_first():
    plan = [[prompt.example_id for _, prompt in batch] for batch in plan_batches(Counting(), SLICES)]
    assert plan == [["b", "e"], ["c", "d"], ["a"]]


def test_answers_come_back_in_slice_and_prompt_order(tmp_path):
    done = run(tmp_path / "j", Counting())
    assert [entry.generation.raw_text for entry in done.entries] == [
        "a of a", "b of b+e", "c of c+d", "d of c+d", "e of b+e",
    ]  # fmt: skip
    assert [entry.duration_ns for entry in done.entries] == [100, 50, 50, 50, 50]


@pytest.mark.parametrize("kept_lines", [1, 2, 3, 4, 5])
def test_a_torn_batch_is_generated_whole_and_changes_nothing(tmp_path, kept_lines):
    expected = [entry.generation for entry in run(tmp_path / "whole", Counting()).entries]
    lines = (tmp_path / "whole").read_text().splitlines(keepends=True)
    (tmp_path / "torn").write_text("".join(lines[:kept_lines]))
    assert [entry.generation for entry in run(tmp_path / "torn", Counting()).entries] == expected


def test_a_stopped_run_keeps_its_whole_batches(tmp_path):
    with contextlib.suppress(KeyboardInterrupt):
        run(tmp_path / "j", Counting(stop_after=1))
    backend = Counting()
    done = run(tmp_path / "j", backend)
    assert backend.batches == [["c", "d"], ["a"]]
    assert done.sessions == 2


def test_times_of_batches_are_labelled(tmp_path):
    telemetry = build_telemetry(
        run(tmp_path / "j", Counting()), allocation=Allocation("cpu", threads=1), decoding={}
    )
    assert telemetry["contract"]["name"] == "faircall.batched.v1"
    assert telemetry["contract"]["concurrency"] == 2
    assert telemetry["cross_comparable"] is False
    assert telemetry["cross_comparable_reason"] == "batches of up to 2"
