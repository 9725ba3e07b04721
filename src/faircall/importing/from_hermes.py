"""ShareGPT conversations with calls in `<tool_call>` tags, as the Hermes data have them (gold)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from faircall.importing.calls import make_call, read_arguments, read_tools
from faircall.importing.foreign import Fault, Importer, identifier
from faircall.importing.reasons import Reason, Refused
from faircall.records import ToolCall
from faircall.strict_json import JsonFault, decode

_OPEN: Final = "<tool_call>"
_CLOSE: Final = "</tool_call>"
_ROLES: Final = {
    "system": "system",
    "human": "user",
    "user": "user",
    "gpt": "assistant",
    "assistant": "assistant",
    "tool": "tool",
}


def recognises(value: Any) -> bool:
    """A list `conversations` of turns with `from` and `value`."""
    turns = value.get("conversations") if isinstance(value, Mapping) else None
    return isinstance(turns, list) and all(
        isinstance(t, Mapping) and {"from", "value"} <= t.keys() for t in turns
    )


def read(value: Mapping[str, Any]) -> Iterator[Any]:
    """Every turn that calls: the turns before it are the request, its one call is the gold."""
    row_id, tools = identifier(value), read_tools(value.get("tools"))
    messages = [_message(turn) for turn in value["conversations"]]
    calling = [
        n
        for n, message in enumerate(messages)
        if message["role"] == "assistant" and _OPEN in message["content"]
    ]
    if not calling:
        raise Refused(Reason.NO_CALL)
    for number, index in enumerate(calling, start=1):
        name = row_id if row_id is None or len(calling) == 1 else f"{row_id}:{number}"
        yield _row(messages, index, row_id=name, tools=tools)


def _row(
    messages: list[dict[str, str]], index: int, *, row_id: str | None, tools: Any
) -> Mapping[str, Any] | Fault:
    before = messages[:index]
    asked = [message["content"] for message in before if message["role"] == "user"]
    try:
        gold = _read_call(messages[index]["content"])
        if not asked:
            raise Refused(Reason.NO_USER)
    except Refused as refusal:
        return Fault(refusal.reason.value, row_id=row_id)
    offered = None if tools is None else list(tools)
    return {"id": row_id, "gold": gold.to_dict(), "tools": offered, "query": asked[-1], "messages": before}


def _message(turn: Mapping[str, Any]) -> dict[str, str]:
    role = _ROLES.get(turn["from"]) if isinstance(turn["from"], str) else None
    if role is None or not isinstance(turn["value"], str):
        raise Refused(Reason.MESSAGES_INVALID)
    return {"role": role, "content": turn["value"]}


def _read_call(text: str) -> ToolCall:
    """The only tagged call of a turn; Python quotes, as some of the data have them, are not JSON."""
    if text.count(_OPEN) > 1:
        raise Refused(Reason.MULTI_CALL)
    body, close, _ = text[text.index(_OPEN) + len(_OPEN) :].partition(_CLOSE)
    if not close:
        raise Refused(Reason.CALLS_INVALID)
    try:
        value = decode(body)
    except JsonFault as fault:
        repeated = fault.reason == "duplicate_key"
        raise Refused(Reason.ARGUMENTS_REPEAT_KEY if repeated else Reason.CALLS_INVALID) from None
    if not isinstance(value, dict) or value.keys() != {"name", "arguments"}:
        raise Refused(Reason.CALL_SHAPE)
    return make_call(value["name"], read_arguments(value["arguments"], may_be_text=False))


IMPORTER: Final = Importer("hermes", "ShareGPT conversations with <tool_call> tags (gold)", recognises, read)
