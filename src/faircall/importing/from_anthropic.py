"""Anthropic Messages: logs of request and response (answers)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from faircall.importing.foreign import Importer, decoded_if_text, identifier, last_query, message_list


def recognises(value: Any) -> bool:
    """A Messages answer (content blocks and a stop reason), alone or beside its request."""
    if not isinstance(value, Mapping):
        return False
    response = _response_of(value)
    return isinstance(response.get("content"), list) and "stop_reason" in response


def read(value: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The answer of one exchange: its content blocks, kept whole."""
    response = _response_of(value)
    request = decoded_if_text(value.get("request"), what="request") or value
    request = request if isinstance(request, Mapping) else {}
    messages = message_list(request.get("messages"), what="request.messages")
    system = request.get("system")
    asked = [{"role": "system", "content": system}, *(messages or [])] if system else messages
    own = response is value
    yield {
        "id": identifier(value, ("custom_id", "example_id") if own else ("custom_id", "id", "example_id")),
        "message": {"role": "assistant", "content": response["content"]},
        "finish_reason": response.get("stop_reason"),
        "model": response.get("model"),
        "messages": asked,
        "query": last_query(messages),
        "tools": message_list(request.get("tools"), what="request.tools"),
        "gold": value.get("gold"),
        "language": value.get("language"),
    }


def _response_of(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """The message itself, under `response`, or as a line of a batch result has it."""
    for outer in ("response", "result"):
        inner = value.get(outer)
        if isinstance(inner, Mapping):
            message = inner.get("message")
            return message if isinstance(message, Mapping) else inner
    return value


IMPORTER: Final = Importer(
    name="anthropic",
    summary="Anthropic Messages answers, with or without their requests (answers)",
    recognises=recognises,
    read=read,
    reader="anthropic.native.v1",
)
