"""The strict JSON reader: RFC 8259, D1 to D4, two tiers that agree."""

import json
import random
import sys
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from faircall.strict_json import (
    JsonFault,
    decode,
    decode_at,
    decode_strictly,
    has_unique_keys,
    is_cut_off,
    walk,
)


def outcome(reader, text):
    try:
        return reader(text)
    except JsonFault as fault:
        return fault.reason


def both_tiers(text):
    fast, strict = outcome(lambda t: decode_at(t, 0), text), outcome(lambda t: decode_strictly(t, 0), text)
    assert repr(fast) == repr(strict)
    return fast if isinstance(fast, str) else fast[0]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[NaN]", "bad_json"),
        ("[-Infinity]", "bad_json"),
        ("[+1]", "bad_json"),
        ("[01]", "bad_json"),
        ("[1.]", "bad_json"),
        ("[.5]", "bad_json"),
        ("[1e]", "bad_json"),
        ("[-]", "bad_json"),
        ("[1,]", "bad_json"),
        ("[,1]", "bad_json"),
        ("[1 2]", "bad_json"),
        ('{"a" 1}', "bad_json"),
        ('{"a":}', "bad_json"),
        ('{"a":1,}', "bad_json"),
        ("{1:2}", "bad_json"),
        ("{'a':1}", "bad_json"),
        ("[/* c */1]", "bad_json"),
        ('["\\x"]', "bad_json"),
        ('["\\u12G4"]', "bad_json"),
        ('["\\u 123"]', "bad_json"),
        ("[True]", "bad_json"),
        ("[1\u00a0]", "bad_json"),
        ("[\u0661]", "bad_json"),
        ("[1\x0c]", "bad_json"),
        *((f'["a{chr(code)}b"]', "bad_json") for code in range(32)),
        ("[1", "unbalanced"),
        ("[1}", "unbalanced"),
        ('["a]', "unbalanced"),
        ('["a\\', "unbalanced"),
        ('{"a":1,"a":2}', "duplicate_key"),
        ('[{"q":1,"\\u0071":2}]', "duplicate_key"),
        ('{"a":1,"a":2,}', "bad_json"),
        ("[1e400]", "limit"),
        ("[-1e400]", "limit"),
        ("[1e400", "limit"),
        ("[1e400,]", "limit"),
        ("[" + "9" * 400 + ".0]", "limit"),
        ("[" + "9" * 1001 + "]", "limit"),
        ("[-" + "9" * 1001 + "]", "limit"),
        ("[" + "9" * 1001, "limit"),
        ("[" * 257 + "]" * 257, "limit"),
        ("[" * 257, "limit"),
        ('{"a":' * 257, "limit"),
    ],
)
def test_a_fault_has_its_reason(text, reason):
    assert both_tiers(text) == reason


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("[" + "9" * 1000 + "]", [int("9" * 1000)]),
        ('["' + "9" * 2000 + '"]', ["9" * 2000]),
        ('["1e999"]', ["1e999"]),
        ("[0e999, 1e-999]", [0.0, 0.0]),
        ("[1.7976931348623157e308]", [sys.float_info.max]),
        ("[9007199254740993]", [9007199254740993]),
        (
            '["\\ud83d", "\\ud83d\\ude00", "\\ude00\\ud83d"]',
            ["\ud83d", "\U0001f600", "\ude00\ud83d"],
        ),
        ('["\x7f\u2028\u00a0"]', ["\x7f\u2028\u00a0"]),
        ('{\n\t"a"\r: {} }', {"a": {}}),
        ('["\\"\\\\\\/\\b\\f\\n\\r\\t"]', ['"\\/\b\f\n\r\t']),
    ],
)
def test_what_json_allows_is_read(text, value):
    assert both_tiers(text) == value


def test_numbers_keep_their_type_and_sign():
    assert repr(both_tiers("[1, 1.0, 1e2, -0, -0.0, 1E+2]")) == "[1, 1.0, 100.0, 0, -0.0, 100.0]"


def test_depth_256_is_read():
    value = both_tiers("[" * 256 + "]" * 256)
    depth = 0
    while value:
        value, depth = value[0], depth + 1
    assert depth == 255


def test_a_long_integer_is_exact_under_the_lowest_digit_limit():
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(640)
    try:
        read = decode("[" + "7" * 1000 + ",-" + "1" * 700 + "]")
    finally:
        sys.set_int_max_str_digits(before)
    assert read == [int("7" * 1000), -int("1" * 700)]


def test_a_whole_text_may_be_any_value_and_nothing_more():
    assert decode(' "a" ') == "a"
    assert decode("-12") == -12
    assert decode("null") is None
    for text in ("", " ", "1 2", "[] []", "\ufeff[]", "tru", '"a'):
        assert outcome(decode, text) == "bad_json"
    assert outcome(decode, "9" * 1001) == "limit"
    assert outcome(decode, "-1e400") == "limit"


def test_the_fault_says_where():
    with pytest.raises(JsonFault) as caught:
        decode('{"a": 1, "a": 2}')
    assert caught.value.offset == 10


def test_the_walk_ends_at_balance_mismatch_or_text_end():
    assert walk('x{"}": [1]} ]', 1) == (11, None)
    assert walk("[}", 0) == (1, "unbalanced")
    assert walk('["]', 0) == (3, "unbalanced")


CUT = [
    '{"name": "f", "arguments": {"a": [{"b": {}}, "]}", -1.5e3, 12], "c\\\\": "\\"{"}}',
    '{"a":' * 300,
    '{"a": 1e400, "b": {',
]


@pytest.mark.parametrize("text", CUT)
def test_what_is_seen_to_be_cut_off_is_what_the_walk_calls_unbalanced(text):
    found = [is_cut_off(text[:end], 0) for end in range(1, len(text) + 1)]
    for end, cut_off in enumerate(found, start=1):
        assert not cut_off or walk(text[:end], 0) == (end, "unbalanced")
    assert found[0]
    assert not found[-1]


def test_most_of_what_is_cut_off_is_seen_at_once():
    assert sum(is_cut_off(CUT[0][:end], 0) for end in range(1, len(CUT[0]))) > 40


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet=st.sampled_from('{}[]",:\\ a1.e'), max_size=40))
def test_nothing_balanced_is_ever_seen_as_cut_off(text):
    if is_cut_off("{" + text, 0):
        assert walk("{" + text, 0) == (len(text) + 1, "unbalanced")


def test_looking_for_a_cut_takes_linear_time():
    def seconds(count):
        text = '{"a":[' * 150 + '{"b":[{},' * count
        start = time.process_time()
        is_cut_off(text, 0)
        return time.process_time() - start

    assert seconds(200_000) < 2


@pytest.mark.parametrize(
    ("text", "unique"),
    [
        ('{"a": "x:y", "b:": {"c": [{"d": ":"}]}}', True),
        ('{"a": 1, "a": 1}', False),
        ('{"a": {"b": 1, "b": 2}}', False),
        ('{"a": 1, "\\u0061": 1}', False),
        ('{"a": ":", "a": 1}', False),
        ('{"a": 1, "a": "\\u003a"}', False),  # one colon more in what is kept, one member lost
        ('{"a": "\\u003a"}', False),  # not sure
        ("[1, 2]", True),
    ],
)
def test_keys_are_unique_where_no_colon_is_lost(text, unique):
    assert has_unique_keys(text, json.loads(text)) == unique


def test_a_deep_caller_still_gets_an_answer():
    text = '{"a":' * 200 + "1" + "}" * 200

    def at_depth(levels):
        return decode(text) if levels == 0 else at_depth(levels - 1)

    margin = 60
    used = len(__import__("inspect").stack(0))
    assert at_depth(sys.getrecursionlimit() - used - margin) == decode(text)


@pytest.mark.parametrize("unit", ["[", '{"a":'])
def test_a_raised_recursion_limit_does_not_break_the_stack(unit):
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(1_000_000)
    try:
        reason = outcome(decode, unit * 400_000)
    finally:
        sys.setrecursionlimit(before)
    assert reason == "limit"


def test_many_shallow_brackets_are_read_as_by_the_strict_tier():
    text = "[" + ",".join(['{"a": [1, "["]}'] * 300) + "]"
    assert both_tiers(text) == [{"a": [1, "["]}] * 300


def test_reading_many_values_out_of_one_text_is_linear():
    def seconds(count):
        text, start = '{"a": 1}' * count, 0
        begin = time.process_time()
        while start < len(text):
            _, start = decode_at(text, start)
        return time.process_time() - begin

    assert seconds(20_000) < 10 * max(min(seconds(5_000) for _ in range(2)), 0.01)


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=100, deadline=None)
@given(json_values, st.booleans(), st.sampled_from([None, 2]))
def test_what_python_writes_is_read_back(value, ascii_only, indent):
    text = json.dumps([value], ensure_ascii=ascii_only, indent=indent)
    assert repr(both_tiers(text)) == repr([value])


def test_both_tiers_agree_on_mutated_texts():
    rng = random.Random(20260301)
    seed = '{"name": "f", "arguments": {"a": [1, -2.5e3, null, true], "b": "x\\n\\ud83d}", "c": {}}}'
    alphabet = '{}[],:"\\ \n\t0159.eE+-truefalsn\u00a0a'
    for _ in range(4000):
        text = list(seed)
        for _ in range(rng.randint(1, 4)):
            at = rng.randrange(len(text))
            text[at : at + rng.randint(0, 2)] = rng.choices(alphabet, k=rng.randint(0, 2))
        both_tiers("".join(text)) if "".join(text) else None


@pytest.mark.parametrize(
    "unit",
    [
        "[",
        '{"a":',
        "9",
        "9.",
        "1e",
        '"',
        "\\",
        "1,",
        '"\\u1234",',
        "-",
        " ",
        "9" * 1000 + "a",
        '{"a":1},',
        "tr",
    ],
)
def test_time_is_linear_in_the_text(unit):
    def seconds(length):
        text = "[" + unit * (length // len(unit))
        start = time.process_time()
        outcome(decode, text)
        return time.process_time() - start

    seconds(1000)
    assert seconds(400_000) < 20 * max(min(seconds(100_000) for _ in range(2)), 0.01)


@pytest.mark.parametrize(
    "text",
    [
        '{"a":1,"a" :2}',
        '{"a":{"b":1,"b":2},"c":":"}',
        r'{"a\\":1,"a\\":2}',
        r'{"\":":1,"\":":2}',
        r'{"k":"\":","k":1}',
        r'{"\u0061":1,"a":2}',
        '[{"a":1},{"a":1,"a":1}]',
    ],
)
def test_no_spelling_of_a_repeated_key_passes_the_fast_tier(text):
    with pytest.raises(JsonFault, match="duplicate_key"):
        decode(text)


@pytest.mark.parametrize(
    "text", ['{"a":"x:y","b":"\\":","c":{"d":[{"e":1},{"e":":"}]}}', r'{"\\":1}', '[{},{"a":{}}]']
)
def test_colons_inside_strings_hide_no_value(text):
    assert decode(text) == json.loads(text)


def test_the_walk_is_linear_where_nothing_opens_or_closes():
    assert walk("{" + "x" * 300_000, 0) == (300_001, "unbalanced")
