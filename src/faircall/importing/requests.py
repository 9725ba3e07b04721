"""Frozen requests out of a log: messages and tools as they were sent, and the answer that came back then.

A log holds rows with `messages` and `tools` (the last message may be the answer), or whole exchanges of
request and response. The request is everything before the answer; earlier turns stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from faircall.errors import DuplicateId, RowInvalid
from faircall.importing.calls import read_tools
from faircall.importing.foreign import Fault, identifier, mapping_or_empty
from faircall.importing.from_openai_log import attested_conditions, recognises_log, response_of
from faircall.importing.reasons import Refused
from faircall.store.files import JsonLine

_KEPT: Final = ("gold", "language", "source_example_id", "query")
_CONDITIONS: Final = {"model": str, "finish_reason": str, "decoding": Mapping}


@dataclass(frozen=True, slots=True)
class FrozenRequest:
    """One request.

    Attributes:
        answer: the message that the log holds.
        rest: what else is known of the task.
        conditions: what the log says of how it was answered: model, finish reason, decoding.
    """

    request_id: str
    messages: tuple[Mapping[str, Any], ...]
    tools: tuple[Mapping[str, Any], ...]
    answer: Mapping[str, Any] | None
    rest: Mapping[str, Any]
    conditions: Mapping[str, Any]


def read_requests(lines: Iterable[JsonLine], *, label: str) -> list[FrozenRequest]:
    """Every request of a log, in order; a row without an id is called after its line.

    Raises:
        RowInvalid: a row without messages, or with tools of no known form; names file and line.
        DuplicateId: one id on two rows.
    """
    found: dict[str, FrozenRequest] = {}
    for number, row in lines:
        place = f"{label}:{number}"
        try:
            request = read_request(row, fallback=f"line-{number}")
        except (Fault, Refused) as fault:
            reason = fault.reason if isinstance(fault, Fault) else fault.reason.value
            raise RowInvalid(
                f"{place}: {reason}", hint="a request has messages, and tools where it offers some"
            ) from None
        if request.request_id in found:
            raise DuplicateId(f"{place}: id {request.request_id!r} is there twice", hint="ids join rows")
        found[request.request_id] = request
    return list(found.values())


def read_request(row: Any, *, fallback: str) -> FrozenRequest:
    """One row as a request.

    >>> turn = {"role": "user", "content": "Rain?"}
    >>> answer = {"role": "assistant", "content": "No."}
    >>> request = read_request({"messages": [turn, answer]}, fallback="line-1")
    >>> request.messages == (turn,), request.answer == answer
    (True, True)
    """
    if not isinstance(row, Mapping):
        raise Fault("the row is not an object")
    inner = _request_of(row)
    messages = _messages(inner.get("messages"))
    answer = _logged_answer(row)
    if answer is None and len(messages) > 1 and messages[-1].get("role") == "assistant":
        messages, answer = messages[:-1], messages[-1]
    return FrozenRequest(
        identifier(row) or fallback,
        messages=tuple(messages),
        tools=read_tools(inner.get("tools")) or (),
        answer=answer,
        rest={key: row[key] for key in _KEPT if row.get(key) is not None},
        conditions=_conditions(row, inner),
    )


def _conditions(row: Mapping[str, Any], inner: Mapping[str, Any]) -> dict[str, Any]:
    """As `faircall import` reads them; a row that is no exchange names them itself."""
    found = attested_conditions(inner, response_of(row)) if recognises_log(row) else row
    return {key: found[key] for key, kind in _CONDITIONS.items() if isinstance(found.get(key), kind)}


def _request_of(row: Mapping[str, Any]) -> Mapping[str, Any]:
    request = row.get("request")
    if not isinstance(request, Mapping):
        return row
    body = request.get("body")
    return body if isinstance(body, Mapping) else request


def _messages(value: Any) -> Sequence[Mapping[str, Any]]:
    if not isinstance(value, list) or not value:
        raise Fault("messages is not a list with at least one message")
    if not all(isinstance(message, Mapping) and isinstance(message.get("role"), str) for message in value):
        raise Fault("messages holds something that is no message with a role")
    return value


def _logged_answer(row: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The answer of a log line: its response's only message, or a message or text beside the request."""
    if recognises_log(row):
        choices = response_of(row).get("choices")
        only = choices[0] if isinstance(choices, list) and len(choices) == 1 else None
        return _mapping(mapping_or_empty(only).get("message"))
    if isinstance(row.get("raw_text"), str):
        return {"role": "assistant", "content": row["raw_text"]}
    return _mapping(row.get("message"))


def _mapping(value: Any) -> Mapping[str, Any] | None:
    return value if isinstance(value, Mapping) else None
