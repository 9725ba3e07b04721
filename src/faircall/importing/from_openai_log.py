"""OpenAI chat-completions: logs of request and response (answers), and bare messages with calls (gold)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from faircall.importing.calls import make_call, read_arguments
from faircall.importing.foreign import (
    Fault,
    Importer,
    decoded_if_text,
    identifier,
    last_query,
    mapping_or_empty,
    message_list,
)
from faircall.importing.reasons import Reason

_DECODING: Final = ("temperature", "top_p", "max_tokens", "max_completion_tokens", "seed", "n")


def recognises_log(value: Any) -> bool:
    """A response with choices, alone or beside its request; also a line of a batch output."""
    return isinstance(value, Mapping) and "choices" in response_of(value)


def read_log(value: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The answer of one exchange; the message is kept whole, whatever calls it holds."""
    response = response_of(value)
    request = mapping_or_empty(decoded_if_text(value.get("request"), what="request"))
    request = mapping_or_empty(request.get("body")) or request or value
    message = _only_choice(response)["message"]
    own = "choices" in value
    messages = message_list(request.get("messages"), what="request.messages")
    yield {
        "id": identifier(
            value, ("custom_id", "example_id", "task_id") if own else ("custom_id", "id", "example_id")
        ),
        "message": dict(message),
        **attested_conditions(request, response),
        "messages": messages,
        "query": last_query(messages),
        "tools": message_list(request.get("tools"), what="request.tools"),
        "gold": value.get("gold"),
        "language": value.get("language"),
        "source_example_id": value.get("source_example_id"),
    }


def attested_conditions(request: Mapping[str, Any], response: Mapping[str, Any]) -> dict[str, Any]:
    """What an exchange says of its conditions: model, finish reason and decoding, None where it does not.

    The model is the one that answered; where the response names none, the one that was asked.

    >>> attested_conditions({"model": "m", "temperature": 0}, {"choices": [{"finish_reason": "stop"}]})
    {'model': 'm', 'finish_reason': 'stop', 'decoding': {'temperature': 0}}
    """
    choices = response.get("choices")
    choice = mapping_or_empty(choices[0]) if isinstance(choices, list) and len(choices) == 1 else {}
    return {
        "model": response.get("model") or request.get("model"),
        "finish_reason": choice.get("finish_reason"),
        "decoding": {key: request[key] for key in _DECODING if request.get(key) is not None} or None,
    }


def recognises_message(value: Any) -> bool:
    """A bare assistant message, or a record that holds one."""
    return isinstance(value, Mapping) and "tool_calls" in _message_of(value)


def read_message(value: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The one call of a message as gold; several, or one that cannot be read, are refused."""
    calls = _message_of(value)["tool_calls"]
    row_id = identifier(value)
    if not isinstance(calls, list):
        raise Fault(Reason.CALLS_INVALID.value)
    if len(calls) != 1:
        raise Fault((Reason.MULTI_CALL if calls else Reason.NO_CALL).value)
    function = calls[0].get("function") if isinstance(calls[0], Mapping) else None
    if not isinstance(function, Mapping):
        raise Fault(Reason.CALLS_INVALID.value)
    if function.keys() != {"name", "arguments"}:
        raise Fault(Reason.CALL_SHAPE.value)
    call = make_call(function["name"], read_arguments(function["arguments"], may_be_text=True))
    tools = message_list(value.get("tools"), what="tools")
    yield {"id": row_id, "gold": call.to_dict(), "tools": tools, "query": value.get("query")}


def response_of(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """The response inside an exchange, or the row itself where it is one; empty where there is none."""
    if "choices" in value:
        return value
    response = value.get("response", value.get("completion"))
    if isinstance(response, str) and response.lstrip().startswith("{"):
        response = decoded_if_text(response, what="response")
    body = mapping_or_empty(response).get("body")
    return body if isinstance(body, Mapping) else mapping_or_empty(response)


def _only_choice(response: Mapping[str, Any]) -> Mapping[str, Any]:
    choices = response["choices"]
    if not isinstance(choices, list) or len(choices) != 1:
        count = len(choices) if isinstance(choices, list) else 0
        raise Fault(f"the response has {count or 'no'} choices, not one")
    choice = mapping_or_empty(choices[0])
    if not isinstance(choice.get("message"), Mapping):
        raise Fault("the choice has no message")
    return choice


def _message_of(value: Mapping[str, Any]) -> Mapping[str, Any]:
    message = value.get("message", value)
    return mapping_or_empty(message)


LOG: Final = Importer(
    name="openai_chat",
    summary="chat-completions responses, with or without their requests (answers)",
    recognises=recognises_log,
    read=read_log,
    reader="openai_chat.native.v1",
)
MESSAGE: Final = Importer(
    name="openai_message",
    summary="bare assistant messages with tool_calls (gold)",
    recognises=recognises_message,
    read=read_message,
)
