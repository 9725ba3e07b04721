"""What a comparison shows, from hand-made reports of the form of section 6 of the contract."""

import copy

import pytest

from faircall.records import BINARY_METRIC_NAMES, METRIC_NAMES
from faircall.reporting.blocks import Line, Table
from faircall.reporting.comparison_view import tell_treatment, tell_verdict, view_comparison
from faircall.reporting.to_terminal import to_plain_text


def metric(numerator, denominator=60):
    return {
        "value": numerator / denominator if denominator else 0.0,
        "numerator": numerator,
        "denominator": denominator,
    }


def bounds(lower, upper, method="tango95"):
    return {"method": method, "level": 0.95, "lower": lower, "upper": upper}


def delta(name, **changes):
    block = {
        "baseline": metric(0),
        "candidate": metric(38),
        "delta": 38 / 60,
        "interval": bounds(0.5, 0.74),
        "bootstrap": bounds(0.11, 0.99, "percentile"),
        "tests": {"mcnemar_exact_p": 1e-9},
        "discordant_roots": 38,
    }
    if name in BINARY_METRIC_NAMES:
        parts = ("gained_by_parsing", "gained_by_content", "lost_by_parsing", "lost_by_content")
        block["decomposition"] = dict(zip(parts, (30, 8, 0, 0), strict=True))
    return {**block, **changes}


def scope(**changes):
    return {"examples": 60, "roots": 60, "metrics": {name: delta(name, **changes) for name in METRIC_NAMES}}


def gap(value):
    delta = {"delta": value, "interval": bounds(value - 0.1, value + 0.1)}
    return {"reference_language": "en", "pairs": 20, "metrics": dict.fromkeys(METRIC_NAMES, delta)}


def timing(seconds, **changes):
    facts = {"cross_comparable": True, "cross_comparable_reason": None, "scenario": "single stream"}
    return {
        **facts,
        "allocation": 1,
        "seconds_per_example": seconds,
        "seconds_per_full_match": None,
        "seconds_per_full_match_reason": "no full match",
        **changes,
    }


REPORT = {
    "signature": "full_call_exact_match|treat:adapter",
    "treatment": {
        "kind": "declared",
        "sections": ["adapter"],
        "differs": {"adapter.source": {"baseline": None, "candidate": "tuned"}},
        "released": {},
    },
    "not_attested": ["model.dtype", "model.base_model_id", "prompt.policy"],
    "shared": {"prompt.template_sha256": "x"},
    "baseline": {"arm": "base"},
    "candidate": {"arm": "tuned"},
    "overall": scope(),
    "slices": {},
    "paired_language_gaps": {},
    "claims": [],
    "diagnosis": {
        "baseline": {"causes": {"no_json:no_bracket": 60}},
        "candidate": {"causes": {"wrong_value": 9, "wrong_tool": 13}},
    },
}


def changed(**changes):
    report = copy.deepcopy(REPORT)
    report["overall"]["metrics"]["full_call_exact_match"].update(changes)
    return report


def tables(report):
    return {block.title: block for block in view_comparison(report) if isinstance(block, Table)}


def test_the_first_lines_are_the_treatment_the_arms_and_the_verdict():
    lines = [block.text for block in view_comparison(REPORT)[:3] if isinstance(block, Line)]
    assert lines == [
        "Treatment: adapter (adapter.source: unknown -> tuned)",
        "base -> tuned: 60 examples",
        "full_call_exact_match: better: +63.3 points, 95% CI [+50.0, +74.0]",
    ]


def test_an_adapter_against_none_is_told_by_its_source_with_a_short_digest():
    digest = "8c3c22fe229d" + 52 * "0"
    differs = {
        "adapter.merged": {"baseline": None, "candidate": False},
        "adapter.source": {"baseline": "none", "candidate": f"tuned@sha256:{digest}"},
    }
    treatment = {"kind": "declared", "sections": ["adapter"], "differs": differs}
    told = tell_treatment({"treatment": treatment})
    assert told == "Treatment: adapter (adapter.source: none -> tuned@sha256:8c3c22fe229d...)"
    differs["adapter.merged"] = {"baseline": True, "candidate": False}
    assert "adapter.merged: True -> False" in tell_treatment({"treatment": treatment})


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"interval": bounds(0.001, 0.1)}, "better"),
        ({"interval": bounds(-0.1, -0.001)}, "worse"),
        ({"interval": bounds(0.0, 0.1)}, "no difference shown"),
        ({"interval": bounds(-0.1, 0.0)}, "no difference shown"),
        ({"guarded": bounds(-0.1, 0.1)}, "no difference shown"),
    ],
)
def test_the_verdict_follows_the_deciding_interval_with_strict_inequalities(changes, words):
    assert tell_verdict(changed(**changes)).split(": ")[1] == words


def test_without_a_discordant_pair_the_words_say_so_and_the_interval_has_a_width():
    report = changed(delta=0.0, discordant_roots=0, interval=bounds(-0.06, 0.06))
    assert tell_verdict(report).endswith(
        "no difference shown: 0.0 points, no discordant pairs, 95% CI [-6.0, +6.0]"
    )
    assert tables(report)["Metrics"].rows[-1][-1] == "no discordant pairs [-6.0, +6.0]"
    assert "[0.0, 0.0]" not in to_plain_text(view_comparison(report))


@pytest.mark.parametrize(
    ("interval", "words"),
    [(bounds(-0.1, 0.1), "A/A, equal arms"), (bounds(0.1, 0.2), "A/A, equal arms, yet the outputs differ")],
)
def test_equal_arms_are_called_an_a_a_comparison(interval, words):
    report = changed(interval=interval)
    report["treatment"] = {"kind": "A/A", "sections": [], "differs": {}, "released": {}}
    assert view_comparison(report)[0].text.startswith("Treatment: none (A/A")
    assert tell_verdict(report).split(": ")[1] == words


def test_one_interval_per_number_and_never_the_bootstrap():
    table = tables(REPORT)["Metrics"]
    assert table.columns == ("metric", "base", "tuned", "points", "95% CI")
    assert [row[0] for row in table.rows] == list(METRIC_NAMES)
    assert table.rows[-1] == ("full_call_exact_match", "0/60 0.0%", "38/60 63.3%", "+63.3", "[+50.0, +74.0]")
    assert "+11.0" not in to_plain_text(view_comparison(REPORT))


def test_causes_are_ranked_and_add_up():
    assert tables(REPORT)["Causes of the misses"].rows == (
        ("no_json:no_bracket", "60", "0"),
        ("wrong_tool", "0", "13"),
        ("wrong_value", "0", "9"),
        ("all misses", "60", "22"),
    )


def test_the_split_is_shown_for_each_binary_metric():
    table = tables(REPORT)["Format or content"]
    assert [row[0] for row in table.rows] == list(BINARY_METRIC_NAMES)
    assert table.rows[0][1:] == ("30", "8", "0", "0")


def test_slices_gaps_and_claims_are_shown_when_there_are_any():
    assert not {"Slices: full_call_exact_match", "Declared claims"} & tables(REPORT).keys()
    difference = {"metrics": {"full_call_exact_match": {"delta": 0.1, "interval": bounds(-0.05, 0.25)}}}
    report = {
        **REPORT,
        "slices": {"en": scope(), "fr": scope()},
        "paired_language_gaps": {
            "fr": {"baseline": gap(-0.2), "candidate": gap(-0.1), "difference_of_gaps": difference}
        },
        "claims": [
            {
                "id": "en_kept",
                "kind": "non_inferiority",
                "metric": "full_call_exact_match",
                "slice": "en",
                "margin": 0.02,
                "verdict": "established",
                "p": 0.0001,
                "interval": bounds(-0.01, 0.1, "tango"),
            }
        ],
    }
    shown = tables(report)
    assert [row[:2] for row in shown["Slices: full_call_exact_match"].rows] == [("en", "60"), ("fr", "60")]
    assert shown["Language gaps: full_call_exact_match"].rows == (
        ("fr - en", "20", "-20.0 [-30.0, -10.0]", "-10.0 [-20.0, 0.0]", "+10.0 [-5.0, +25.0]"),
    )
    assert shown["Declared claims"].rows == (
        ("en_kept", "en/full_call_exact_match", "non_inferiority 0.02", "<0.001 (Tango)", "established"),
    )


def test_marginal_gaps_stand_apart_and_have_no_interval():
    values = {"fr": dict.fromkeys(METRIC_NAMES, -0.125)}
    marginal = {"reference": "en", "baseline": values, "candidate": {"fr": dict.fromkeys(METRIC_NAMES)}}
    shown = tables({**REPORT, "marginal_full_slices": marginal})
    table = shown["Marginal gaps, full slices: full_call_exact_match"]
    assert table.rows == (("fr - en", "-12.5", "undefined"),)
    assert "descriptive" in table.note


def test_costs_are_shown_with_their_ratios():
    bounds = {"method": "log_linearised_t", "level": 0.95, "lower": 0.02, "upper": 0.04}
    efficiency = {
        "baseline": timing(2.0, new_tokens=50, memory={"process_peak_bytes": 2**30}),
        "candidate": timing(0.05, new_tokens=None, p90_ns=70_000_000),
        "reasons": [],
        "ratios": {
            "seconds_per_example": {"value": 0.025, "interval": bounds, "evidence": "ok"},
            "seconds_per_full_match": {"value": None, "reason": "no full match"},
        },
    }
    table = tables({**REPORT, "inference_efficiency": efficiency})["Cost"]
    assert table.columns == ("measure", "base", "tuned", "ratio", "95% CI")
    assert table.rows == (
        ("time per example", "2 s", "50 ms", "0.025x", "[0.02x, 0.04x]"),
        ("time per full match", "no full match", "no full match", "undefined", "no full match"),
        ("slowest tenth begins at", "undefined", "70 ms", "", ""),
        ("new tokens", "50", "undefined", "", ""),
        ("peak memory", "1 GiB", "undefined", "", ""),
    )
    assert table.note == "single stream; ratios are candidate over baseline and descriptive"


def test_a_ratio_on_insufficient_evidence_says_so_and_shows_the_guarded_interval():
    bounds = {"method": "log_linearised_t", "level": 0.9, "lower": 0.5, "upper": 0.5}
    ratio = {"value": 0.5, "interval": bounds, "guarded": {**bounds, "upper": 0.75}, "evidence": "too few"}
    efficiency = {"baseline": timing(2.0), "candidate": timing(1.0), "reasons": []}
    efficiency["ratios"] = {"seconds_per_example": ratio}
    table = tables({**REPORT, "inference_efficiency": efficiency})["Cost"]
    assert table.columns[-1] == "90% CI"
    assert table.rows[0][-2:] == ("0.5x", "insufficient evidence [0.5x, 0.75x]")


@pytest.mark.parametrize(
    ("found", "note"),
    [
        ({"reasons": ["b: resumed", "x"], "ratios": None}, "not comparable: b: resumed; x"),
        ({}, "whether the times may be compared is not recorded: an older report"),
    ],
)
def test_times_that_may_not_be_compared_have_no_ratio(found, note):
    efficiency = {"baseline": timing(2.0), "candidate": timing(1.0), **found}
    table = tables({**REPORT, "inference_efficiency": efficiency})["Cost"]
    assert table.columns == ("measure", "base", "tuned")
    assert table.note == note


def test_an_arm_of_stored_answers_has_no_times_and_a_served_one_the_memory_of_its_client():
    peak = {"process_peak_bytes": 2**26}
    replayed = timing(1e-5, allocation={"device": "none"}, new_tokens=7, memory=peak)
    served = timing(2.0, allocation={"device": "server"}, memory=peak)
    efficiency = {"baseline": replayed, "candidate": served, "reasons": ["base: replayed"], "ratios": None}
    cost = tables({**REPORT, "inference_efficiency": efficiency})["Cost"]
    rows = {row[0]: row[1:] for row in cost.rows}
    assert rows["time per example"] == ("replayed", "2 s")
    assert rows["peak memory"] == ("replayed", "64 MiB (client process)")
    both = {**efficiency, "candidate": replayed}
    assert [row[0] for row in tables({**REPORT, "inference_efficiency": both})["Cost"].rows] == ["new tokens"]


def test_times_that_one_arm_lacks_are_not_shown():
    efficiency = {"baseline": timing(1.0), "candidate": None}
    assert "Cost" not in tables({**REPORT, "inference_efficiency": efficiency})


def test_the_small_print_ends_with_the_signature():
    released = {"prompt.prompt_sets": {"baseline": "x", "candidate": "y"}}
    report = {**REPORT, "treatment": {**REPORT["treatment"], "released": released}}
    assert [block.text for block in view_comparison(report)[-3:]] == [
        "Released as a consequence: prompt.prompt_sets",
        "Not attested by either arm: model, prompt.policy",
        "Signature: full_call_exact_match|treat:adapter",
    ]


def test_repeated_roots_are_told():
    report = {**REPORT, "overall": {**scope(), "roots": 15}}
    assert view_comparison(report)[1].text == "base -> tuned: 60 examples of 15 roots"


def test_a_metric_over_nothing_is_undefined():
    report = changed(baseline=metric(0, 0))
    assert tables(report)["Metrics"].rows[-1][1] == "undefined"
