"""One-line signatures of a result, in the manner of sacreBLEU (Post 2018), that parse back.

`metric|key:value|key:value`: the metric stands first and bare; every other field is named. Metric and
values are percent-encoded, so no value can break the line or forge a field.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import quote, unquote

from faircall.errors import UsageError

_KEY = re.compile(r"[a-z][a-z0-9_]*\Z")
_PLAIN = ",+=@/*"


def format_signature(fields: Mapping[str, object]) -> str:
    """The signature of `fields`, in their order after `metric`, which is required; values become text.

    >>> format_signature({"metric": "full_call_exact_match", "d": "adapter-base", "n": 1000, "treat": "a|b"})
    'full_call_exact_match|d:adapter-base|n:1000|treat:a%7Cb'
    """
    if not str(fields.get("metric", "")):
        raise UsageError("a signature starts with its metric", hint='give the field "metric"')
    named = [f"{_checked(key)}:{_encode(value)}" for key, value in fields.items() if key != "metric"]
    return "|".join([_encode(fields["metric"]), *named])


def parse_signature(text: str) -> dict[str, str]:
    """The fields of a signature as text, `metric` first.

    Raises:
        UsageError: a field without a name, a name that is not one, or a name that is repeated.

    >>> parse_signature("full_call_exact_match|n:1000|treat:a%7Cb")
    {'metric': 'full_call_exact_match', 'n': '1000', 'treat': 'a|b'}
    """
    metric, *named = text.strip().split("|")
    if not metric:
        raise UsageError("a signature starts with its metric", hint="copy the whole line")
    fields = {"metric": _decode(metric)}
    for field in named:
        key, colon, value = field.partition(":")
        if not colon or _checked(key) in fields:
            raise UsageError(f"not a signature field, or a repeated one: {field!r}", hint="use key:value")
        fields[key] = _decode(value)
    return fields


def _checked(key: str) -> str:
    if not _KEY.match(key):
        raise UsageError(f"not a signature key: {key!r}", hint="lower-case letters, digits and underscores")
    return key


def _encode(value: object) -> str:
    return quote(str(value), safe=_PLAIN, errors="surrogatepass")


def _decode(text: str) -> str:
    return unquote(text, errors="surrogatepass")
