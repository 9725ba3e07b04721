"""Foreign rows to examples: each row gives examples or one declared reason, and nothing is lost between."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from faircall.importing import from_openai, from_xlam
from faircall.importing.reasons import Reason, Refused
from faircall.importing.steps import Step
from faircall.records import Example

StepReader: TypeAlias = Callable[[Mapping[str, Any]], list[Step | Reason]]

READERS: Final[Mapping[str, StepReader]] = {"xlam": from_xlam.read_steps, "openai": from_openai.read_steps}


@dataclass(frozen=True, slots=True)
class Candidate:
    """An example, and where it came from. `group` is the id of its row: a conversation is never split up."""

    line: int
    group: str
    example: Example


@dataclass(frozen=True, slots=True)
class Rejected:
    """A row or step that is not used. `row_id` is given or derived; `example_id` names the step."""

    line: int
    row_id: str
    example_id: str
    reason: Reason


Outcome: TypeAlias = Candidate | Rejected


def read_rows(lines: Iterable[tuple[int, Any]], *, language: str, form: str = "auto") -> Iterator[Outcome]:
    """The outcome of every row, in order; a conversation with several calling steps has several.

    A row without an `id` (or `example_id`) is called `<language>-<line>`. A conversation with several calling
    steps gives `<id>:1`, `<id>:2`, and so on.

    Args:
        lines: line number and decoded value of each row.
        language: the language of the rows.
        form: xlam, openai, or auto (told row by row by its columns).

    >>> row = {"id": 7, "query": "Rain?", "answers": '[{"name": "wx", "arguments": {"city": "Graz"}}]'}
    >>> [candidate.example.gold for candidate in read_rows([(1, row)], language="en")]
    [ToolCall(name='wx', arguments={'city': 'Graz'})]
    """
    for line, row in lines:
        fallback = f"{language}-{line}"
        try:
            row_id = _row_id(row, fallback)
        except Refused as refusal:
            yield Rejected(line, fallback, fallback, refusal.reason)
            continue
        yield from _read_row(row, line=line, row_id=row_id, language=language, form=form)


def _read_row(row: Any, *, line: int, row_id: str, language: str, form: str) -> Iterator[Outcome]:
    try:
        if row.get("language", language) != language:
            raise Refused(Reason.LANGUAGE_DIFFERS)
        source = _text_id(row.get("source_example_id"), Reason.SOURCE_INVALID)
        steps = READERS[_form_of(row) if form == "auto" else form](row)
    except Refused as refusal:
        yield Rejected(line, row_id, row_id, refusal.reason)
        return
    for number, step in enumerate(steps, start=1):
        suffix = f":{number}" if len(steps) > 1 else ""
        if isinstance(step, Reason):
            yield Rejected(line, row_id, row_id + suffix, step)
        else:
            root = source + suffix if source is not None else None
            yield Candidate(line, row_id, _example(step, row_id + suffix, language=language, root=root))


def _example(step: Step, example_id: str, *, language: str, root: str | None) -> Example:
    return Example(
        example_id=example_id,
        gold=step.gold,
        tools=step.tools,
        language=language,
        source_example_id=root,
        query=step.query,
        messages=step.messages,
    )


def _row_id(row: Any, fallback: str) -> str:
    if not isinstance(row, Mapping):
        raise Refused(Reason.ROW_NOT_OBJECT)
    given = [
        _text_id(row[key], Reason.ID_INVALID) for key in ("example_id", "id") if row.get(key) is not None
    ]
    if len(set(given)) > 1:
        raise Refused(Reason.IDS_DIFFER)
    return given[0] if given and given[0] is not None else fallback


def _text_id(value: Any, reason: Reason) -> str | None:
    """An id as text; datasets number their rows, so integers are ids too."""
    if value is None or (isinstance(value, str) and value):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise Refused(reason)


def _form_of(row: Mapping[str, Any]) -> str:
    if "messages" in row:
        return "openai"
    if "answers" in row or "query" in row:
        return "xlam"
    raise Refused(Reason.FORM_UNKNOWN)
