"""Repeated requests: exact within a file, exact and near between test and training."""

from hypothesis import given, settings
from hypothesis import strategies as st

from faircall.importing.repeats import NEAR, Request, _likeness, _words, find_leaks, find_repeats


def test_a_repeat_names_the_earliest():
    texts = ["Rain?", "Sun?", "rain?", "RAIN?"]
    requests = [Request(str(n), text) for n, text in enumerate(texts)]
    assert [(repeat.row_id, repeat.earlier) for repeat in find_repeats(requests)] == [("2", "0"), ("3", "0")]


def test_a_leak_may_be_near_and_the_likest_is_named():
    words = "please tell me whether it will rain in Graz on the morning of Monday next week"
    training = [Request("t0", "book a table for two"), Request("t1", words), Request("t2", words + " or not")]
    (leak,) = find_leaks([Request("x", words + " or")], training)
    assert (leak.earlier, leak.likeness > NEAR) == ("t2", True)
    (exact,) = find_leaks([Request("y", words.upper())], training)
    assert (exact.earlier, exact.likeness) == ("t1", 1.0)
    assert find_leaks([Request("z", "rain in Oslo")], training) == []
    assert find_leaks([Request("z", "rain")], []) == []


WORDS = ["rain", "sun", "snow", "graz", "oslo", "rome", "today", "now", "in", "the"]
TEXT = st.lists(st.sampled_from(WORDS), min_size=1, max_size=12)


@settings(max_examples=100, deadline=None)
@given(test=TEXT, training=st.lists(TEXT, max_size=8))
def test_the_index_misses_no_near_repeat_of_short_requests(test, training):
    query, known = " ".join(test), [" ".join(words) for words in training]
    expected = any(_likeness(_words(query), _words(text)) >= NEAR for text in known)
    found = find_leaks([Request("x", query)], [Request(str(n), text) for n, text in enumerate(known)])
    assert bool(found) == expected
