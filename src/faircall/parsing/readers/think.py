"""`think.v1` and `think_until_call.v1`: take the thought away, hand the rest to the next reader."""

from __future__ import annotations

import re
from typing import Final

from faircall.parsing.readers.protocol import Cut, Front, ReadingInput
from faircall.parsing.span import first_bracket

OPEN: Final = "<think>"
CLOSE: Final = "</think>"
CALL: Final = "<tool_call>"
_END_OR_CALL: Final = re.compile(f"{CLOSE}|{CALL}")
_NEVER_OPENED: Final = Cut(reason="unopened_reasoning")


def cut_thought(given: ReadingInput) -> Cut:
    """The thought ends at the first `</think>`.

    >>> cut_thought(ReadingInput("<think>hm</think>x")).start
    17
    >>> cut_thought(ReadingInput("hm", prompt="<think>")).reason
    'unclosed_reasoning'
    """
    begin = _find_thought(given)
    if begin is None:
        return _without_thought(given)
    end = given.text.find(CLOSE, begin)
    if end < 0:
        return Cut(thought=(begin, len(given.text)), reason="unclosed_reasoning")
    return Cut(start=end + len(CLOSE), thought=(begin, end))


def cut_thought_or_call(given: ReadingInput) -> Cut:
    """The thought ends at the first `</think>` or `<tool_call>`; the call belongs to the rest.

    >>> cut_thought_or_call(ReadingInput("<think>hm<tool_call>")).start
    9
    """
    begin = _find_thought(given)
    if begin is None:
        return _without_thought(given)
    end = _END_OR_CALL.search(given.text, begin)
    if end is None:
        return Cut(thought=(begin, len(given.text)), reason="unclosed_reasoning")
    return Cut(start=end.start() if end[0] == CALL else end.end(), thought=(begin, end.start()))


def _find_thought(given: ReadingInput) -> int | None:
    """Where the thought begins: at once when the prompt ends by opening it, else behind the text's `<think>`.

    A `<think>` behind the first bracket or call is not one: it stands in an argument.
    """
    if given.prompt is not None and given.prompt.rstrip().endswith(OPEN):
        return 0
    start = given.text.find(OPEN)
    if start < 0 or first_bracket(given.text[:start]) is not None or CALL in given.text[:start]:
        return None
    return start + len(OPEN)


def _without_thought(given: ReadingInput) -> Cut:
    """Everything is the rest, unless a thought ends that only an unknown prompt can have opened."""
    return _NEVER_OPENED if given.prompt is None and CLOSE in given.text else Cut()


FRONT: Final = Front(
    name="think.v1",
    summary="the thought ends at the first </think>; the next reader takes the rest",
    cut=cut_thought,
    knows=frozenset((OPEN, CLOSE)),
    example="<think>\nThe city is Graz.\n</think>\n\n",
)
FRONT_UNTIL_CALL: Final = Front(
    name="think_until_call.v1",
    summary="the thought ends at the first </think> or <tool_call>; the next reader takes the rest",
    cut=cut_thought_or_call,
    knows=frozenset((OPEN, CLOSE)),
    example="<think>\nThe city is Graz.\n</think>\n\n",
)
