"""Langfuse: exported observations, alone or inside their traces (answers)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from faircall.importing.foreign import Fault, Importer, identifier, last_query
from faircall.strict_json import JsonFault, decode

_TYPES: Final = ("GENERATION", "SPAN", "EVENT")


def recognises(value: Any) -> bool:
    """An observation with its type and trace, or a trace with observations."""
    if not isinstance(value, Mapping):
        return False
    trace = isinstance(value.get("observations"), list)
    return trace or (value.get("type") in _TYPES and ("traceId" in value or "trace_id" in value))


def read(value: Mapping[str, Any]) -> Iterator[Any]:
    """The answer of every generation; spans and events are refused by their type."""
    for observation in value.get("observations", [value]):
        try:
            yield _row(observation)
        except Fault as fault:
            name = observation.get("id") if isinstance(observation, Mapping) else None
            yield Fault(fault.reason, row_id=name if isinstance(name, str) else None)


def _row(observation: Any) -> Mapping[str, Any]:
    if not isinstance(observation, Mapping) or observation.get("type") != "GENERATION":
        raise Fault("the observation is not a generation")
    if observation.get("level") == "ERROR":
        raise Fault("the generation ended with an error")
    asked = _loaded(observation.get("input"))
    messages = asked.get("messages") if isinstance(asked, Mapping) else asked
    metadata = _loaded(observation.get("metadata"))
    return {
        "id": identifier(metadata, ("example_id", "id")) if isinstance(metadata, Mapping) else None,
        **_answer(_loaded(observation.get("output"))),
        "model": observation.get("model"),
        "messages": messages if isinstance(messages, list) else None,
        "query": messages if isinstance(messages, str) else last_query(messages),
        "tools": asked.get("tools") if isinstance(asked, Mapping) else None,
    }


def _answer(output: Any) -> dict[str, Any]:
    if isinstance(output, str):
        return {"raw_text": output}
    if isinstance(output, Mapping) and ("content" in output or "tool_calls" in output):
        return {"message": dict(output)}
    raise Fault("the output is neither text nor a message")


def _loaded(value: Any) -> Any:
    """Tables keep objects as JSON text; text that is no JSON object or array is text."""
    if not isinstance(value, str) or not value.startswith(("{", "[")):
        return value
    try:
        found = decode(value)
    except JsonFault:
        return value
    message = isinstance(found, list) or {"role", "messages", "tool_calls", "example_id"} & set(found)
    return found if message else value


IMPORTER: Final = Importer(
    "langfuse", "Langfuse observations or traces (answers)", recognises, read, reader="openai_chat.native.v1"
)
