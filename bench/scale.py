"""What one record costs, measured, and what 1e9 would: writes its block in docs/more-than-one-machine.md.

    python bench/scale.py            measure and rewrite the block (a few minutes)
    python bench/scale.py --quick    a tenth of the rows, to standard output

Needs Ray. Prompts and answers are those of the packaged reference run, repeated under new ids; the backend of
the engine's figures is `replay`, which answers at once: what is left is the cost of the driver.
"""

from __future__ import annotations

import argparse
import json
import os
import pickle
import platform
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import corpus

from faircall.api.partitioned import Spread, here, score_part, summarise_partitions
from faircall.api.ray_scoring import spread_with_ray
from faircall.config import load_config
from faircall.generating.workers.engine import EngineRequest
from faircall.generating.workers.ray_cluster import connect
from faircall.pipeline.arm_request import plan_arm
from faircall.pipeline.evaluate import Answered, evaluate_arm
from faircall.store.atomic import write_json_lines
from faircall.store.files import read_json, read_json_lines
from faircall.store.layout import RunFolder, list_runs, run_folder
from faircall.store.manifest import start_run, write_stage_manifest
from faircall.store.partitions import find_partitions, plan_parts

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "more-than-one-machine.md"
BLOCK = re.compile(r"(<!-- measured: bench/scale\.py -->\n).*?(<!-- end -->)", re.DOTALL)
REFERENCE = ROOT / "src" / "faircall" / "demo" / "reference"
ARM = "en"
BILLION = 10**9
DAY = 86_400
PARTITIONS = 16
WORKERS = 2
CONFIG = """\
schema_version: faircall.config.v1
project: {name: scale, artifact_root: artifacts}
model: {base_model_id: owner/model, base_model_revision: r1}
arms: {base: {replay: answers.jsonl}}
datasets: [{language: en, path: rows.jsonl}]
data: {n_test: COUNT}
eval: {slices: [en], max_new_tokens: 48, backend: replay}
"""


class Driver(NamedTuple):
    """One run of the arm with a backend that answers at once: per record of the driver."""

    rate: float
    cpu_seconds: float
    memory_bytes: float
    all_seconds: float


class Scoring(NamedTuple):
    """Scoring of one table: seconds per record, by who did it."""

    cpu: float
    one: float
    two: float
    ray: float
    start: float
    bytes_per_row: float


def build_run(folder: Path, count: int) -> tuple[RunFolder, Any]:
    """A run whose prompts are those of the reference run, again and again."""
    reference = list_runs(REFERENCE)[0]
    prompts = [line.value for line in read_json_lines(reference.formatted_file("test"))]
    prompts = [row for row in prompts if row["language"] == "en"]
    answers = [line.value for line in read_json_lines(reference.generations_file(ARM, "en"))]
    folder.mkdir(parents=True)
    (folder / "config.yaml").write_text(CONFIG.replace("COUNT", str(count)))
    (folder / "rows.jsonl").write_text(json.dumps({"query": "q", "tools": "[]", "answers": "[]"}) + "\n")
    write_json_lines(folder / "answers.jsonl", renamed(answers, count))
    config = load_config(folder / "config.yaml")
    run = run_folder(folder / "artifacts", "run-1")
    start_run(run, config_yaml=config.to_yaml(), config_sha256=config.sha256)
    rows = list(renamed(prompts, count))
    write_json_lines(run.data_file("test"), [{"example_id": row["example_id"]} for row in rows])
    write_stage_manifest(run, "data", outputs=[run.data_file("test")])
    write_json_lines(run.formatted_file("test"), rows)
    write_stage_manifest(run, "format", outputs=[run.formatted_file("test")], facts={"template_sha256": "0"})
    return run, config


def renamed(rows: list[dict[str, Any]], count: int) -> Iterator[dict[str, Any]]:
    for number in range(count):
        row = rows[number % len(rows)]
        round_ = number // len(rows)
        yield {**row, "example_id": f"{row['example_id']}-{round_}", "source_example_id": None}


def resident_bytes() -> int:
    fields = Path("/proc/self/statm").read_text().split()
    return int(fields[1]) * os.sysconf("SC_PAGE_SIZE")


def measure_driver(folder: Path, count: int, workers: int | None) -> tuple[Driver, dict[str, float]]:
    """Rate between the first answer and the last, and bytes of every artifact per record."""
    run, config = build_run(folder, count)
    engine = None if workers is None else EngineRequest("ray", workers)
    heard: list[tuple[float, float]] = []
    at_end: dict[str, float] = {}

    def listen(answered: Answered) -> None:
        heard.append((time.perf_counter(), time.process_time()))
        if len(heard) == count:
            at_end["memory"] = resident_bytes()
            at_end["journal"] = run.journal_file("base").stat().st_size

    before = resident_bytes()
    started = time.perf_counter()
    evaluate_arm(run, config, plan_arm(config, "base", engine=engine), listener=listen)
    all_seconds = (time.perf_counter() - started) / count
    wall, cpu = (heard[-1][place] - heard[0][place] for place in (0, 1))
    driver = Driver((count - 1) / wall, cpu / (count - 1), (at_end["memory"] - before) / count, all_seconds)
    files = {
        "prompts": run.formatted_file("test"),
        "generations": run.generations_file("base", "en"),
        "telemetry": run.telemetry_file("base"),
        "evaluation report": run.evaluation_report_file("base"),
    }
    sizes = {name: path.stat().st_size / count for name, path in files.items()}
    return driver, {**sizes, "journal, while it runs": at_end["journal"] / count}


def measure_scoring(folder: Path, count: int) -> Scoring:
    rows = corpus.rows("plain", count)
    for number in range(PARTITIONS):
        share = (row for _, row in zip(range(count // PARTITIONS), rows, strict=False))
        write_json_lines(folder / f"part-{number:03}.jsonl", share)
    found = find_partitions([str(folder)])
    summaries: list[dict[str, Any]] = []

    def wall_of(spread: Spread) -> float:
        started = time.perf_counter()
        summaries.append(summarise_partitions(found, spread=spread))
        return (time.perf_counter() - started) / count

    cpu = time.process_time()
    one = wall_of(here())
    cpu = (time.process_time() - cpu) / count
    two = wall_of(here(2))
    started = time.perf_counter()
    cluster = connect("local", cpus=WORKERS, purpose="bench/scale.py")
    spread_with = spread_with_ray(EngineRequest("ray", WORKERS))
    wall_of(spread_with)  # the first table pays for the start of the workers
    start = time.perf_counter() - started
    ray = wall_of(spread_with)
    cluster.close()
    assert all(summary == summaries[0] for summary in summaries), "the engine gave another summary"
    (part,) = plan_parts(found[:1], size=1 << 40)
    carried = len(pickle.dumps(score_part(part))) / (count // PARTITIONS)
    return Scoring(cpu, one, two, ray, start - ray * count, carried)


def model_seconds() -> dict[str, float]:
    """Seconds per generation of the demo's arms, as the reference run measured them."""
    reference = list_runs(REFERENCE)[0]
    arms = ("base", ARM)
    return {arm: read_json(reference.telemetry_file(arm))["overall"]["seconds_per_example"] for arm in arms}


def size(count: float) -> str:
    for unit, scale in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= scale:
            return f"{count / scale:.3g} {unit}"
    return f"{count:.3g} B"


def span(seconds: float) -> str:
    longer = (("years", 365.0 * DAY), ("days", float(DAY)), ("hours", 3600.0), ("minutes", 60.0))
    for unit, scale in longer:
        if seconds >= 2 * scale:
            return f"{seconds / scale:.3g} {unit}"
    for unit, scale in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= scale / 2:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds * 1e6:.3g} µs"


def row(words: str, each: float, spell: Callable[[float], str]) -> str:
    return f"| {words} | {spell(each)} | {spell(each * BILLION)} |"


def render(
    sizes: dict[str, float], local: Driver, engine: dict[int, Driver], scoring: Scoring, count: int, rows: int
) -> Iterator[str]:
    yield (
        f"Python {platform.python_version()} on {platform.machine()}, {os.cpu_count()} processors, "
        f"load average {os.getloadavg()[0]:.0f}; {count:,} prompts of the reference run, repeated, and "
        f"{rows:,} rows of `bench/corpus.py` in {PARTITIONS} files."
    )
    yield ""
    yield "| per record | measured | times 1e9 |"
    yield "|---|---:|---:|"
    for name, each in sizes.items():
        yield row(f"stored: {name}", each, size)
    stored = sum(each for name, each in sizes.items() if not name.startswith("journal"))
    yield row("stored in all, when the run is finished", stored, size)
    for arm, seconds in model_seconds().items():
        yield row(f"generated by the demo's model on one CPU, arm `{arm}` (reference run)", seconds, span)
    yield row("all but the model: one process, no engine, from start to report", local.all_seconds, span)
    for workers, driver in engine.items():
        words = f"driver of the engine, {workers} x instant workers: {driver.rate:,.0f} records/s"
        yield row(words, 1 / driver.rate, span)
    last = engine[max(engine)]
    yield row("processor time of that driver alone", last.cpu_seconds, span)
    memory = statistics.median(driver.memory_bytes for driver in (local, *engine.values()))
    yield row("memory of a driver: prompts and answers of its run", memory, size)
    yield row("scored: processor time of one process", scoring.cpu, span)
    yield row("scored here, one process", scoring.one, span)
    yield row("scored here, `--jobs 2`", scoring.two, span)
    words = f"scored by Ray Data, {WORKERS} workers on the same processors"
    yield row(f"{words}, {span(max(scoring.start, 0.0))} of start apart", scoring.ray, span)
    yield row("carried to whoever adds the components, and held there", scoring.bytes_per_row, size)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument(
        "--quick", action="store_true", help="a tenth of the rows; the page stays as it is"
    )
    quick = arguments.parse_args().quick
    count, rows = (1_000, 16_000) if quick else (10_000, 160_000)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        local, sizes = measure_driver(folder / "local", count, None)
        engine = {n: measure_driver(folder / f"ray-{n}", count, n)[0] for n in (1, 2, 4)}
        scoring = measure_scoring(folder / "rows", rows)
    text = "\n".join(render(sizes, local, engine, scoring, count, rows)) + "\n"
    if quick:
        sys.stdout.write(text)
        return
    page = PAGE.read_text(encoding="utf-8")
    assert BLOCK.search(page), f"{PAGE} has no block for these figures"
    PAGE.write_text(BLOCK.sub(lambda match: match[1] + text + match[2], page), encoding="utf-8")


if __name__ == "__main__":
    main()
