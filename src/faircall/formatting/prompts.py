"""Examples to prompts: the text that every arm gets, the target, and digests that say what is in them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from faircall.canonical import canonical_json
from faircall.digest import sha256_json, sha256_text
from faircall.errors import DataError, InvariantViolation
from faircall.formatting.chat_template import ChatTemplate, plain_content
from faircall.records import Example, Prompt, ToolCall
from faircall.tools import declaration, tool_name

TOOLS_MARK: Final = "{tools}"


@dataclass(frozen=True, slots=True)
class PromptStyle:
    """How prompts are written: one for all arms.

    Attributes:
        template: the chat template.
        special_tokens: `bos_token`, `eos_token` and their kind, as texts.
        adds_bos: whether the tokenizer itself would put a BOS before a text.
        system_prompt: put before every conversation; `{tools}` in it becomes one line per offered tool.
        options: `chat_template_kwargs`.
    """

    template: ChatTemplate
    special_tokens: Mapping[str, str] = field(default_factory=dict)
    adds_bos: bool = False
    system_prompt: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def bos(self) -> str | None:
        """The text of the BOS token, None when there is none."""
        return self.special_tokens.get("bos_token")


def format_example(example: Example, *, style: PromptStyle) -> Prompt:
    """The prompt of one example.

    Raises:
        DataError: the template fails, or an offered tool does not appear in the text.
        InvariantViolation: the example has no gold call, messages, tools or language.
    """
    tools, messages = example.tools or (), example.messages or ()
    _require_prepared(example)
    try:
        text = render_prompt(messages, tools=tools, style=style)
        _require_tools_shown(text, messages=messages, tools=tools, style=style)
    except DataError as fault:
        raise DataError(f"example {example.example_id}: {fault.message}", hint=fault.hint) from None
    return seal_prompt(example, text)


def seal_prompt(example: Example, prompt_text: str) -> Prompt:
    """The stored form of a prompt: its text, the gold call as the target, and the digests of both sides.

    Raises:
        InvariantViolation: the example has no gold call, messages or language.
    """
    gold, language = _require_prepared(example)
    return Prompt(
        example_id=example.example_id,
        language=language,
        source_example_id=example.source_example_id,
        prompt_text=prompt_text,
        target_text=canonical_json(gold.to_dict()),
        prompt_sha256=sha256_text(prompt_text),
        messages_sha256=sha256_json(list(example.messages or ())),
        tools_sha256=sha256_json(list(example.tools or ())),
        tools=tuple(example.tools or ()),
    )


def _require_prepared(example: Example) -> tuple[ToolCall, str]:
    """The gold call and the language that `data prepare` gave the example."""
    if example.gold is None or not example.messages or example.language is None:
        raise InvariantViolation(f"example {example.example_id} is not prepared: it lacks gold or messages")
    return example.gold, example.language


def render_prompt(
    messages: Sequence[Mapping[str, Any]], *, tools: Sequence[Mapping[str, Any]], style: PromptStyle
) -> str:
    """The text that is sent, its one BOS included.

    >>> template = ChatTemplate("{% for m in messages %}<{{ m.role }}>{{ m.content }}\\n{% endfor %}")
    >>> style = PromptStyle(template, system_prompt="Tools: {tools}")
    >>> render_prompt([{"role": "user", "content": "Hi"}], tools=[{"name": "wx"}], style=style)
    '<system>Tools: {"name":"wx"}\\n<user>Hi\\n'
    """
    text = style.template.render(
        with_system_prompt(messages, tools=tools, system_prompt=style.system_prompt),
        tools=tools,
        special_tokens=style.special_tokens,
        options=style.options,
    )
    return _with_one_bos(text, style=style)


def training_fields(prompt: Prompt, *, style: PromptStyle) -> dict[str, str]:
    """`prompt` and `completion`, the columns that TRL's SFT trainer reads.

    TRL lets the tokenizer add its special tokens and puts the end token behind the completion itself, so the
    BOS is left out where the tokenizer would add it.
    """
    text = prompt.prompt_text
    if style.adds_bos and style.bos:
        text = text.removeprefix(style.bos)
    return {"prompt": text, "completion": prompt.target_text}


def with_system_prompt(
    messages: Sequence[Mapping[str, Any]], *, tools: Sequence[Mapping[str, Any]], system_prompt: str | None
) -> list[Mapping[str, Any]]:
    """The messages behind the system prompt; one that the row has already follows in the same message.

    >>> with_system_prompt([], tools=[{"name": "wx"}], system_prompt="Tools: {tools}")
    [{'role': 'system', 'content': 'Tools: {"name":"wx"}'}]
    """
    if system_prompt is None:
        return list(messages)
    lines = "\n".join(canonical_json(tool) for tool in tools)
    text = system_prompt.replace(TOOLS_MARK, lines)
    first = messages[0] if messages and messages[0].get("role") == "system" else None
    if first is None:
        return [{"role": "system", "content": text}, *messages]
    own = plain_content(first.get("content")) or ""
    return [{**first, "content": f"{text}\n\n{own}"}, *messages[1:]]


def _with_one_bos(text: str, *, style: PromptStyle) -> str:
    """Exactly one BOS where one belongs: a second is removed, a missing one added if the tokenizer would."""
    bos = style.bos
    if not bos:
        return text
    while text.startswith(bos + bos):
        text = text[len(bos) :]
    return bos + text if style.adds_bos and not text.startswith(bos) else text


def _require_tools_shown(
    text: str,
    *,
    messages: Sequence[Mapping[str, Any]],
    tools: Sequence[Mapping[str, Any]],
    style: PromptStyle,
) -> None:
    """Refuse a prompt that hides an offered tool.

    A name that the conversation happens to contain proves nothing: then the tool is given another name, and
    that one must appear.
    """
    said = "\n".join(_strings(list(messages))) + "\n" + (style.system_prompt or "")
    for index, tool in enumerate(tools):
        name = tool_name(tool) or ""
        shown = _contains(text, name)
        if shown and _contains(said, name):
            alias = f"tool_{sha256_text(name)[:16]}"
            renamed = [*tools[:index], _renamed(tool, alias), *tools[index + 1 :]]
            shown = _contains(render_prompt(messages, tools=renamed, style=style), alias)
        if not shown:
            hint = "this template may ignore tools; put {tools} into formatting.system_prompt"
            raise DataError(f"the offered tool {name!r} does not appear in the prompt", hint=hint)


def _contains(text: str, name: str) -> bool:
    """Whether a name stands in a text as a word of its own, plain or with JSON escapes."""
    return any(
        re.search(rf"(?<!\w){re.escape(spelling)}(?!\w)", text)
        for spelling in {name, canonical_json(name)[1:-1]}
    )


def _renamed(tool: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    inner = declaration(tool)
    return {**tool, "name": name} if inner is tool else {**tool, "function": {**inner, "name": name}}


def _strings(value: Any) -> Iterator[str]:
    """Every text in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _strings(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _strings(item)
