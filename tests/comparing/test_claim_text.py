"""Claims in one line: the same declaration, and the same digest, as in a config."""

import pytest

from faircall.comparing.answer import require_yes
from faircall.comparing.claim_text import parse_claim
from faircall.comparing.claims import read_claims
from faircall.config.claims import load_claims
from faircall.errors import ConditionFailed, ConfigError, FileUnreadable, UsageError

LINE = "en_kept: non_inferiority full_call_exact_match margin=0.02 slice=en"
ENTRY = "{id: en_kept, slice: en, kind: non_inferiority, margin: 0.02}"


def test_a_line_declares_what_an_entry_of_a_config_declares(tmp_path):
    file = tmp_path / "claims.yaml"
    file.write_text(f"claims: [{ENTRY}]\n")
    (stored,), line = load_claims(file), parse_claim(LINE)
    assert line == stored
    assert read_claims([line]) == read_claims([stored])


def test_a_metric_may_be_left_out_and_a_slice_quoted():
    claim = parse_claim(" better : superiority slice='de AT' family=main")
    assert (claim["id"], claim["metric"], claim["slice"]) == ("better", "full_call_exact_match", "de AT")
    assert claim["family"] == "main"


def test_superiority_has_no_margin():
    with pytest.raises(ConfigError, match="superiority, which has no margin") as refused:
        parse_claim("better: superiority margin=0.02")
    assert "non_inferiority" in refused.value.hint


@pytest.mark.parametrize(
    "line",
    [
        "", "kept", "kept:", ": superiority", "kept: superiority argument_f1 more",
        "kept: slice=en superiority", "kept: superiority colour=red",
        "kept: superiority slice=", "kept: superiority slice=a slice=b",
        "kept: non_inferiority margin=much", "kept: superiority 'open",
    ],
)  # fmt: skip
def test_what_is_no_claim_is_refused_with_an_example(line):
    with pytest.raises(UsageError) as raised:
        parse_claim(line)
    assert "--claim" in raised.value.hint


@pytest.mark.parametrize(
    "line",
    [
        "a: superior",
        "a: superiority speed",
        "a: equivalence",
        "a: equivalence margin=2",
        "a: equivalence margin=nan",
    ],
)
def test_names_and_margins_are_checked(line):
    with pytest.raises(ConfigError):
        parse_claim(line)


def test_a_whole_config_gives_its_claims_and_another_file_nothing_else(tmp_path):
    file = tmp_path / "c.yaml"
    file.write_text(f"schema_version: faircall.config.v1\nproject: {{name: x}}\nclaims: [{ENTRY}]\n")
    assert [claim["id"] for claim in load_claims(file)] == ["en_kept"]
    for text, told in {
        f"claims: [{ENTRY}]\nproject: 1\n": r"c\.yaml:2: project",
        "claims:\n- {id: a, kinds: superiority}\n": r"c\.yaml:2: claims\[0\]\.kinds",
        "claims: []\n": "claims",
        "- a\n": "no mapping",
    }.items():
        file.write_text(text)
        with pytest.raises(ConfigError, match=told):
            load_claims(file)
    with pytest.raises(FileUnreadable):
        load_claims(tmp_path / "missing.yaml")


def test_the_answer_names_every_no():
    claims = [{"id": "a", "verdict": "established"}, {"id": "b", "verdict": "not_established"}]
    conditions = [
        {"text": "x < 1", "value": 0.5, "holds": True},
        {"text": "y < 1", "value": 2, "holds": False},
    ]
    require_yes({"claims": claims[:1], "conditions": conditions[1:]})
    with pytest.raises(ConditionFailed) as raised:
        require_yes({"claims": claims, "conditions": conditions})
    assert raised.value.message == "declared claims: b not established; --fail-if: x < 1 holds: it is 0.5"
