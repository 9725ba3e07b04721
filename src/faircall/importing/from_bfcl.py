"""BFCL: questions with their accepted values (gold), and result files (answers)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from faircall.importing.bfcl_answers import (
    OMITTED,
    accepted_form,
    holds_answers,
    may_be_omitted,
    required_arguments,
)
from faircall.importing.foreign import Fault, Importer, identifier, last_query, message_list
from faircall.importing.reasons import Reason


def recognises_question(value: Any) -> bool:
    """A question in turns, with its functions."""
    return isinstance(value, Mapping) and {"question", "function"} <= value.keys()


def read_question(value: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """One question; `ground_truth` is joined from the file of possible answers by id beforehand.

    `accepted` holds the accepted values for `accepted_values.v1`; `gold` is one call that they accept.
    """
    row_id = identifier(value)
    turns = value["question"]
    if not isinstance(turns, list) or len(turns) != 1:
        raise Fault("the question has several turns", row_id=row_id)
    messages = message_list(turns[0], what="the question")
    tools = message_list(value["function"], what="function")
    row = {
        "id": row_id,
        "messages": messages,
        "query": last_query(messages),
        "tools": tools,
    }
    if "irrelevance" in (row_id or ""):
        yield {**row, "should_call_tool": False}
        return
    name, accepted = _only_truth(value.get("ground_truth"))
    required = required_arguments(name, tools or ())
    gold = {"name": name, "arguments": first_accepted(accepted, required)}
    form = accepted_form(name, accepted, tools)
    yield {**row, "should_call_tool": True, "gold": gold, "accepted": form}


def recognises_result(value: Any) -> bool:
    """A line of a result file."""
    return isinstance(value, Mapping) and {"id", "result"} <= value.keys() and "question" not in value


def read_result(value: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """One answer: text as the model wrote it, or calls that a handler took from the server."""
    result = value["result"]
    row_id = identifier(value)
    if isinstance(result, str):
        yield {"id": row_id, "raw_text": result}
    elif isinstance(result, list) and all(isinstance(call, Mapping) and len(call) == 1 for call in result):
        calls = [{"type": "function", "function": _function(call)} for call in result]
        yield {"id": row_id, "message": {"role": "assistant", "content": None, "tool_calls": calls}}
    else:
        raise Fault("the result is neither text nor a list of calls", row_id=row_id)


def first_accepted(accepted: Mapping[str, Any], required: Collection[str] = ()) -> dict[str, Any]:
    """One arguments object that the accepted values accept: the first of each, what may be left out left out.

    An argument that the schema requires is given all the same.

    >>> first_accepted({"base": [10, 11], "unit": ["units", ""], "opt": [{"a": [1], "b": ["", 2]}]})
    {'base': 10, 'opt': {'a': 1}}
    """
    return {
        key: _choose(values, key)
        for key, values in accepted.items()
        if key in required or not may_be_omitted(values)
    }


def _choose(values: Any, key: str) -> Any:
    if not values:
        raise Fault(f"there is no accepted value for {key!r}")
    return _resolve(next((value for value in values if value != OMITTED), OMITTED))


def _resolve(value: Any) -> Any:
    """An accepted value; most objects hold a list of accepted values at every key."""
    if holds_answers(value):
        return first_accepted(value)
    return [_resolve(member) for member in value] if isinstance(value, list) else value


def _only_truth(truth: Any) -> tuple[str, Mapping[str, Any]]:
    if truth is None:
        raise Fault("there are no accepted values: name the file of possible answers with --with")
    if not isinstance(truth, list) or len(truth) != 1:
        raise Fault((Reason.MULTI_CALL if truth else Reason.NO_CALL).value)
    if not isinstance(truth[0], Mapping) or len(truth[0]) != 1:
        raise Fault(Reason.CALL_SHAPE.value)
    ((name, accepted),) = truth[0].items()
    if not holds_answers(accepted):
        raise Fault("the accepted values are not a list for every argument")
    return name, accepted


def _function(call: Mapping[str, Any]) -> dict[str, Any]:
    ((name, arguments),) = call.items()
    return {"name": name, "arguments": arguments}


QUESTIONS: Final = Importer(
    "bfcl", "BFCL questions with their possible answers (gold)", recognises_question, read_question
)
RESULTS: Final = Importer(
    "bfcl_result",
    "BFCL result files (answers)",
    recognises_result,
    read_result,
    reader="openai_chat.native.v1",
)
