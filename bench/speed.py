"""Every figure of speed as a ratio inside one run on one machine; writes docs/benchmarks.md.

    python bench/speed.py            all figures (about five minutes)
    python bench/speed.py --quick    a tenth of the rows, to standard output

Times are processor seconds, so that a busy machine disturbs them less; each is the median of several repeats,
and the sides of a ratio are measured in turn.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

import bfcl_speed
import corpus
import numpy as np
import obvious

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "docs" / "benchmarks.md"
FAIRCALL = "import sys; from faircall.cli import main; sys.exit(main())"


class Figure(NamedTuple):
    """One line of the table. `must` and `reach` bound `value` from below, or from above when `at_most`.

    There is no value where what it is measured against is not installed.
    """

    name: str
    against: str
    value: float | None
    unit: str
    must: float
    reach: float
    at_most: bool = False

    @property
    def verdict(self) -> str:
        if self.value is None:
            return "not measured"
        if self._meets(self.value, self.reach):
            return "reached"
        return "met" if self._meets(self.value, self.must) else "**not met**"

    def _meets(self, value: float, bound: float) -> bool:
        return value <= bound if self.at_most else value >= bound

    def line(self) -> str:
        value, must, reach = (
            "not installed" if number is None else f"{number:.3g} {self.unit}"
            for number in (self.value, self.must, self.reach)
        )
        return f"| {self.name} | {self.against} | {value} | {must} | {reach} | {self.verdict} |"


def in_turn(*sides: Callable[[], Any], repeats: int = 5) -> list[float]:
    """Median processor seconds of each side."""
    times: list[list[float]] = [[] for _ in sides]
    for _ in range(repeats):
        for side, taken in zip(sides, times, strict=True):
            start = time.process_time()
            side()
            taken.append(time.process_time() - start)
    return [statistics.median(taken) for taken in times]


def each(decode: Callable[[Any], Any], texts: list[Any]) -> Callable[[], None]:
    """A decoder over many texts, most of which it accepts."""

    def run() -> None:
        for text in texts:
            try:
                decode(text)
            except ValueError:  # a context manager would cost more than the decoder
                continue

    return run


def in_memory(rows: int) -> Iterator[Figure]:
    import orjson

    from faircall import prepare_gold

    names = {
        "plain": "parse + score in memory, gold prepared",
        "worst": "no text identical to gold",
        "long": "5 kB of reasoning before each call, in memory",
    }
    for kind, must, reach in (("plain", 20, 30), ("worst", 9, 15), ("long", 15, 25)):
        table = list(corpus.rows(kind, max(rows // 20, 200) if kind == "long" else rows))
        golds, texts = [row["gold"] for row in table], [row["raw_text"] for row in table]
        prepared = prepare_gold(golds)
        assert prepared.components(texts).sum(axis=0).tolist() == obvious.score_texts(golds, texts)
        ours, loads, python, slow = in_turn(
            lambda texts=texts, prepared=prepared: prepared.components(texts),
            each(orjson.loads, texts),
            each(json.loads, texts),
            lambda golds=golds, texts=texts: obvious.score_texts(golds, texts),
            repeats=3,
        )
        yield Figure(names[kind], "obvious implementation / ours", slow / ours, "x", must, reach)
        if kind == "plain":
            name = names[kind]
            yield Figure(name, "ours / orjson.loads of the texts", ours / loads, "x", 2.0, 1.4, at_most=True)
            yield Figure(name, "ours / json.loads of the texts", ours / python, "x", 1.0, 0.5, at_most=True)


def beside_bfcl(rows: int) -> Iterator[Figure]:
    """bfcl-eval's decoded calls and checker on the same texts: one verdict each, where we have five sums."""
    from faircall import prepare_gold

    table = list(corpus.rows("plain", rows))
    golds, texts = [row["gold"] for row in table], [row["raw_text"] for row in table]
    ratio = None
    if bfcl_speed.is_installed():
        prepared, theirs = prepare_gold(golds), bfcl_speed.answer_all(golds, texts)
        right = int(prepared.components(texts)[:, -1, 0].sum())
        assert 0.8 * right < theirs() <= right  # it does not look for calls in prose
        fast, slow = in_turn(lambda: prepared.components(texts), theirs, repeats=3)
        ratio = slow / fast
    name = "parse + score in memory, gold prepared"
    yield Figure(name, "json.loads and bfcl-eval's ast_checker / ours", ratio, "x", 1, 5)


def from_files(rows: int, folder: Path) -> Iterator[Figure]:
    import orjson

    from faircall.api.streaming import summarise_file

    path = corpus.write(folder / "plain.jsonl", "plain", rows)

    def load_twice() -> None:
        with open(path, "rb") as file:
            for line in file:
                try:
                    orjson.loads(orjson.loads(line)["raw_text"])
                except ValueError:
                    continue

    ours, twice, slow = in_turn(
        lambda: summarise_file(path), load_twice, lambda: obvious.score_file(path), repeats=3
    )
    name = "from JSON Lines, cold, diagnosis included"
    yield Figure(name, "obvious implementation / ours", slow / ours, "x", 6, 10)
    yield Figure(name, "ours / two orjson.loads a row", ours / twice, "x", 3, 2, at_most=True)
    path = corpus.write(folder / "long.jsonl", "long", max(rows // 5, 200))
    ours, slow = in_turn(lambda: summarise_file(path), lambda: obvious.score_file(path), repeats=3)
    yield Figure("5 kB of reasoning before each call, from file", "obvious / ours", slow / ours, "x", 15, 25)


def run_apart(*arguments: str, code: str = FAIRCALL) -> tuple[float, float, float]:
    """Wall seconds, processor seconds and peak memory (MB) of one Python process with its children."""
    watch = (
        "import resource, subprocess, sys, time\n"
        "start = time.perf_counter()\n"
        "subprocess.run([sys.executable, '-c', *sys.argv[1:]], check=True, stdout=subprocess.DEVNULL)\n"
        "used = resource.getrusage(resource.RUSAGE_CHILDREN)\n"
        "print(time.perf_counter() - start, used.ru_utime + used.ru_stime, used.ru_maxrss / 1000)\n"
    )
    printed = subprocess.run(
        [sys.executable, "-c", watch, code, *arguments],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        env={"PYTHONPATH": str(ROOT / "src"), "PATH": "/usr/bin:/bin"},
    ).stdout
    wall, processor, memory = map(float, printed.split())
    return wall, processor, memory


def whole_command(rows: int, folder: Path) -> Iterator[Figure]:
    path = str(corpus.write(folder / "large.jsonl", "plain", rows))
    turns = [(run_apart("score", path), run_apart("score", path, "--jobs", "2")) for _ in range(3)]
    name = f"`faircall score`, {rows:,} rows, gold inline"
    peak = max(memory for turn in turns for _, _, memory in turn)
    yield Figure(name, "peak memory of a process", peak, "MB", 300, 150, at_most=True)
    one, two = (statistics.median(turn[side][0] for turn in turns) for side in (0, 1))
    yield Figure(name, "wall time of one process / of two", one / two, "x", 1.5, 1.8)


def paired_components(rows: int, rng: np.random.Generator) -> np.ndarray:
    """Two arms of five metrics, shape (rows, 5, 4): numerator and denominator of each arm."""
    table = np.ones((rows, 5, 4), dtype=np.int64)
    for metric in range(5):
        shared = rng.random(rows) < 0.7
        for arm, rate in ((0, 0.08), (2, 0.12)):
            table[:, metric, arm] = shared ^ (rng.random(rows) < rate)
    gold, predicted = rng.integers(1, 5, rows), rng.integers(0, 5, (2, rows))
    for arm in range(2):
        table[:, 3, 2 * arm] = 2 * np.minimum(gold, predicted[arm]) * table[:, 3, 2 * arm]
        table[:, 3, 2 * arm + 1] = gold + predicted[arm]
    return table


def bootstrap(rows: int, many: int) -> Iterator[Figure]:
    from faircall.stats.bootstrap import resample_totals

    rng = np.random.default_rng(7)
    table = paired_components(rows, rng)
    resamples, few = 9_999, 19

    def ours(components: np.ndarray = table) -> None:
        resample_totals(components, resamples=resamples, seed=1, scope="overall")

    arms = [table[:, :, columns].tolist() for columns in (slice(0, 2), slice(2, 4))]
    fast, slow, scipys, theirs = in_turn(
        ours,
        lambda: obvious.bootstrap(*arms, resamples=few, seed=1),
        lambda: scipy_bootstrap(table, resamples=999),
        lambda: sacrebleu_bootstrap(table, resamples=999),
        repeats=3,
    )
    name = f"paired bootstrap, five metrics, n = {rows:,}, B = 9,999"
    yield Figure(name, "random-based resampling / ours", slow / few * resamples / fast, "x", 100, 200)
    yield Figure(name, "scipy.stats.bootstrap / ours", scipys / 999 * resamples / fast, "x", 3, 5)
    yield Figure(name, "sacrebleu's resampling / ours", theirs / 999 * resamples / fast, "x", 15, 25)
    large = paired_components(many, rng)
    counts, plan = in_turn(lambda: ours(large), ours, repeats=3)
    name = f"paired bootstrap, n = {many:,} (counts)"
    yield Figure(name, f"time / that of n = {rows:,}", counts / plan, "x", 1, 1 / 3, at_most=True)
    yield Figure(
        name, "peak memory beyond the components", bootstrap_memory(large), "MB", 300, 100, at_most=True
    )


def bootstrap_memory(components: np.ndarray) -> float:
    """Peak (MB) of a process that loads components and resamples them, over that of one that loads them."""
    load = (
        "import sys, numpy; from faircall.stats.bootstrap import resample_totals; c = numpy.load(sys.argv[1])"
    )
    resample = f"{load}; resample_totals(c, resamples=9_999, seed=1, scope='overall')"
    with tempfile.NamedTemporaryFile(suffix=".npy") as file:
        np.save(file.name, components)
        loaded, resampled = (run_apart(file.name, code=code)[2] for code in (load, resample))
    return resampled - loaded


def scipy_bootstrap(table: np.ndarray, *, resamples: int) -> None:
    from scipy.stats import bootstrap

    for metric in range(table.shape[1]):
        first, below, second, under = table[:, metric].T.astype(np.float64)

        def difference(a: Any, b: Any, c: Any, d: Any, axis: int = -1) -> Any:
            return c.sum(axis=axis) / d.sum(axis=axis) - a.sum(axis=axis) / b.sum(axis=axis)

        bootstrap(
            (first, below, second, under), difference, paired=True, vectorized=True, method="percentile",
            n_resamples=resamples, batch=50, rng=np.random.default_rng(1),
        )  # fmt: skip


def sacrebleu_bootstrap(table: np.ndarray, *, resamples: int) -> None:
    """The paired bootstrap of sacrebleu over our sufficient statistics, one ratio for each."""
    from sacrebleu.significance import _bootstrap_resample

    class Ratio:
        def _compute_score_from_stats(self, stats: Any) -> float:
            return float(stats[0] / stats[1])

    for metric in range(table.shape[1]):
        for arm in (slice(0, 2), slice(2, 4)):
            _bootstrap_resample(table[:, metric, arm].tolist(), Ratio(), resamples)


def compared(rows: int, folder: Path) -> Iterator[Figure]:
    generator = np.random.default_rng(9)
    paths = []
    for arm, drop in (("base", 0.0), ("tuned", 0.1)):
        path = folder / f"{arm}.jsonl"
        with open(path, "w", encoding="utf-8") as file:
            for number, row in enumerate(corpus.rows("plain", rows)):
                row["language"] = ("en", "fr", "en", "en")[number % 4]
                if row["language"] == "fr":
                    row["source_example_id"] = f"row-{number - 1:07}"
                if generator.random() < drop:
                    row["raw_text"] = "I would rather not."
                file.write(json.dumps(row) + "\n")
        scored = folder / f"{arm}.json"
        run_apart("score", str(path), "-o", str(scored))
        paths.append(str(scored))
    processor = statistics.median(run_apart("compare", *paths)[1] for _ in range(3))
    name = f"`faircall compare` of two scored runs of {rows:,} rows"
    yield Figure(name, "processor seconds in all", processor, "s", 6, 3, at_most=True)


def classification(rows: int) -> Iterator[Figure]:
    import metrics_speed
    from sklearn import metrics as sk

    golden, predicted = metrics_speed.few_classes(rows)

    def scikit() -> None:
        one, other = [row["tool"] for row in golden], [row["tool"] for row in predicted]
        sk.accuracy_score(one, other)
        for measure in (sk.precision_score, sk.recall_score, sk.f1_score):
            measure(one, other, average=None, labels=["click"])

    ours, slow, theirs = in_turn(
        lambda: metrics_speed.by_column(golden, predicted),
        lambda: metrics_speed.obvious(golden, predicted),
        scikit,
        repeats=3,
    )
    name = f"classification metrics, {rows:,} rows, four aggregators"
    yield Figure(name, "per-record objects, four passes / ours", slow / ours, "x", 10, 20)
    yield Figure(name, "scikit-learn / ours", theirs / ours, "x", 1, 2)


def start_up() -> Iterator[Figure]:
    codes = {"pass": "pass", "import": "import faircall"}
    codes["help"] = f"import sys; sys.argv.append('--help'); {FAIRCALL}"
    taken = {
        name: statistics.median(run_apart(code=code)[1] for _ in range(9)) for name, code in codes.items()
    }
    for name, label, must, reach in (
        ("import", "`import faircall`", 100, 50),
        ("help", "`faircall --help`", 250, 150),
    ):
        value = 1000 * (taken[name] - taken["pass"])
        yield Figure(label, "processor time over `python -c pass`", value, "ms", must, reach, at_most=True)


def figures(scale: int, folder: Path) -> Iterator[Figure]:
    yield from start_up()
    yield from in_memory(10_000 // scale)
    yield from beside_bfcl(10_000 // scale)
    yield from from_files(10_000 // scale, folder)
    yield from bootstrap(10_000 // scale, 1_000_000 // scale)
    yield from classification(1_000_000 // scale)
    yield from compared(100_000 // scale, folder)
    yield from whole_command(1_000_000 // scale, folder)


def versions() -> str:
    found = []
    for name in ("numpy", "msgspec", "orjson", "scipy", "sacrebleu", "scikit-learn", "bfcl-eval"):
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            continue
    return ", ".join(found)


def page(lines: list[str], seconds: float) -> str:
    notes = (Path(__file__).parent / "speed_notes.md").read_text(encoding="utf-8")
    table = "\n".join(
        ["| figure | measured | value | must | reach for | verdict |", "|---|---|---|---|---|---|", *lines]
    )
    load = f"load average {os.getloadavg()[2]:.0f} on {os.cpu_count()} processors"
    machine = f"Python {platform.python_version()} on {platform.machine()}, {load}; {versions()}."
    return (
        "# Benchmarks\n\nWritten by `python bench/speed.py`; do not edit. Every figure is a ratio inside one "
        "run, or the processor time, wall time or memory of one process. Times are processor seconds, "
        "medians of several repeats in turn. `must` and `reach for` are targets; where `reach for` is the "
        f"smaller of the two, less is better, else more.\n\n{machine} The run took {seconds:.0f} s.\n\n"
        f"{table}\n\n{notes}"
    )


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--quick", action="store_true")
    quick = options.parse_args().quick
    start, lines = time.perf_counter(), []
    with tempfile.TemporaryDirectory() as folder:
        for figure in figures(10 if quick else 1, Path(folder)):
            lines.append(figure.line())
            print(lines[-1], file=sys.stderr, flush=True)
    text = page(lines, time.perf_counter() - start)
    if quick:
        print(text)
    else:
        OUT.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
