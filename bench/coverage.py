"""How often the intervals hold: coverage of every deciding interval, beside the percentile bootstrap.

    python bench/coverage.py            writes docs/coverage.md (four minutes of processor time)
    python bench/coverage.py --quick    a tenth of the replicates, to standard output

Each cell draws data whose true difference is known, asks the functions that `faircall.compare` asks, and
counts how often the interval contains the truth. The first replicates of the binary, clustered, claims and
cost cells also go through the comparison itself, and must give the same interval.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

import numpy as np

from faircall.comparing.comparison import compare_arms
from faircall.comparing.costs import MINIMUM_ROOTS, cost_ratios
from faircall.comparing.gap_change import LIMIT, root_differences
from faircall.records import METRIC_NAMES, Arm, Parsed, Scores, ToolCall
from faircall.stats.bootstrap import percentile_bounds, resample_totals
from faircall.stats.cluster import Roots, estimate_paired_difference, separate_roots
from faircall.stats.evidence import decide_mean, decide_ratio_difference
from faircall.stats.log_ratio import estimate_log_ratio, guard_log_ratio
from faircall.stats.rates import metric_interval

LEVEL = 0.95
RESAMPLES = 999
SEED = 20_260_101
OUT = Path(__file__).parent.parent / "docs" / "coverage.md"
SIZES = (20, 50, 100, 200, 500, 1000)

Bounds = tuple[float, float]


@dataclass
class Tally:
    """Where the truth lay: below, inside or above the interval."""

    below: int = 0
    inside: int = 0
    above: int = 0
    width: float = 0.0

    def add(self, bounds: Bounds, truth: float) -> None:
        lower, upper = bounds
        self.width += upper - lower
        if truth < lower - 1e-12:
            self.below += 1
        elif truth > upper + 1e-12:
            self.above += 1
        else:
            self.inside += 1

    @property
    def count(self) -> int:
        return self.below + self.inside + self.above

    def cells(self) -> list[str]:
        return [percent(self.inside, self.count), f"{self.width / self.count:.3f}"]


@dataclass
class Cell:
    """One row of a table."""

    names: tuple[str, ...]
    tallies: list[Tally] = field(default_factory=list)


def percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f}" if whole else "-"


def bounds_of(interval) -> Bounds:
    return interval.lower, interval.upper


def bootstrap_bounds(by_root: np.ndarray, *, replicate: int) -> Bounds:
    """The percentile interval that a report shows, from components (roots, [N_b, D_b, N_c, D_c])."""
    totals = resample_totals(by_root[:, None, :], resamples=RESAMPLES, seed=replicate, scope="coverage")[:, 0]
    deltas = totals[:, 2] / np.maximum(totals[:, 3], 1) - totals[:, 0] / np.maximum(totals[:, 1], 1)
    return percentile_bounds(deltas, level=LEVEL)


def few(replicates: int, n: int) -> int:
    """How many replicates also pay for a bootstrap of `n` rows."""
    return min(replicates, max(300, min(1_000, 200_000 // n)))


# Binary metrics, independent rows


def table_columns(b: int, c: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    first, second = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    first[:b], second[b : b + c] = 1, 1
    return first, second


@cache
def binary_bounds(b: int, c: int, n: int) -> Bounds:
    return bounds_of(estimate_paired_difference(*table_columns(b, c, n), separate_roots(n)).interval(LEVEL))


@cache
def binary_bootstrap(b: int, c: int, n: int) -> Bounds:
    first, second = table_columns(b, c, n)
    ones = np.ones(n, dtype=np.int64)
    return bootstrap_bounds(np.stack([first, ones, second, ones], axis=1), replicate=1_000_003 * b + c)


def draw_tables(b: float, c: float, *, n: int, replicates: int) -> np.ndarray:
    rng = np.random.default_rng([SEED, n, round(b * 1e4), round(c * 1e4)])
    return rng.multinomial(n, [b, c, 1 - b - c], size=replicates)[:, :2]


BINARY = {
    "equal arms (discordant .02 / .02)": (0.02, 0.02),
    "close strong arms, .85 and .87 (.01 / .03)": (0.01, 0.03),
    ".70 and .75 (.10 / .15)": (0.10, 0.15),
    "distant arms, .55 and .85 (.05 / .35)": (0.05, 0.35),
}


def simulate_binary(replicates: int) -> Iterator[Cell]:
    for name, (b, c) in BINARY.items():
        for n in SIZES:
            cell = Cell((name, str(n)), [Tally(), Tally()])
            for i, table in enumerate(draw_tables(b, c, n=n, replicates=replicates).tolist()):
                cell.tallies[0].add(binary_bounds(*table, n), c - b)
                if i < few(replicates, n):
                    cell.tallies[1].add(binary_bootstrap(*table, n), c - b)
            check_binary(draw_tables(b, c, n=n, replicates=3).tolist(), n)
            yield cell


def check_binary(tables: Iterable[list[int]], n: int) -> None:
    """The whole comparison gives the interval that the simulation counted."""
    for b, c in tables:
        first, second = table_columns(b, c, n)
        report = compare_arms(binary_arm(first), binary_arm(second), resamples=39)
        interval = report["overall"]["metrics"]["full_call_exact_match"]["interval"]
        assert (interval["lower"], interval["upper"]) == binary_bounds(b, c, n)


def binary_arm(right: np.ndarray, roots: Roots | None = None) -> Arm:
    components = np.ones((len(right), len(METRIC_NAMES), 2), dtype=np.int64)
    components[:, :, 0] = right[:, None]
    return Arm("arm", make_scores(components, roots or separate_roots(len(right))), identity={})


def make_scores(components: np.ndarray, roots: Roots) -> Scores:
    n = len(components)
    parsed = tuple(Parsed(ToolCall("f", {}), "ok") for _ in range(n))
    unknown = (None,) * n
    names = tuple(f"root {number:06}" for number in roots.of_row)
    ids = tuple(f"row {i:06}" for i in range(n))
    return Scores(ids, names, unknown, components, parsed, unknown, ("gold",) * n, unknown, unknown)


# Argument F1


@dataclass(frozen=True)
class Writer:
    """How an arm answers: the share of texts that parse, and of gold pairs that it gets right in them."""

    parses: float
    right: float

    def draw(self, rng: np.random.Generator, gold: np.ndarray) -> np.ndarray:
        ok = rng.random(gold.shape) < self.parses
        return np.stack([2 * np.where(ok, rng.binomial(gold, self.right), 0), gold * (1 + ok)], axis=-1)


@dataclass(frozen=True)
class F1Setting:
    """The candidate answers like the baseline, except on a share `apart` of the roots."""

    baseline: Writer
    anew: Writer
    apart: float

    @property
    def truth(self) -> float:
        b, a, share = self.baseline, self.anew, self.apart
        right = (1 - share) * b.parses * b.right + share * a.parses * a.right
        parses = (1 - share) * b.parses + share * a.parses
        return 2 * right / (1 + parses) - 2 * b.parses * b.right / (1 + b.parses)

    def draw(
        self, rng: np.random.Generator, shape: tuple[int, int]
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        gold = rng.integers(1, 5, shape)
        first, other = self.baseline.draw(rng, gold), self.anew.draw(rng, gold)
        return gold, first, np.where((rng.random(shape) < self.apart)[..., None], other, first)


F1 = {
    "close strong arms": F1Setting(Writer(0.97, 0.97), Writer(1.0, 0.98), 0.06),
    "close middling arms": F1Setting(Writer(0.90, 0.80), Writer(0.95, 0.85), 0.30),
    "distant arms": F1Setting(Writer(0.60, 0.60), Writer(1.0, 0.90), 0.80),
}


def simulate_f1(replicates: int) -> Iterator[Cell]:
    for name, setting in F1.items():
        for n in SIZES:
            rng = np.random.default_rng([SEED, n, len(name)])
            cell = Cell((name, str(n)), [Tally(), Tally()])
            for i in range(replicates):
                gold, first, second = (part[0] for part in setting.draw(rng, (1, n)))
                plain, guard = decide_ratio_difference(first, second, gold_pairs=gold.mean, level=LEVEL)
                cell.tallies[0].add(bounds_of((guard or plain).interval(LEVEL)), setting.truth)
                if i < few(replicates, n):
                    by_root = np.concatenate([first, second], axis=1)
                    cell.tallies[1].add(bootstrap_bounds(by_root, replicate=i), setting.truth)
            yield cell


# Rows that share a root: four languages


def draw_clustered(
    rng: np.random.Generator, roots: int, *, b: float, c: float, together: float
) -> np.ndarray:
    """Differences -1, 0, 1 per root and language; one for all languages with probability `together`."""
    values = np.array([-1, 1, 0])
    own = rng.choice(values, p=[b, c, 1 - b - c], size=(roots, 4))
    joint = rng.choice(values, p=[b, c, 1 - b - c], size=(roots, 1))
    return np.where(rng.random((roots, 1)) < together, joint, own)


CLUSTERED = {
    "close strong arms (.01 / .03)": (0.01, 0.03),
    ".70 and .75 (.10 / .15)": (0.10, 0.15),
    "distant arms (.05 / .35)": (0.05, 0.35),
}


def simulate_clustered(replicates: int) -> Iterator[Cell]:
    for name, (b, c) in CLUSTERED.items():
        for roots in (25, 50, 100, 250):
            rng = np.random.default_rng([SEED, roots, len(name)])
            cell = Cell((name, f"{roots} x 4"), [Tally() for _ in range(4)])
            for i in range(replicates):
                add_clustered(
                    cell.tallies, draw_clustered(rng, roots, b=b, c=c, together=0.8), c - b, replicate=i
                )
            yield cell


def add_clustered(tallies: list[Tally], drawn: np.ndarray, truth: float, *, replicate: int) -> None:
    roots, difference = Roots(np.repeat(np.arange(len(drawn)), 4), len(drawn)), drawn.ravel()
    first, second = (difference < 0).astype(np.int64), (difference > 0).astype(np.int64)
    alone = separate_roots(len(difference))
    decided = bounds_of(estimate_paired_difference(first, second, roots).interval(LEVEL))
    tallies[0].add(decided, truth)
    tallies[1].add(bounds_of(estimate_paired_difference(first, second, alone).interval(LEVEL)), truth)
    rows = np.stack([first, np.ones_like(first), second, np.ones_like(first)], axis=1)
    if replicate < 300:
        tallies[2].add(bootstrap_bounds(roots.sum(rows), replicate=replicate), truth)
        tallies[3].add(bootstrap_bounds(rows, replicate=replicate), truth)
    if replicate < 2:
        report = compare_arms(binary_arm(first, roots), binary_arm(second, roots), resamples=39)
        interval = report["overall"]["metrics"]["full_call_exact_match"]["interval"]
        assert (interval["lower"], interval["upper"]) == decided


# Difference of language gaps


@dataclass(frozen=True)
class GapSetting:
    """Rates of reference and target language, before and after; `fresh`: how often answers are drawn anew."""

    rates: tuple[float, float, float, float]
    fresh: float

    @property
    def truth(self) -> float:
        reference_before, target_before, reference_after, target_after = self.rates
        return (target_after - reference_after) - (target_before - reference_before)

    def draw(self, rng: np.random.Generator, pairs: int) -> tuple[np.ndarray, np.ndarray]:
        """Components of each arm, shape (pairs, reference and target, 2); one difficulty ties all four."""
        shared, anew = rng.random((pairs, 1)), rng.random((pairs, 4))
        right = np.where(rng.random((pairs, 4)) < self.fresh, anew, shared) < np.array(self.rates)
        components = np.stack([right, np.ones_like(right)], axis=2).astype(np.int64)
        return components[:, :2], components[:, 2:]


GAPS = {
    "both strong (.90 .87 to .92 .91)": GapSetting((0.90, 0.87, 0.92, 0.91), 0.05),
    "gap closed (.80 .50 to .90 .88)": GapSetting((0.80, 0.50, 0.90, 0.88), 0.30),
    "nothing changed (.60 .50 twice)": GapSetting((0.60, 0.50, 0.60, 0.50), 0.50),
}


def simulate_gaps(replicates: int) -> Iterator[Cell]:
    for name, setting in GAPS.items():
        for pairs in SIZES:
            rng = np.random.default_rng([SEED, pairs, len(name)])
            cell = Cell((name, str(pairs)), [Tally(), Tally()])
            for _ in range(replicates):
                before, after = setting.draw(rng, pairs)
                moved = (after[:, 1] - after[:, 0]) - (before[:, 1] - before[:, 0])
                discordant = int(np.sum(np.any(moved != 0, axis=1)))
                values = root_differences(before, after)
                plain, guard = decide_mean(values, discordant=discordant, limit=LIMIT, level=LEVEL)
                cell.tallies[0].add(bounds_of((guard or plain).interval(LEVEL)), setting.truth)
                cell.tallies[1].add(bounds_of(plain.interval(LEVEL)), setting.truth)
            yield cell


# Claims of non-inferiority that are false


CLAIMS = {0.02: (0.02, 0.0), 0.05: (0.055, 0.005), 0.10: (0.14, 0.04)}


def simulate_false_claims(replicates: int) -> Iterator[Cell]:
    """The candidate is worse by exactly the margin, so each claim that is established is false."""
    for margin, (b, c) in CLAIMS.items():
        for n in SIZES:
            tables = draw_tables(b, c, n=n, replicates=replicates).tolist()
            decided = sum(binary_bounds(*table, n)[0] > -margin for table in tables)
            read_off = tables[: few(replicates, n)]
            percentile = sum(binary_bootstrap(*table, n)[0] > -margin for table in read_off)
            check_claims(tables[:3], n, margin)
            names = (f"{margin:.2f}, discordant {b:g} / {c:g}", str(n))
            yield Cell((*names, percent(decided, len(tables)), percent(percentile, len(read_off))))


def check_claims(tables: Iterable[list[int]], n: int, margin: float) -> None:
    """The declared claim is decided as the simulation decides it."""
    claim = {"id": "kept", "kind": "non_inferiority", "margin": margin}
    for b, c in tables:
        first, second = table_columns(b, c, n)
        report = compare_arms(binary_arm(first), binary_arm(second), resamples=39, claims=[claim])
        established = binary_bounds(b, c, n)[0] > -margin
        assert (report["claims"][0]["verdict"] == "established") == established


# Single rates


def simulate_rates(replicates: int) -> Iterator[Cell]:
    writer = {"rate .98": 0.98, "rate .85": 0.85, "rate .50": 0.50}
    for name, rate in writer.items():
        for n in (20, 100, 1000):
            rng = np.random.default_rng([SEED, n, round(rate * 100)])
            cell = Cell((name, str(n)), [Tally(), Tally(), Tally()])
            for _ in range(replicates):
                add_rates(cell.tallies, rng, rate=rate, n=n)
            yield cell


def add_rates(tallies: list[Tally], rng: np.random.Generator, *, rate: float, n: int) -> None:
    ones = np.ones(n, dtype=np.int64)
    right = (rng.random(n) < rate).astype(np.int64)
    tallies[0].add(bounds_of(metric_interval(right, ones, level=LEVEL)), rate)
    shared = (rng.random((max(n // 4, 2), 1)) < rate) & np.ones((1, 4), dtype=bool)
    own = rng.random(shared.shape) < rate
    clustered = np.where(rng.random((len(shared), 1)) < 0.5, shared, own).astype(np.int64)
    roots = Roots(np.repeat(np.arange(len(shared)), 4), len(shared))
    one_each = np.ones(clustered.size, dtype=np.int64)
    tallies[1].add(bounds_of(metric_interval(clustered.ravel(), one_each, roots, level=LEVEL)), rate)
    writer = Writer(0.95, rate)
    f1 = writer.draw(rng, rng.integers(1, 5, n))
    tallies[2].add(bounds_of(metric_interval(*f1.T, level=LEVEL)), 2 * 0.95 * rate / 1.95)


# Ratios of what a full match costs


@dataclass(frozen=True)
class CostSetting:
    """Full matches of two arms, and lognormal times, half as long again where the answer is wrong.

    Two languages share their root's fate in four roots out of five; the candidate takes 1.3 times as long.
    """

    baseline_only: float
    candidate_only: float
    both: float
    spread: float

    @property
    def truth(self) -> float:
        """The logarithm of the true ratio of seconds per full match."""
        first, second = self.both + self.baseline_only, self.both + self.candidate_only
        costs = [1.5 / right - 0.5 for right in (first, second)]
        return math.log(1.3 * costs[1] / costs[0])

    def draw(self, rng: np.random.Generator, roots: int) -> np.ndarray:
        """Nanoseconds and full matches of both arms per root, shape (2 arms, roots, 2)."""
        cells = (self.baseline_only, self.candidate_only, self.both)
        own = rng.choice(4, p=[*cells, 1 - sum(cells)], size=(roots, 2))
        fate = np.where(rng.random((roots, 2)) < 0.8, own[:, :1], own)
        right = np.stack([np.isin(fate, (0, 2)), np.isin(fate, (1, 2))])
        shared, apart = rng.normal(0, self.spread, (roots, 2)), rng.normal(0, self.spread, (2, roots, 2))
        slower = np.where(right, 1.0, 1.5) * np.array([1.0, 1.3])[:, None, None]
        seconds = np.exp(shared + 0.8 * apart) * slower
        return np.stack([(1e9 * seconds).astype(np.int64).sum(axis=2), right.sum(axis=2)], axis=2)


COSTS = {
    "few right, .05 and .10 (.02 / .07)": (0.02, 0.07, 0.03),
    ".20 and .30 (.10 / .20)": (0.10, 0.20, 0.10),
    "close strong arms, .85 and .87 (.01 / .03)": (0.01, 0.03, 0.84),
    "distant arms, .10 and .90 (0 / .80)": (0.0, 0.80, 0.10),
}


def simulate_costs(replicates: int) -> Iterator[Cell]:
    for name, rates in COSTS.items():
        for times, spread in (("steady", 0.02), ("varying", 0.5)):
            setting = CostSetting(*rates, spread)
            for roots in (10, 20, 50, 100, 500):
                rng = np.random.default_rng([SEED, roots, len(name), len(times)])
                yield count_costs(setting, rng, (f"{name}, {times} times", str(roots)), replicates)


def count_costs(
    setting: CostSetting, rng: np.random.Generator, names: tuple[str, str], replicates: int
) -> Cell:
    cell, insufficient, without = Cell(names, [Tally(), Tally()]), 0, 0
    for i in range(replicates):
        sides = setting.draw(rng, int(names[1]))
        if not sides[:, :, 1].sum(axis=1).all():
            without += 1
            continue
        plain = estimate_log_ratio(*sides)
        guard = guard_log_ratio(plain, *sides)
        decided = log_bounds((guard or plain).interval(LEVEL))
        cell.tallies[0].add(decided, setting.truth)
        cell.tallies[1].add(log_bounds(plain.interval(LEVEL)), setting.truth)
        insufficient += bool(np.count_nonzero(sides[:, :, 1], axis=1).min() < MINIMUM_ROOTS)
        if i < 2:
            check_costs(sides, decided)
    cell.names += (percent(without, replicates), percent(insufficient, replicates - without))
    return cell


def log_bounds(interval) -> Bounds:
    return math.log(interval.lower), math.log(interval.upper)


def check_costs(sides: np.ndarray, decided: Bounds) -> None:
    """The comparison of two timed arms gives the interval that the simulation counted."""
    arms = []
    for times, right in sides.transpose(0, 2, 1):
        rows = np.stack([right > 0, right > 1], axis=1).ravel().astype(np.int64)
        roots = Roots(np.repeat(np.arange(len(right)), 2), len(right))
        durations = np.stack([times, np.zeros_like(times)], axis=1).ravel().tolist()
        arms.append(replace(binary_arm(rows, roots), durations_ns=tuple(durations)))
    ratio = cost_ratios(*arms, level=LEVEL)["seconds_per_full_match"]
    bounds = ratio.get("guarded") or ratio["interval"]
    assert np.allclose([math.log(bounds["lower"]), math.log(bounds["upper"])], decided, rtol=0, atol=1e-12)


# The page


@dataclass(frozen=True)
class Section:
    title: str
    text: str
    columns: tuple[str, ...]
    simulate: Callable[[int], Iterator[Cell]]
    replicates: int


SECTIONS = (
    Section(
        "Binary metrics",
        "Tango's score interval decides. Independent rows.",
        ("setting", "examples", "Tango", "width", "percentile", "width"),
        simulate_binary,
        10_000,
    ),
    Section(
        "Argument F1",
        "The linearised interval decides, the guarded one with fewer than ten discordant roots. "
        "Up to four gold pairs per call; texts that do not parse have no predicted pairs.",
        ("setting", "roots", "deciding", "width", "percentile", "width"),
        simulate_f1,
        2_000,
    ),
    Section(
        "Overall across four languages",
        "Translations share their root's fate in four roots out of five. "
        "Tango's interval at effective counts decides; "
        "the others are what counting or resampling rows would give.",
        ("setting", "roots x languages", "deciding", "width", "Tango on rows", "width",
         "percentile on roots", "width", "percentile on rows", "width"),
        simulate_clustered,
        2_000,
    ),
    Section(
        "Difference of language gaps",
        "The t interval over pairs decides, the guarded one with fewer than ten discordant pairs.",
        ("setting", "pairs", "deciding", "width", "never guarded", "width"),
        simulate_gaps,
        2_000,
    ),
    Section(
        "False claims of non-inferiority",
        "The candidate is worse by exactly the margin. "
        "Share of claims established, in percent; 2.5 is promised.",
        ("margin", "examples", "Tango", "percentile"),
        simulate_false_claims,
        10_000,
    ),
    Section(
        "One arm's rate",
        "Wilson's interval; at effective counts for four languages; at the linearised size for argument F1 "
        "(in F1's column the rate is that of single pairs).",
        ("setting", "examples", "Wilson", "width", "four languages", "width", "argument F1", "width"),
        simulate_rates,
        2_000,
    ),
    Section(
        "Ratio of seconds per full match",
        "The linearised interval on the logarithm decides, the guarded one with fewer than ten discordant "
        "roots; widths are those of the logarithm. Two languages per root. Of the draws in which both arms "
        "had a full match; `no ratio` counts the others, and `insufficient` those that a report marks so: "
        "fewer than ten roots with a full match in an arm.",
        ("setting", "roots", "no ratio", "insufficient", "deciding", "width", "never guarded", "width"),
        simulate_costs,
        2_000,
    ),
)  # fmt: skip


def render(section: Section, cells: Iterable[Cell]) -> Iterator[str]:
    yield from (f"## {section.title}", "", section.text, "")
    yield f"| {' | '.join(section.columns)} |"
    yield f"|{' --- |' * len(section.columns)}"
    for cell in cells:
        found = [text for tally in cell.tallies for text in tally.cells()]
        yield f"| {' | '.join((*cell.names, *found))} |"
    yield ""


def preface() -> Iterator[str]:
    yield from ("# Coverage, simulated", "")
    error = [100 * math.sqrt(0.95 * 0.05 / replicates) for replicates in (10_000, 2_000, 1_000, 300)]
    yield (
        f"Written by `bench/coverage.py` (seed {SEED}, numpy {np.__version__}): how often nominal 95% "
        f"intervals hold the true value, in percent, and how wide they are on average. "
        f"Binary cells and claims have 10,000 replicates (Monte Carlo standard error near 95%: "
        f"{error[0]:.1f} points), the others 2,000 "
        f"({error[1]:.1f}). "
        f"Percentile columns have 1,000 ({error[2]:.1f}) up to 200 rows, then fewer, at least 300 "
        f"({error[3]:.1f}), with {RESAMPLES} resamples each."
    )
    yield ""
    yield (
        "The functions are those that `faircall.compare` calls; in the binary, clustered, claims and "
        "cost tables the first replicates also go through the whole comparison and must agree."
    )
    yield ""


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--quick", action="store_true", help="a tenth of the replicates, nothing written")
    quick = options.parse_args().quick
    lines = list(preface())
    for section in SECTIONS:
        start = time.perf_counter()
        lines += render(section, section.simulate(section.replicates // (10 if quick else 1)))
        print(f"{section.title}: {time.perf_counter() - start:.0f} s", file=sys.stderr)
    text = "\n".join(lines).rstrip() + "\n"
    if quick:
        print(text)
    else:
        OUT.write_text(text, encoding="ascii")
        print(OUT.relative_to(OUT.parent.parent))


if __name__ == "__main__":
    main()
