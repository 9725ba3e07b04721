"""Examples to prompts for chat servers: the JSON of messages and tools; the text is the server's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from faircall.canonical import canonical_json
from faircall.formatting.prompts import TOOLS_MARK, seal_prompt, with_system_prompt
from faircall.records import Example, Prompt
from faircall.tools import declaration


def format_chat_request(example: Example, *, system_prompt: str | None = None) -> Prompt:
    """The prompt of one example for a chat server.

    Raises:
        InvariantViolation: the example has no gold call, messages or language.
    """
    tools, messages = example.tools or (), example.messages or ()
    return seal_prompt(example, chat_request_text(messages, tools=tools, system_prompt=system_prompt))


def chat_request_text(
    messages: Sequence[Mapping[str, Any]],
    *,
    tools: Sequence[Mapping[str, Any]],
    system_prompt: str | None = None,
) -> str:
    """Messages and tools as they are sent. Tools that `{tools}` put into the system prompt are sent once.

    >>> chat_request_text([{"role": "user", "content": "Hi"}], tools=[{"name": "wx"}])
    '{"messages":[{"content":"Hi","role":"user"}],"tools":[{"function":{"name":"wx"},"type":"function"}]}'
    """
    told = system_prompt is not None and TOOLS_MARK in system_prompt
    sent = [] if told else [{"type": "function", "function": dict(declaration(tool))} for tool in tools]
    spoken = with_system_prompt(messages, tools=tools, system_prompt=system_prompt)
    return canonical_json({"messages": [_as_sent(message) for message in spoken], "tools": sent})


def _as_sent(message: Mapping[str, Any]) -> Mapping[str, Any]:
    """The protocol writes the arguments of earlier calls as text; logs that hold objects are written so."""
    calls = message.get("tool_calls")
    return {**message, "tool_calls": [_call(call) for call in calls]} if isinstance(calls, list) else message


def _call(call: Any) -> Any:
    function = call.get("function") if isinstance(call, Mapping) else None
    arguments = function.get("arguments") if isinstance(function, Mapping) else None
    if not isinstance(function, Mapping) or not isinstance(arguments, Mapping):
        return call
    return {**call, "function": {**function, "arguments": canonical_json(arguments)}}
