import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from comparing.arms import simple_arms
from faircall.comparing.comparison import compare_arms
from faircall.digest import sha256_json
from faircall.errors import ConfigError
from faircall.stats.planning import detectable_difference

FULL = "full_call_exact_match"
GAIN = (
    [("right", "right")] * 59 + [("right", "args")] * 6 + [("none", "right")] * 16 + [("none", "args")] * 80
)


def decide(data, *claims):
    return compare_arms(*simple_arms(data), resamples=39, claims=claims)["claims"]


def swap(data):
    return [(b, a) for a, b in data]


@pytest.mark.parametrize(
    ("data", "claim", "verdict"),
    [
        (GAIN, {"kind": "superiority"}, "established"),
        (swap(GAIN), {"kind": "superiority"}, "refuted"),
        ([("right", "right")] * 50, {"kind": "superiority"}, "not_established"),
        (GAIN, {"kind": "non_inferiority", "margin": 0.01}, "established"),
        (swap(GAIN), {"kind": "non_inferiority", "margin": 0.005}, "refuted"),
        (swap(GAIN), {"kind": "non_inferiority", "margin": 0.02}, "not_established"),
        ([("right", "right")] * 200, {"kind": "equivalence", "margin": 0.02}, "established"),
        (GAIN, {"kind": "equivalence", "margin": 0.005}, "refuted"),
        (GAIN, {"kind": "equivalence", "margin": 0.02}, "not_established"),
    ],
)
def test_verdicts(data, claim, verdict):
    (found,) = decide(data, {"id": "c", "slice": "en", **claim})
    assert found["verdict"] == verdict
    assert (found["metric"], found["slice"]) == (FULL, "en")
    lower, upper = found["interval"]["lower"], found["interval"]["upper"]
    margin = claim.get("margin", 0.0)
    if claim["kind"] != "equivalence":
        assert (verdict == "established") == (lower > -margin)
        assert (verdict == "refuted") == (upper < -margin)
    if verdict == "established":
        assert found["p"] < found["alpha"]
        assert found["detectable_difference"] is None


def test_p_is_tangos_and_superiority_is_mcnemars_score():
    (found,) = decide(GAIN, {"id": "c", "kind": "superiority"})
    assert found["p"] == pytest.approx(0.03301, abs=1e-4)  # 2 x normal tail of 10 / sqrt(22)
    assert found["alpha"] == 0.05


@settings(max_examples=20, deadline=None)
@given(
    st.lists(st.sampled_from(GAIN + swap(GAIN)), min_size=30, max_size=60),
    st.sampled_from(["superiority", "non_inferiority", "equivalence"]),
    st.sampled_from(["argument_f1", FULL]),
)
def test_established_is_a_small_p(data, kind, metric):
    margin = {} if kind == "superiority" else {"margin": 0.1}
    (found,) = decide(data, {"id": "c", "kind": kind, "metric": metric, **margin})
    lower = found["interval"]["lower"]
    if kind == "superiority":
        assert (found["p"] < found["alpha"]) == (found["verdict"] != "not_established")
    elif abs(lower + 0.1) > 1e-9:
        assert (found["p"] < found["alpha"]) == (found["verdict"] == "established")


def test_what_is_not_established_says_what_could_have_been_found():
    data = [("right", "args")] * 9 + [("args", "right")] * 12 + [("right", "right")] * 79
    (found,) = decide(data, {"id": "c", "kind": "superiority"})
    assert found["verdict"] == "not_established"
    assert found["detectable_difference"] == pytest.approx(detectable_difference(n=100, discordance=0.21))
    (f1,) = decide(data, {"id": "c", "kind": "superiority", "metric": "argument_f1"})
    assert f1["detectable_difference"] is None


def test_a_family_is_held_to_holm():
    weak = {"id": "a", "kind": "superiority", "family": "f"}
    alone = decide(GAIN, weak)[0]
    assert alone["verdict"] == "established"
    assert alone["p_holm"] == alone["p"]
    (scaled,) = decide(GAIN, {"id": "b", "kind": "non_inferiority", "margin": 0.01, "family": "f"})
    assert scaled["p_holm"] == pytest.approx(2 * scaled["p"])
    crowded = decide(GAIN, *({**weak, "id": name} for name in "abc"))
    assert [claim["verdict"] for claim in crowded] == ["not_established"] * 3
    assert crowded[0]["p_holm"] == pytest.approx(3 * crowded[0]["p"])


def test_a_claim_carries_the_digest_of_its_declaration():
    claim = {"id": "c", "kind": "non_inferiority", "margin": 0.02, "slice": "en"}
    assert decide(GAIN, claim)[0]["declared_sha256"] == sha256_json(claim)


def test_f1_claims_use_the_guarded_interval():
    data = [("right", "right")] * 30
    (found,) = decide(data, {"id": "c", "kind": "non_inferiority", "margin": 0.02, "metric": "argument_f1"})
    assert found["verdict"] == "not_established"
    assert found["interval"]["method"].startswith("guarded")


def test_nothing_to_decide_on_is_not_established():
    (found,) = decide([], {"id": "c", "kind": "superiority"})
    assert (found["verdict"], found["p"]) == ("not_established", None)


@pytest.mark.parametrize(
    ("claims", "message"),
    [
        ([{"kind": "superiority"}], "no id"),
        ([{"id": "c", "kind": "better"}], "kind"),
        ([{"id": "c", "metric": "bleu"}], "metric"),
        ([{"id": "c", "slice": "xx"}], "'xx'"),
        ([{"id": "c", "kind": "equivalence"}], "margin"),
        ([{"id": "c", "kind": "non_inferiority", "margin": True}], "margin"),
        ([{"id": "c", "kind": "non_inferiority", "margin": -0.1}], "margin"),
        ([{"id": "c", "margins": 0.1}], "margins"),
        ([{"id": "c"}, {"id": "c"}], "two claims"),
        ([{"id": "c", "family": ["f"]}], "family"),
        (["c"], "not a mapping"),
    ],
)
def test_claims_that_cannot_be_decided_are_refused(claims, message):
    with pytest.raises(ConfigError, match=message):
        decide(GAIN, *claims)
