import pytest

from faircall.errors import UsageError
from faircall.stats.planning import detectable_difference, non_inferiority_size, sample_size


@pytest.mark.parametrize("discordance", [0.02, 0.1, 0.5, 1.0])
@pytest.mark.parametrize("difference", [0.01, -0.02])
def test_size_and_detectable_difference_are_inverse(discordance, difference):
    n = sample_size(discordance=discordance, difference=difference)
    found = detectable_difference(n=n, discordance=discordance)
    assert found == pytest.approx(abs(difference), rel=0.01)
    assert found <= abs(difference)


def test_non_inferiority_formula():
    # (1.959964 + 0.841621)^2 x 0.1 / 0.0004
    assert non_inferiority_size(discordance=0.1, margin=0.02) == 1963


def test_refusals():
    with pytest.raises(UsageError, match="discordance of at least"):
        sample_size(discordance=0.01, difference=0.02)
    with pytest.raises(UsageError, match="margin"):
        non_inferiority_size(discordance=0.1, margin=0.0)
    with pytest.raises(UsageError, match="share"):
        detectable_difference(n=10, discordance=1.5)
    with pytest.raises(UsageError, match="alpha"):
        detectable_difference(n=10, discordance=0.5, power=1.0)


def test_nothing_is_detectable_without_discordance():
    assert detectable_difference(n=1000, discordance=0.0) is None
    assert detectable_difference(n=0, discordance=0.3) is None
