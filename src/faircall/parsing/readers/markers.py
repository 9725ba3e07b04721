"""The marks that call protocols leave in a text, and the notice when a reader meets unknown ones."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from faircall.parsing.readers.protocol import Reader, ReadingInput
from faircall.strict_json.groups import in_groups

NOTICE_SHARE: Final = 0.05
"""A notice is given when more than this share of the rows carries a marker that the reader does not know."""

_LITERAL: Final = (
    "<think>", "</think>", "<tool_call>", "<function=", "<|python_tag|>", "[TOOL_CALLS]", "[ARGS]",
    "to=functions.",
)  # fmt: skip
_PATTERNS: Final = {
    "[f(": re.compile(r"\s*\[[^\W\d][\w.]*\("),
    "parameters": re.compile(r'\s*\{\s*"name"\s*:\s*"[^"]*"\s*,\s*"parameters"\s*:'),
}
_BRACKETED: Final = tuple(marker.removeprefix("[") for marker in _LITERAL if marker.startswith("["))
_NO_MARKS: Final[frozenset[str]] = frozenset()
THOUGHT: Final = frozenset(("<think>", "</think>"))
_CALL_MARKUP: Final = tuple(marker for marker in _LITERAL if marker not in THOUGHT and marker != "[ARGS]")

# The reader of a protocol, by the marks that tell it, the most telling first.
_PROTOCOLS: Final = (
    ("openai_chat.native.v1", frozenset(("message.tool_calls",))),
    ("openai_responses.native.v1", frozenset(("message.function_call",))),
    ("anthropic.native.v1", frozenset(("message.tool_use",))),
    ("qwen3_xml.v1", frozenset(("<tool_call>", "<function="))),
    ("hermes.v1", frozenset(("<tool_call>",))),
    ("mistral_args.v1", frozenset(("[TOOL_CALLS]", "[ARGS]"))),
    ("mistral.v1", frozenset(("[TOOL_CALLS]",))),
    ("harmony.v1", frozenset(("to=functions.",))),
    ("llama3_json.v1", frozenset(("<|python_tag|>",))),
    ("llama3_json.v1", frozenset(("parameters",))),
    ("pythonic.v1", frozenset(("[f(",))),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Notice:
    """That `rows` of `total` rows carry markers that the reader does not know, and which reader to try."""

    markers: tuple[str, ...]
    rows: int
    total: int
    reader: str
    suggestion: str

    def text(self, command: str = "faircall score FILE") -> str:
        """One line for people, with the exact command to try.

        >>> Notice(("[ARGS]",), 9, 10, "m.v1", "mistral_args.v1").text("faircall score")
        '9 of 10 rows carry [ARGS], which m.v1 does not know; try: faircall score --reader mistral_args.v1'
        """
        marks = " ".join(self.markers)
        found = f"{self.rows} of {self.total} rows carry {marks}, which {self.reader} does not know; "
        if self.suggestion == self.reader:  # no protocol is told by these marks alone
            return f"{found}no reader is sure to; see what each finds: faircall readers explain FILE"
        return f"{found}try: {command} --reader {self.suggestion}"


def markers_in(given: ReadingInput) -> frozenset[str]:
    """The marks that stand in a text and in the structured fields of its message.

    >>> sorted(markers_in(ReadingInput("<think>so</think> [TOOL_CALLS]")))
    ['</think>', '<think>', '[TOOL_CALLS]']
    """
    if given.message is None and not _may_carry_marks([given.text]):
        return _NO_MARKS
    found = {marker for marker in _LITERAL if marker in given.text}
    found.update(name for name, pattern in _PATTERNS.items() if pattern.match(given.text))
    return frozenset(found | _structural(given.message))


def has_call_markup(text: str) -> bool:
    """Whether a text carries a mark that opens a call in some protocol.

    >>> has_call_markup("see <tool_call>")
    True
    """
    return any(marker in text for marker in _CALL_MARKUP) or any(p.match(text) for p in _PATTERNS.values())


def notice_unknown(reader: Reader, inputs: Sequence[ReadingInput]) -> Notice | None:
    """The notice for `inputs` under `reader`; None when at most `NOTICE_SHARE` of them call for it."""
    return notice_of(reader, count_marks(inputs))


def count_marks(inputs: Sequence[ReadingInput]) -> Counter[frozenset[str]]:
    """How many inputs carry which marks; counts of several parts of a file add up."""
    if all(given.message is None for given in inputs):
        return count_text_marks([given.text for given in inputs])
    return Counter(map(markers_in, inputs))


def count_text_marks(texts: Sequence[str]) -> Counter[frozenset[str]]:
    """`count_marks` of texts alone.

    >>> count_text_marks(["Sunny.", "[TOOL_CALLS]"])[frozenset()]
    1
    """
    seen: Counter[frozenset[str]] = Counter()
    for group in in_groups(texts):
        if _may_carry_marks(group):
            seen.update(markers_in(ReadingInput(text)) for text in group)
        else:
            seen[_NO_MARKS] += len(group)
    return seen


def _may_carry_marks(texts: Sequence[str]) -> bool:
    """Whether some text may carry a marker. Most hold none, which a few searches tell."""
    joined = "\n".join(texts)
    if "<" in joined or ("=" in joined and "to=functions." in joined):
        return True
    at = joined.find("[")
    while at >= 0:
        if joined.startswith(_BRACKETED, at + 1):
            return True
        at = joined.find("[", at + 1)
    opened = "\n".join([text for text in texts if not text[:1].isalpha()])  # what the patterns may match
    return "(" in opened or '"parameters"' in opened


def notice_of(reader: Reader, seen: Counter[frozenset[str]]) -> Notice | None:
    """`notice_unknown` from counts."""
    strange = {marks: count for marks, count in seen.items() if marks - reader.knows}
    rows = sum(strange.values())
    if not rows or rows <= NOTICE_SHARE * seen.total():
        return None
    named: Counter[str] = Counter()
    for marks, count in strange.items():
        named.update(dict.fromkeys(sorted(marks - reader.knows), count))
    markers = tuple(mark for mark, _ in named.most_common())
    return Notice(markers, rows, seen.total(), reader.name, _suggest(reader, strange))


def _suggest(reader: Reader, seen: Mapping[frozenset[str], int]) -> str:
    """The reader for most of the rows; thoughts are taken away before a text reader."""
    votes: Counter[str] = Counter()
    for marks, count in seen.items():
        if name := _protocol_of(marks):
            votes[name] += count
    last = votes.most_common(1)[0][0] if votes else reader.name.rpartition("+")[2]
    thinks = any(marks & THOUGHT for marks in seen) or "think" in reader.name
    return f"think.v1+{last}" if thinks and ".native." not in last else last


def _protocol_of(marks: frozenset[str]) -> str | None:
    return next((name for name, needed in _PROTOCOLS if needed <= marks), None)


def _structural(message: Any) -> set[str]:
    """Which structured fields of a server's message hold a call."""
    if isinstance(message, Mapping):
        items = [message, *_list(message.get("output")), *_list(message.get("content"))]
        calls = {"message.tool_calls"} if message.get("tool_calls") or message.get("function_call") else set()
    else:
        items, calls = _list(message), set()
    kinds = [item.get("type") for item in items if isinstance(item, Mapping)]
    return calls | {f"message.{kind}" for kind in ("function_call", "tool_use") if kind in kinds}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
