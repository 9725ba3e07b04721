"""Every reference value of the statistics page, from programs that are not ours."""

import json
from pathlib import Path

import numpy as np
import pytest

from faircall.stats.evidence import estimate_guarded_difference
from faircall.stats.holm import holm_adjust
from faircall.stats.linearised import estimate_ratio_difference
from faircall.stats.mcnemar import mcnemar_exact, mcnemar_mid_p
from faircall.stats.planning import sample_size
from faircall.stats.tango import tango_interval
from faircall.stats.wilson import wilson_interval

LINES = (Path(__file__).parent.parent / "cases/stats/reference.jsonl").read_text().splitlines()
CASES = [json.loads(line) for line in LINES]


def components(gold, arm):
    return np.array([[2 * m, p + g] for m, p, g in zip(arm["matched"], arm["predicted"], gold, strict=True)])


def bounds(interval):
    return [interval.lower, interval.upper]


def f1(case):
    baseline, candidate = (components(case["gold"], case[arm]) for arm in ("baseline", "candidate"))
    plain = estimate_ratio_difference(baseline, candidate)
    guarded = estimate_guarded_difference(
        baseline, candidate, gold_pairs=float(np.mean(case["gold"])), level=0.95
    )
    return {
        "delta": plain.centre,
        "standard_error": plain.standard_error,
        "interval": bounds(plain.interval(0.95)),
        "guarded": bounds(guarded.interval(0.95)),
    }


def tango(case):
    both, b, c, neither = case["table"]
    return bounds(tango_interval(b, c, n=both + b + c + neither))


COMPUTE = {
    "tango": tango,
    "mcnemar_exact": lambda case: mcnemar_exact(*case["cells"]),
    "mcnemar_mid_p": lambda case: mcnemar_mid_p(*case["cells"]),
    "wilson": lambda case: bounds(wilson_interval(*case["cells"])),
    "f1": f1,
    "holm": lambda case: holm_adjust(case["p"]),
    "sample_size": lambda case: sample_size(discordance=case["discordance"], difference=case["difference"]),
}


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_reference_value(case):
    found, expected = COMPUTE[case["kind"]](case), case["expected"]
    if isinstance(expected, dict):
        assert found.keys() == expected.keys()
        for key, value in expected.items():
            assert found[key] == pytest.approx(value, abs=1e-6), key
    else:
        relative = 1e-9 if case["kind"] == "mcnemar_exact" else None
        assert found == pytest.approx(expected, abs=0 if relative and expected < 1e-6 else 1e-6, rel=relative)
