"""Inspect: evaluation logs as one JSON document, or the samples of an `.eval` archive (answers)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from faircall.importing.foreign import Fault, Importer, identifier
from faircall.importing.from_lm_eval import call_or_none


def recognises(value: Any) -> bool:
    """A log with samples, or one sample."""
    if not isinstance(value, Mapping):
        return False
    return ("eval" in value and "samples" in value) or {"epoch", "target", "output"} <= value.keys()


def read(value: Mapping[str, Any]) -> Iterator[Any]:
    """The last answer of every sample; further epochs are called `<id>:<epoch>`."""
    samples = value.get("samples", [value])
    if not isinstance(samples, list) or not samples:
        raise Fault("the log holds no samples")
    for sample in samples:
        try:
            yield _row(sample)
        except Fault as fault:
            yield Fault(fault.reason, row_id=fault.row_id or _sample_id(sample))


def _row(sample: Any) -> Mapping[str, Any]:
    if not isinstance(sample, Mapping):
        raise Fault("the sample is not an object")
    output = sample.get("output")
    choices = output.get("choices") if isinstance(output, Mapping) else None
    if sample.get("error"):
        raise Fault("the sample ended with an error")
    if not isinstance(choices, list) or len(choices) != 1 or not isinstance(choices[0], Mapping):
        raise Fault("the output has not exactly one choice")
    asked = sample.get("input")
    return {
        "id": _sample_id(sample),
        "message": _message(choices[0].get("message")),
        "finish_reason": choices[0].get("stop_reason"),
        "model": output.get("model") if isinstance(output, Mapping) else None,
        "gold": call_or_none(sample.get("target")),
        "query": asked if isinstance(asked, str) else None,
        "tools": _offered(sample.get("events")),
    }


def _sample_id(sample: Any) -> str | None:
    if not isinstance(sample, Mapping):
        return None
    name, epoch = identifier(sample), sample.get("epoch", 1)
    return name if name is None or epoch == 1 else f"{name}:{epoch}"


def _message(message: Any) -> dict[str, Any]:
    """The message in the form of chat-completions. A call that Inspect could not parse has no arguments."""
    if not isinstance(message, Mapping):
        raise Fault("the choice has no message")
    calls = message.get("tool_calls") or []
    if not isinstance(calls, list) or not all(isinstance(call, Mapping) for call in calls):
        raise Fault("tool_calls is not a list of calls")
    return {
        "role": "assistant",
        "content": message.get("content"),
        "tool_calls": [_call(call) for call in calls],
    }


def _call(call: Mapping[str, Any]) -> dict[str, Any]:
    arguments = None if call.get("parse_error") else call.get("arguments")
    return {"type": "function", "function": {"name": call.get("function"), "arguments": arguments}}


def _offered(events: Any) -> list[Any] | None:
    """The tools of the first model event, where events were logged."""
    for event in events if isinstance(events, list) else []:
        if (
            isinstance(event, Mapping)
            and event.get("event") == "model"
            and isinstance(event.get("tools"), list)
        ):
            return list(event["tools"])
    return None


IMPORTER: Final = Importer(
    "inspect", "Inspect logs, JSON or .eval (answers)", recognises, read, reader="openai_chat.native.v1"
)
