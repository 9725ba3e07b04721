"""What is said on the wire: requests of `/chat/completions` and `/completions`, and how answers are read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from faircall.credentials import redact
from faircall.errors import EvaluationError, InvariantViolation
from faircall.generating.backend import Decoding
from faircall.generating.servers.retries import Transient
from faircall.generating.servers.server_settings import Endpoint, ServerSettings
from faircall.records import Prompt
from faircall.strict_json import JsonFault, decode

_SHOWN = 200  # characters of a server's words in a failure


@dataclass(frozen=True, slots=True)
class ServerAnswer:
    """What a server answered: the text, its whole message (chat only) and its counts, None where unknown."""

    model: str | None
    raw_text: str
    message: Mapping[str, Any] | None
    finish_reason: str | None
    prompt_tokens: int | None
    new_tokens: int | None


def decoding_fields(
    settings: ServerSettings, decoding: Decoding, *, example_id: str | None = None
) -> dict[str, Any]:
    """The decoding part of a request, as it is sent; without an example, what all requests share.

    >>> decoding_fields(ServerSettings("http://h/v1", "m", seed=7), Decoding(64))
    {'temperature': 0, 'max_tokens': 64, 'stream': False, 'seed': 7}
    """
    drawn = decoding.sampling
    chosen = {"temperature": 0} if drawn is None else {"temperature": drawn.temperature, "top_p": drawn.top_p}
    seed: dict[str, Any] = {} if settings.seed is None else {"seed": settings.seed}
    if seed and drawn is not None:
        seed = {"seed": "one per sample" if example_id is None else drawn.seed_of(example_id)}
    return {
        **chosen, "max_tokens": decoding.max_new_tokens, "stream": False, **seed, **settings.extra_body
    }  # fmt: skip


def request_body(prompt: Prompt, settings: ServerSettings, decoding: Decoding) -> dict[str, Any]:
    """The whole request: the stored prompt, the model's name, the decoding."""
    fields = decoding_fields(settings, decoding, example_id=prompt.example_id)
    asked = {"prompt": prompt.prompt_text} if settings.endpoint == "completions" else read_prompt(prompt)
    return {"model": settings.model, **asked, **fields}


def read_prompt(prompt: Prompt) -> dict[str, Any]:
    """`messages`, and `tools` where there are any, out of a stored chat prompt.

    Raises:
        InvariantViolation: the prompt is rendered text, not the JSON of messages and tools.
    """
    try:
        stored = decode(prompt.prompt_text)
        messages, tools = stored["messages"], stored["tools"]
    except (JsonFault, TypeError, KeyError):
        raise InvariantViolation(
            f"the prompt of {prompt.example_id} is not the JSON of messages and tools",
            hint="chat servers need formatting.template_policy: server_chat_template",
        ) from None
    return {"messages": messages, "tools": tools} if tools else {"messages": messages}


def read_answer(body: bytes, endpoint: Endpoint) -> ServerAnswer:
    """The only choice of an answer.

    Raises:
        Transient: the body is no such answer: a page, a torso, something else.
    """
    value = decode_body(body)
    choices = value.get("choices") if isinstance(value, Mapping) else None
    choice = choices[0] if isinstance(choices, list) and len(choices) == 1 else None
    if not isinstance(value, Mapping) or not isinstance(choice, Mapping):
        raise Transient(f"the answer is not one of this protocol: {show_body(body)}")
    message = choice.get("message") if endpoint == "chat" else None
    if endpoint == "chat" and not isinstance(message, Mapping):
        raise Transient(f"the answer has no message: {show_body(body)}")
    text = choice.get("text") if endpoint == "completions" else text_of(message)
    if not isinstance(text, str):
        raise Transient(f"the answer has no text: {show_body(body)}")
    usage = value.get("usage")
    return ServerAnswer(
        model=_text(value.get("model")),
        raw_text=text,
        message=message,
        finish_reason=_text(choice.get("finish_reason")),
        prompt_tokens=_count(usage, "prompt_tokens"),
        new_tokens=_count(usage, "completion_tokens"),
    )


def text_of(message: Any) -> str:
    """The text of a message: its content, the texts among its parts, or "" for null.

    >>> text_of({"content": None}), text_of({"content": [{"type": "text", "text": "a"}]})
    ('', 'a')
    """
    content = message.get("content")
    parts = content if isinstance(content, list) else [{"text": content}]
    texts = [part.get("text") for part in parts if isinstance(part, Mapping)]
    return "".join(text for text in texts if isinstance(text, str))


def require_unparsed(answer: ServerAnswer, *, example_id: str) -> None:
    """Refuse an answer whose call is in `tool_calls`, where a reader of texts would find nothing.

    Raises:
        EvaluationError: tells that the server parses tool calls, and the two ways out.
    """
    message = answer.message or {}
    if message.get("tool_calls") or message.get("function_call"):
        raise EvaluationError(
            f"the server parses tool calls: its answer to {example_id} has them in `tool_calls`, not as text",
            hint="read them with the reader openai_chat.native.v1 (eval.reader or --reader), "
            "or start the server without its tool-call parser",
        )


def decode_body(body: bytes) -> Any:
    """The JSON of a body, None when it is none."""
    try:
        return decode(body.decode("utf-8"))
    except (UnicodeDecodeError, JsonFault):
        return None


def show_body(body: bytes) -> str:
    """What a body says, on one short line: the error of an API, the title of a page, or its beginning.

    >>> show_body(b'{"error": {"message": "context too long"}}')
    'context too long'
    >>> show_body(b"<html><head><title>502 Bad Gateway</title></head></html>")
    'a page: 502 Bad Gateway'
    """
    value = decode_body(body)
    text = _error_text(value) if isinstance(value, Mapping) else None
    if text is None:
        text = body[:4096].decode("utf-8", "replace")
        title = re.search(r"(?is)<title>(.*?)</title>", text)
        if title or re.match(r"(?is)\s*<(!doctype )?html", text):
            text = f"a page: {title[1] if title else 'without a title'}"
    line = " ".join(text.split()) or "nothing"
    return redact(line if len(line) <= _SHOWN else line[: _SHOWN - 3] + "...")


def _error_text(value: Mapping[str, Any]) -> str | None:
    inner = value.get("error")
    if isinstance(inner, Mapping):
        value = inner
    found = (value.get(name) for name in ("message", "error", "detail"))
    return next((text for text in found if isinstance(text, str)), None)


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _count(usage: Any, name: str) -> int | None:
    value = usage.get(name) if isinstance(usage, Mapping) else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None
