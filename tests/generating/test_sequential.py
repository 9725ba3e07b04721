"""The sequential run and its telemetry: the seed's contract, with a clock that the test moves."""

import pytest

from faircall.digest import sha256_text
from faircall.errors import EvaluationError
from faircall.generating.backend import Decoding
from faircall.generating.journal import open_journal
from faircall.generating.sequential import generate_sequentially
from faircall.generating.telemetry import Allocation, build_telemetry
from faircall.records import Generation, Prompt


class Clock:
    """Time that only the backend lets pass."""

    def __init__(self):
        self.now = 1_000

    def __call__(self):
        return self.now


class Scripted:
    """A backend that takes a given number of nanoseconds per call and remembers what it was asked."""

    def __init__(self, clock, *, costs=(), fail=()):
        self.clock, self.costs, self.fail, self.asked = clock, list(costs), set(fail), []

    def generate(self, prompt):
        self.asked.append(prompt.example_id)
        self.clock.now += self.costs.pop(0) if self.costs else 10
        failure = "RuntimeError: no" if prompt.example_id in self.fail else None
        text = "" if failure else f"answer to {prompt.example_id}"
        return Generation(prompt.example_id, text, prompt_tokens=7, new_tokens=3, failure=failure)


def prompts(*names, language="en"):
    return [Prompt(name, language, None, name, "{}", sha256_text(name), "m", "t", ()) for name in names]


SLICES = {"en": prompts("a", "b"), "fr": prompts("c", language="fr")}


def run(tmp_path, backend, clock, slices=SLICES, listener=lambda entry: None):
    with open_journal(tmp_path / "journal", {"x": 1}) as journal:
        return generate_sequentially(backend, slices, journal=journal, clock=clock, listener=listener)


def telemetry(finished, **facts):
    return build_telemetry(finished, allocation=Allocation("cpu", 1), decoding=Decoding(8).to_dict(), **facts)


def test_one_untimed_warm_up_on_the_first_prompt_of_the_first_slice(tmp_path):
    clock = Clock()
    backend = Scripted(clock, costs=[1_000_000, 100, 200, 300])
    finished = run(tmp_path, backend, clock)
    assert backend.asked == ["a", "a", "b", "c"]
    assert [entry.duration_ns for entry in finished.entries] == [100, 200, 300]
    report = telemetry(finished)
    assert report["overall"]["total_ns"] == 600
    assert report["overall"]["mean_ns"] == 200
    assert report["overall"]["median_ns"] == 200
    assert report["overall"]["p90_ns"] == 300
    assert report["warm_up"] == {"calls": 1, "failure": None}
    assert report["slices"]["fr"]["total_ns"] == 300
    assert [row["duration_ns"] for row in report["examples"]] == [100, 200, 300]


def test_a_listener_that_takes_time_is_not_measured(tmp_path):
    clock = Clock()

    def dawdle(_entry):
        clock.now += 10**9

    finished = run(tmp_path, Scripted(clock), clock, listener=dawdle)
    assert telemetry(finished)["overall"]["total_ns"] == 30


def test_a_resumed_run_generates_only_the_rest_and_says_so(tmp_path):
    clock = Clock()
    first = Scripted(clock)

    def stop_after_two(entry):
        if entry.generation.example_id == "b":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(tmp_path, first, clock, listener=stop_after_two)
    second = Scripted(clock)
    finished = run(tmp_path, second, clock)
    assert second.asked == ["a", "c"]
    assert [entry.generation.example_id for entry in finished.entries] == ["a", "b", "c"]
    report = telemetry(finished)
    assert report["sessions"] == 2
    assert report["resumed"] is True
    assert report["cross_comparable"] is False
    assert "resumed" in report["cross_comparable_reason"]


def test_a_complete_journal_asks_the_backend_nothing(tmp_path):
    clock = Clock()
    run(tmp_path, Scripted(clock), clock)
    idle = Scripted(clock)
    finished = run(tmp_path, idle, clock)
    assert idle.asked == []
    assert telemetry(finished)["resumed"] is False


def test_failures_are_counted_and_keep_their_row(tmp_path):
    clock = Clock()
    report = telemetry(run(tmp_path, Scripted(clock, fail={"b"}), clock))
    assert report["overall"]["examples"] == 3
    assert report["overall"]["backend_failures"] == 1
    assert [row["failed"] for row in report["examples"]] == [False, True, False]


def test_a_failed_item_is_requested_again_and_only_that(tmp_path):
    clock = Clock()
    run(tmp_path, Scripted(clock, fail={"b"}), clock)
    second = Scripted(clock)
    finished = run(tmp_path, second, clock)
    assert second.asked == ["a", "b"]  # the warm-up, and the one that had failed
    assert [entry.generation.failure for entry in finished.entries] == [None, None, None]


def test_unknown_token_counts_are_no_zero(tmp_path):
    clock = Clock()
    finished = run(tmp_path, Scripted(clock), clock)
    unknown = finished.entries[0].generation.__class__("z", "t")
    entries = (*finished.entries, finished.entries[0].__class__("en", unknown, 1, 1))
    report = telemetry(finished.__class__(entries, 1, 1, None))
    assert report["overall"]["new_tokens"] is None
    assert report["slices"]["fr"]["new_tokens"] == 3


# --- Decoding


@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("temperature", {"temperature": 0.5}),
        ("temperature", {"temperature": True}),
        ("temperature", {"temperature": False}),
        ("do_sample", {"do_sample": True}),
        ("do_sample", {"do_sample": 0}),
        ("max_new_tokens", {"max_new_tokens": 0}),
        ("max_new_tokens", {"max_new_tokens": True}),
        ("max_new_tokens", {"max_new_tokens": 8.0}),
    ],
)
def test_decoding_is_refused_by_the_name_of_its_field_and_never_coerced(field, values):
    with pytest.raises(EvaluationError, match=f"eval.{field}"):
        Decoding(**{"max_new_tokens": 8, **values})
    assert Decoding(8, temperature=0).to_dict()["temperature"] == 0.0
