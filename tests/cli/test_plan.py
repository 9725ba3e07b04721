"""`faircall plan`: the reference values of the statistics, and what it refuses to guess."""

import json

import pytest

from faircall.cli import main


def plan(capsys, *arguments):
    status = main(["plan", *arguments, "--json"])
    return status, json.loads(capsys.readouterr().out)


def test_the_reference_sample_size(capsys):
    """Source: statistics.md, psi .10, d .03, two-sided .05, power .8: 870."""
    status, found = plan(capsys, "--discordance", "0.10", "--difference", "0.03")
    assert (status, found["examples_for_difference"]) == (0, 870)


def test_sizes_and_detectable_differences_agree(capsys):
    _, found = plan(capsys, "--psi", "0.10", "--examples", "870")
    assert found["detectable_difference"] == pytest.approx(0.03, abs=1e-4)


def test_a_margin_uses_a_one_sided_level(capsys):
    """Source: n = (1.959964 + 0.841621)^2 psi / M^2."""
    _, found = plan(capsys, "--psi", "0.10", "--margin", "0.02")
    assert found["examples_for_margin"] == 1963


def test_too_few_examples_find_nothing(capsys):
    assert main(["plan", "--psi", "0.01", "--examples", "10"]) == 0
    assert "none: too few examples" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ([], "how often do the arms differ?"),
        (["--psi", "0.1"], "nothing to plan"),
        (["--psi", "1.5", "--margin", "0.02"], "discordance"),
        (["--psi", "0.01", "--difference", "0.03"], "discordance"),
        (["--psi", "0.1", "--margin", "0"], "margin"),
        (["--psi", "0.1", "--margin", "0.1", "--power", "1"], "power"),
        (["--psi", "0.1", "--examples", "0"], "examples"),
    ],
)
def test_what_cannot_be_planned_is_refused(capsys, arguments, complaint):
    assert main(["plan", *arguments]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2
    assert lines[0].startswith("faircall: USAGE: ")
    assert complaint in lines[0]
