"""Requests that repeat each other, exactly or nearly, within a file or from training into a test."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from faircall.importing.prepare import normalise_query

NEAR: Final = 0.85
"""Share of common words (intersection over union) from which two requests are near repeats."""
_RAREST: Final = 4
_WORD: Final = re.compile(r"\w+")


class Request(NamedTuple):
    """One request: its id and its text."""

    row_id: str
    query: str


class Repeat(NamedTuple):
    """`row_id` repeats `earlier`; `likeness` is 1.0 when they are equal after normalisation."""

    row_id: str
    earlier: str
    likeness: float


def find_repeats(requests: Sequence[Request]) -> list[Repeat]:
    """Requests that equal an earlier one of the same file after normalisation.

    >>> find_repeats([Request("a", "Rain in Graz?"), Request("b", "rain  in graz?")])
    [Repeat(row_id='b', earlier='a', likeness=1.0)]
    """
    first: dict[str, str] = {}
    found = []
    for request in requests:
        earlier = first.setdefault(normalise_query(request.query), request.row_id)
        if earlier != request.row_id:
            found.append(Repeat(request.row_id, earlier, 1.0))
    return found


def find_leaks(test: Sequence[Request], training: Sequence[Request]) -> list[Repeat]:
    """Test requests that training holds, exactly or with `NEAR` of the words in common; the likest one each.

    Only training requests that share one of a test request's rarest words are looked at.
    """
    known = [(request.row_id, _words(request.query)) for request in training]
    exact = {normalise_query(request.query): request.row_id for request in reversed(training)}
    holders = _holders([words for _, words in known])
    leaks = (_likest(request, known, exact, holders) for request in test)
    return [leak for leak in leaks if leak is not None]


def _likest(
    request: Request,
    known: Sequence[tuple[str, frozenset[str]]],
    exact: Mapping[str, str],
    holders: Mapping[str, Sequence[int]],
) -> Repeat | None:
    same = exact.get(normalise_query(request.query))
    if same is not None:
        return Repeat(request.row_id, same, 1.0)
    words = _words(request.query)
    candidates = sorted(set(_candidates(words, holders)))
    scored = [(_likeness(words, known[place][1]), -place) for place in candidates]
    likeness, place = max(scored, default=(0.0, 0))
    return Repeat(request.row_id, known[-place][0], round(likeness, 4)) if likeness >= NEAR else None


def _candidates(words: frozenset[str], holders: Mapping[str, Sequence[int]]) -> Iterator[int]:
    """Requests that hold one of the rarest known words; a near repeat lacks few words, so it holds one."""
    shared = sorted((word for word in words if word in holders), key=lambda word: (len(holders[word]), word))
    for word in shared[:_RAREST]:
        yield from holders[word]


def _holders(texts: Sequence[frozenset[str]]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for place, words in enumerate(texts):
        for word in words:
            found.setdefault(word, []).append(place)
    return found


def _words(query: str) -> frozenset[str]:
    return frozenset(_WORD.findall(normalise_query(query)))


def _likeness(left: frozenset[str], right: frozenset[str]) -> float:
    union = len(left | right)
    return len(left & right) / union if union else 0.0


def share_of_known_tools(test: Sequence[str], training: Sequence[str]) -> dict[str, int]:
    """How many test rows, and how many distinct test tools, have a gold tool that training calls, too.

    >>> share_of_known_tools(["a", "a", "b"], ["a"])
    {'rows': 2, 'of_rows': 3, 'tools': 1, 'of_tools': 2}
    """
    known = set(training)
    by_tool = Counter(test)
    return {
        "rows": sum(count for tool, count in by_tool.items() if tool in known),
        "of_rows": len(test),
        "tools": sum(tool in known for tool in by_tool),
        "of_tools": len(by_tool),
    }
