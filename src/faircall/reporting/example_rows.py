"""The examples behind a report as compact JSON inside a page, with or without what people and models wrote.

Columns and small tables instead of objects: 10,000 examples cost little more than their texts. Offsets are in
UTF-16 units, the units of the page's own language.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from faircall.records import BINARY_METRIC_NAMES

TEXT_LIMIT: Final = 2_000_000
"""Characters of one text that a page holds; what is cut off is counted and stays in the stored result."""

EXTRA_ARGUMENT: Final = "(argument that the gold call lacks)"
OTHER_TOOL: Final = "(another tool)"

_UNSAFE: Final = re.compile("[<>&\u2028\u2029\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Answer:
    """What one arm answered to an example.

    Attributes:
        text: the raw text, untouched.
        status: the parse status.
        cause: why it is no full match, None when it is.
        span: the characters that were read, half open.
        right: 0 or 1 for each of `BINARY_METRIC_NAMES`.
        name: the name of the called tool, None without a call.
        pairs: the called arguments, path -> canonical value; None without a call, or with too many to list.
        flags: of `truncated`, `backend failed`, `trailing JSON`, those that apply.
    """

    text: str
    status: str
    cause: str | None
    span: tuple[int, int] | None
    right: tuple[int, ...]
    name: str | None
    pairs: Mapping[str, str] | None
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ExampleRow:
    """One example with its gold call and the answer of each arm, baseline first.

    Attributes:
        asked: the request or the prompt, None where it is not known.
        pairs: the gold arguments, path -> canonical value; None when there are too many to list.
        gold_text: the gold as JSON, where a protocol takes another form than one call.
    """

    example_id: str
    slices: tuple[str, ...]
    asked: str | None
    name: str
    pairs: Mapping[str, str] | None
    answers: tuple[Answer, ...]
    gold_text: str | None = None


class _Table:
    """Values by number, in order of first appearance."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def number(self, value: str) -> int:
        return self._numbers.setdefault(value, len(self._numbers))

    def values(self) -> list[str]:
        return list(self._numbers)


def pack_rows(rows: Sequence[ExampleRow], *, redacted: bool = False) -> dict[str, Any]:
    """The rows as nested arrays, as `report.js` unpacks them; redacted, no text of theirs is left.

    Returns:
        `slices`, `causes`, `statuses`, `metrics` (the tables that numbers in the rows mean) and `rows`:
        `[id, slices, asked, gold name, gold pairs, answers, gold text]`, an answer being
        `[text, characters, status, cause, span, right, name, changes, flags]`.
    """
    slices, causes, statuses = _Table(), _Table(), _Table()
    packed = [
        [
            row.example_id,
            [slices.number(name) for name in row.slices],
            None if redacted else _cut(row.asked),
            row.name,
            _gold_pairs(row.pairs, redacted),
            [_pack_answer(row, answer, causes, statuses, redacted=redacted) for answer in row.answers],
            None if redacted else _cut(row.gold_text),
        ]
        for row in rows
    ]
    return {
        "redacted": redacted,
        "text_limit": TEXT_LIMIT,
        "metrics": list(BINARY_METRIC_NAMES),
        "slices": slices.values(),
        "causes": causes.values(),
        "statuses": statuses.values(),
        "rows": packed,
    }


def _pack_answer(
    row: ExampleRow, answer: Answer, causes: _Table, statuses: _Table, *, redacted: bool
) -> list[Any]:
    return [
        None if redacted else _cut(answer.text),
        len(answer.text),
        statuses.number(answer.status),
        -1 if answer.cause is None else causes.number(answer.cause),
        None if answer.span is None or redacted else _utf16_span(answer.text, answer.span),
        sum(bit << place for place, bit in enumerate(answer.right)),
        _tool_name(row.name, answer.name, redacted),
        None if answer.pairs is None or row.pairs is None else _changes(row.pairs, answer.pairs, redacted),
        list(answer.flags),
    ]


def _tool_name(gold: str, called: str | None, redacted: bool) -> str | None:
    return OTHER_TOOL if redacted and called not in (gold, None) else called


def _gold_pairs(pairs: Mapping[str, str] | None, redacted: bool) -> list[Any] | None:
    if pairs is None:
        return None
    return [[path, None if redacted else readable(value)] for path, value in pairs.items()]


def _changes(gold: Mapping[str, str], called: Mapping[str, str], redacted: bool) -> list[Any]:
    """`[path, value]` where the call differs from the gold call; value 0 where the call lacks the path."""
    if redacted:
        changed = [[path, None if path in called else 0] for path in gold if called.get(path) != gold[path]]
        return changed + [[EXTRA_ARGUMENT, None] for path in called if path not in gold]
    changed = [
        [path, readable(called[path]) if path in called else 0]
        for path in gold
        if called.get(path) != gold[path]
    ]
    return changed + [[path, readable(value)] for path, value in called.items() if path not in gold]


def readable(canonical: str) -> str:
    r"""A canonical value with its letters instead of their escapes; everything else stays as it is.

    >>> print(readable('"Z\\u00fcrich\\n"'), readable("1.0"))
    "Zürich\n" 1.0
    """
    if not canonical.startswith('"') or "\\u" not in canonical:
        return canonical
    return json.dumps(json.loads(canonical), ensure_ascii=False)


def _cut(text: str | None) -> str | None:
    return text if text is None or len(text) <= TEXT_LIMIT else text[:TEXT_LIMIT]


def _utf16_span(text: str, span: tuple[int, int]) -> list[int]:
    if text.isascii():
        return list(span)
    before = _utf16_length(text[: span[0]])
    return [before, before + _utf16_length(text[span[0] : span[1]])]


def _utf16_length(text: str) -> int:
    return len(text) + sum(character > "\uffff" for character in text)


def script_json(value: Any) -> str:
    r"""JSON that may stand inside a `<script>` element: nothing in it can end the element or the line.

    >>> print(script_json(["</script>\u2028", "\ud800é"]))
    ["\u003c/script\u003e\u2028","\ud800é"]
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return _UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
