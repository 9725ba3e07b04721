"""Where two answers part: laws, units and what counts as the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faircall.generating.backend import BackendRequest, Decoding, ModelSettings
from faircall.generating.repeating.divergence import locate_divergence, same_answer
from faircall.records import Generation
from generating import moody_backend

REQUEST = BackendRequest(ModelSettings("m"), Decoding(8))
TOKENS, TEXTS = moody_backend.Spelling(REQUEST), moody_backend.Even(REQUEST)


def said(text, **facts):
    return Generation("a", text, **facts)


@given(st.text(max_size=8), st.text(max_size=8), st.text(max_size=8))
@pytest.mark.parametrize("backend", [TOKENS, TEXTS])
def test_up_to_the_place_both_agree_and_there_they_do_not(backend, stem, one, other):
    first, again = said(stem + one), said(stem + other)
    found = locate_divergence(first, again, backend=backend)
    if one == other:
        assert found is None
        return
    texts = first.raw_text, again.raw_text
    assert texts[0][: found.index] == texts[1][: found.index]
    assert texts[0][found.index : found.index + 1] != texts[1][found.index : found.index + 1]
    assert found.index >= len(stem)
    back = locate_divergence(again, first, backend=backend)
    assert (back.first, back.again, back.index) == (found.again, found.first, found.index)


def test_tokens_have_numbers_and_characters_have_none():
    by_token = locate_divergence(said("abc"), said("abd"), backend=TOKENS).to_dict()
    assert by_token == {
        "unit": "token", "index": 2, "first": {"id": 99, "text": "c"}, "again": {"id": 100, "text": "d"},
    }  # fmt: skip
    by_character = locate_divergence(said("abc"), said("ab"), backend=TEXTS).to_dict()
    assert by_character == {
        "unit": "character", "index": 2, "first": {"id": None, "text": "c"}, "again": None,
    }  # fmt: skip


def test_another_end_of_the_same_text_is_another_answer_that_parts_nowhere():
    first, again = said("x", finish_reason="stop"), said("x", finish_reason="length")
    assert not same_answer(first, again)
    assert locate_divergence(first, again, backend=TOKENS) is None


def test_calls_of_a_servers_message_are_compared_without_their_ids():
    def called(number, city):
        function = {"name": "wx", "arguments": f'{{"city": "{city}"}}'}
        return said("", message={"content": None, "tool_calls": [{"id": number, "function": function}]})

    assert same_answer(called("c-1", "Graz"), called("c-2", "Graz"))
    assert not same_answer(called("c-1", "Graz"), called("c-1", "Oslo"))
    assert locate_divergence(called("c-1", "Graz"), called("c-1", "Oslo"), backend=TEXTS).unit == "character"
