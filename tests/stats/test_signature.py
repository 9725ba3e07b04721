import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from faircall.errors import UsageError
from faircall.stats.signature import format_signature, parse_signature

keys = st.from_regex(r"[a-z][a-z0-9_]{0,8}", fullmatch=True).filter(lambda key: key != "metric")


@settings(max_examples=80, deadline=None)
@given(st.text(min_size=1), st.dictionaries(keys, st.text(alphabet=st.characters(codec=None))))
def test_parses_back(metric, fields):
    line = format_signature({"metric": metric, **fields})
    assert line.isascii()
    assert line.split() in ([line], [])
    assert parse_signature(line) == {"metric": metric, **fields}


def test_the_documented_form():
    line = (
        "full_call_exact_match|d:adapter-base|treat:adapter|n:1000|roots:1000|ci:tango95"
        "|reader:sommelier.parser.v1|prompts:3f9a1c|dec:greedy512|ver:0.1.0"
    )
    assert format_signature(parse_signature(line)) == line


@pytest.mark.parametrize("line", ["", "|n:1", "m|n", "m|n:1|n:2", "m|N:1", "m|metric:x"])
def test_what_is_not_a_signature_is_refused(line):
    with pytest.raises(UsageError):
        parse_signature(line)


@pytest.mark.parametrize("fields", [{}, {"metric": ""}, {"metric": "m", "Bad key": 1}])
def test_what_cannot_be_signed_is_refused(fields):
    with pytest.raises(UsageError):
        format_signature(fields)
