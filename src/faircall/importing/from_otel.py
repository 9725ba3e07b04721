"""OpenTelemetry: spans with the GenAI conventions (`gen_ai.*`), as OTLP JSON or flat (answers)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from faircall.importing.foreign import (
    Fault,
    Importer,
    decoded_if_text,
    last_query,
    list_or_empty,
    mapping_or_empty,
)

_OUTPUT: Final = "gen_ai.output.messages"
_LONGEST_INTEGER: Final = 20
_INPUT: Final = "gen_ai.input.messages"


def recognises(value: Any) -> bool:
    """An OTLP document of spans, or a span with `gen_ai.*` attributes."""
    if not isinstance(value, Mapping):
        return False
    return "resourceSpans" in value or any(key.startswith("gen_ai.") for key in _attributes(value))


def read(value: Mapping[str, Any]) -> Iterator[Any]:
    """The answer of every span that holds one; other spans are refused by name."""
    for span in _spans(value):
        try:
            yield _row(_attributes(span))
        except Fault as fault:
            name = span.get("name") if isinstance(span, Mapping) else None
            yield Fault(fault.reason, row_id=name if isinstance(name, str) else None)


def _row(attributes: Mapping[str, Any]) -> Mapping[str, Any]:
    if _OUTPUT not in attributes:
        raise Fault(f"the span has no {_OUTPUT}")
    answers = decoded_if_text(attributes[_OUTPUT], what=_OUTPUT)
    if not isinstance(answers, list) or len(answers) != 1 or not isinstance(answers[0], Mapping):
        raise Fault(f"{_OUTPUT} is not a list of one message")
    asked = decoded_if_text(attributes.get(_INPUT), what=_INPUT)
    messages = [_message(message) for message in asked] if isinstance(asked, list) else None
    example_id = attributes.get("example_id", attributes.get("faircall.example_id"))
    return {
        "id": str(example_id) if isinstance(example_id, (str, int)) else None,
        "message": _message(answers[0]),
        "finish_reason": answers[0].get("finish_reason"),
        "model": attributes.get("gen_ai.response.model", attributes.get("gen_ai.request.model")),
        "messages": messages,
        "query": last_query(messages),
        "tools": decoded_if_text(attributes.get("gen_ai.tool.definitions"), what="gen_ai.tool.definitions"),
    }


def _message(message: Any) -> dict[str, Any]:
    """A message of parts in the form of chat-completions."""
    parts = message.get("parts") if isinstance(message, Mapping) else None
    if not isinstance(parts, list) or not all(isinstance(part, Mapping) for part in parts):
        raise Fault("a message has no parts")
    texts = [
        part["content"]
        for part in parts
        if part.get("type") == "text" and isinstance(part.get("content"), str)
    ]
    calls = [
        {"type": "function", "function": {key: part[key] for key in ("name", "arguments") if key in part}}
        for part in parts
        if part.get("type") == "tool_call"
    ]
    found = {"role": message.get("role"), "content": "".join(texts)}
    return {**found, "tool_calls": calls} if calls else found


def _spans(value: Mapping[str, Any]) -> Iterator[Any]:
    """The spans of an OTLP document, or the one that the record is."""
    if "resourceSpans" not in value:
        yield value
        return
    for resource in list_or_empty(value["resourceSpans"]):
        for scope in list_or_empty(mapping_or_empty(resource).get("scopeSpans")):
            yield from list_or_empty(mapping_or_empty(scope).get("spans"))


def _attributes(span: Any) -> dict[str, Any]:
    found = mapping_or_empty(span).get("attributes")
    if isinstance(found, Mapping):
        return dict(found)
    pairs = [
        pair
        for pair in list_or_empty(found)
        if isinstance(pair, Mapping) and isinstance(pair.get("key"), str)
    ]
    return {pair["key"]: _value(pair.get("value")) for pair in pairs}


def _value(value: Any) -> Any:
    """A value of OTLP JSON: an object with one key that names its type. Whole numbers may be text."""
    if not isinstance(value, Mapping) or len(value) != 1:
        return None
    ((kind, inner),) = value.items()
    members = list_or_empty(mapping_or_empty(inner).get("values"))
    if kind == "arrayValue":
        return [_value(member) for member in members]
    if kind == "kvlistValue":
        return _attributes({"attributes": members})
    whole = (
        kind == "intValue"
        and isinstance(inner, str)
        and inner.lstrip("-").isascii()
        and inner.lstrip("-").isdigit()
    )
    return int(inner) if whole and len(inner) < _LONGEST_INTEGER else inner


IMPORTER: Final = Importer(
    "otel",
    "OpenTelemetry spans with gen_ai.* attributes (answers)",
    recognises,
    read,
    reader="openai_chat.native.v1",
)
