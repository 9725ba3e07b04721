"""Rows `query` / `tools` / `answers`, as the xLAM function-calling data have them.

`tools` and `answers` are lists, or JSON text of lists. `answers` holds `{"name": ..., "arguments": {...}}`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from faircall.importing.calls import decode_text, make_call, read_arguments, read_tools
from faircall.importing.reasons import Reason, Refused
from faircall.importing.steps import Step
from faircall.records import ToolCall


def read_steps(row: Mapping[str, Any]) -> list[Step | Reason]:
    """The one step of a row.

    Raises:
        Refused: the row cannot be used.
    """
    gold = _read_answers(row)
    tools = read_tools(row.get("tools"))
    query = row.get("query")
    if query is not None and not isinstance(query, str):
        raise Refused(Reason.QUERY_INVALID)
    messages = None if query is None else ({"role": "user", "content": query},)
    return [Step(gold=gold, tools=tools, query=query, messages=messages)]


def _read_answers(row: Mapping[str, Any]) -> ToolCall:
    if "answers" not in row:
        raise Refused(Reason.ANSWERS_MISSING)
    answers = row["answers"]
    was_text = isinstance(answers, str)
    if was_text:
        answers = decode_text(answers, broken=Reason.ANSWERS_NOT_JSON, repeated=Reason.ANSWERS_REPEAT_KEY)
    if not isinstance(answers, list):
        raise Refused(Reason.ANSWERS_NOT_LIST)
    if len(answers) != 1:
        raise Refused(Reason.MULTI_CALL if answers else Reason.NO_CALL)
    call = answers[0]
    if not isinstance(call, Mapping) or call.keys() != {"name", "arguments"}:
        raise Refused(Reason.CALL_SHAPE)
    return make_call(call["name"], read_arguments(call["arguments"], may_be_text=not was_text))
