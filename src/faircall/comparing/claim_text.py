"""A declared claim in one line, for command lines: `en_kept: non_inferiority argument_f1 margin=0.02`.

claim   := id ":" kind [metric] option*
option  := ("margin" | "slice" | "family") "=" value      (a value with spaces stands in quotes)
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import Any, Final

from faircall.comparing.claims import read_claims
from faircall.comparing.scopes import OVERALL
from faircall.errors import UsageError
from faircall.records import HEADLINE

EXAMPLE: Final = 'for example --claim "en_kept: non_inferiority full_call_exact_match margin=0.02 slice=en"'
_OPTIONS: Final = ("margin", "slice", "family")


def parse_claim(text: str) -> dict[str, Any]:
    """The declaration that a line stands for, with every key of a config's claim: so their digests are equal.

    Raises:
        UsageError: it is no claim.
        ConfigError: it names a kind or metric that does not exist, or its margin is missing or too much.

    >>> claim = parse_claim("kept: non_inferiority argument_f1 margin=0.02 slice=en")
    >>> claim["kind"], claim["metric"], claim["margin"], claim["slice"]
    ('non_inferiority', 'argument_f1', 0.02, 'en')
    """
    name, colon, rest = text.partition(":")
    words = _split(rest, text)
    if not (name.strip() and colon and words):
        raise UsageError(f"not a claim: {text!r}", hint=EXAMPLE)
    plain = [word for word in words if "=" not in word]
    options = dict(_options([word for word in words if "=" in word], text))
    if len(plain) not in (1, 2) or words[: len(plain)] != plain:
        raise UsageError(f"not a claim: {text!r} (a kind, a metric, then options)", hint=EXAMPLE)
    claim = {
        "id": name.strip(),
        "metric": plain[1] if len(plain) == 2 else HEADLINE,
        "slice": options.get("slice", OVERALL),
        "kind": plain[0],
        "margin": options.get("margin"),
        "family": options.get("family"),
        "baseline": None,
        "candidate": None,
    }
    read_claims([claim])
    return claim


def _split(rest: str, text: str) -> list[str]:
    try:
        return shlex.split(rest)
    except ValueError:
        raise UsageError(f"a quote is not closed in the claim {text!r}", hint=EXAMPLE) from None


def _options(words: list[str], text: str) -> Iterator[tuple[str, Any]]:
    seen: set[str] = set()
    for word in words:
        name, _, value = word.partition("=")
        if name not in _OPTIONS or name in seen or not value:
            hint = f"each of {', '.join(_OPTIONS)} once; {EXAMPLE}"
            raise UsageError(f"{word!r} is no option of a claim in {text!r}", hint=hint)
        seen.add(name)
        yield name, _number(value, text) if name == "margin" else value


def _number(value: str, text: str) -> float:
    try:
        return float(value)
    except ValueError:
        raise UsageError(f"margin={value} is no number in the claim {text!r}", hint=EXAMPLE) from None
