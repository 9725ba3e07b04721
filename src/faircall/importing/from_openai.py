"""Rows `messages` / `tools`, as OpenAI's chat API and TRL's trainers write conversations.

Every assistant message that makes a call is a step: the messages before it are the request, its call is the
gold. Arguments are JSON text (OpenAI) or objects (TRL); text is decoded once, also in the messages that are
kept, since chat templates expect objects.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from faircall.importing.calls import make_call, read_arguments, read_tools
from faircall.importing.reasons import Reason, Refused
from faircall.importing.steps import Step
from faircall.records import ToolCall


def read_steps(row: Mapping[str, Any]) -> list[Step | Reason]:
    """The calling steps of a conversation in order; a step that cannot be used is its reason.

    Raises:
        Refused: no step of the row can be used.
    """
    tools = read_tools(row.get("tools"))
    messages = _check_messages(row)
    calling = [index for index, message in enumerate(messages) if _calls_of(message)]
    if not calling:
        raise Refused(Reason.NO_CALL)
    return [_read_step(messages, index, tools) for index in calling]


def _read_step(
    messages: Sequence[Mapping[str, Any]], index: int, tools: tuple[Mapping[str, Any], ...] | None
) -> Step | Reason:
    try:
        gold = _read_gold(messages[index])
        before = tuple(_with_decoded_calls(message) for message in messages[:index])
        return Step(gold=gold, tools=tools, query=_last_query(before), messages=before)
    except Refused as refusal:
        return refusal.reason


def _read_gold(message: Mapping[str, Any]) -> ToolCall:
    calls = _calls_of(message)
    if len(calls) > 1:
        raise Refused(Reason.MULTI_CALL)
    return _read_call(calls[0])


def _read_call(call: Any) -> ToolCall:
    function = call.get("function") if isinstance(call, Mapping) else None
    if not isinstance(function, Mapping) or call.get("type", "function") != "function":
        raise Refused(Reason.CALLS_INVALID)
    if function.keys() != {"name", "arguments"}:
        raise Refused(Reason.CALL_SHAPE)
    return make_call(function["name"], read_arguments(function["arguments"], may_be_text=True))


def _with_decoded_calls(message: Mapping[str, Any]) -> Mapping[str, Any]:
    """The message with the arguments of its calls as objects."""
    calls = _calls_of(message)
    if not calls:
        return message
    decoded = [{**call, "function": _read_call(call).to_dict()} for call in calls]
    return {**message, "tool_calls": decoded}


def _calls_of(message: Mapping[str, Any]) -> list[Any]:
    calls = message.get("tool_calls")
    if message["role"] != "assistant" or calls is None:
        return []
    if not isinstance(calls, list):
        raise Refused(Reason.CALLS_INVALID)
    return calls


def _check_messages(row: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    if "messages" not in row:
        raise Refused(Reason.MESSAGES_MISSING)
    messages = row["messages"]
    if not isinstance(messages, list) or not messages or not all(map(_is_message, messages)):
        raise Refused(Reason.MESSAGES_INVALID)
    for message in messages:
        if message.get("function_call") is not None:
            raise Refused(Reason.LEGACY_CALL)
        _text_of(message.get("content"))
    return messages


def _is_message(message: Any) -> bool:
    return isinstance(message, Mapping) and isinstance(message.get("role"), str)


def _text_of(content: Any) -> str:
    """The text of a message: text, text parts one after the other, or nothing."""
    if content is None or isinstance(content, str):
        return content or ""
    if isinstance(content, list) and all(_is_text_part(part) for part in content):
        return "".join(part["text"] for part in content)
    raise Refused(Reason.CONTENT_INVALID)


def _is_text_part(part: Any) -> bool:
    return isinstance(part, Mapping) and part.get("type") == "text" and isinstance(part.get("text"), str)


def _last_query(messages: Sequence[Mapping[str, Any]]) -> str:
    for message in reversed(messages):
        if message["role"] == "user":
            return _text_of(message.get("content"))
    raise Refused(Reason.NO_USER)
